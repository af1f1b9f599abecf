"""Names of a product: what may be one."""

import pytest

from citestream.context import ContextError, ContextSettings


@pytest.mark.parametrize(
    ("names", "field"),
    [
        ({"scheme": "T3"}, "scheme"),
        ({"scheme": "a)b"}, "scheme"),
        ({"quote_scheme": ""}, "quote_scheme"),
        ({"envelope": "a b"}, "envelope"),
        ({"envelope": "Context"}, "envelope"),
        ({"envelope": "assistant_citations"}, "envelope"),
    ],
)
def test_a_name_that_cannot_be_written_is_refused(names: dict[str, str], field: str) -> None:
    with pytest.raises(ContextError) as error:
        ContextSettings(**names)
    assert error.value.field == field
