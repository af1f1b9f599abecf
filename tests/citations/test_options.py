"""Options: what each may be, and as JSON and back."""

from typing import Any

import pytest

from citestream.citations import DIALECTS, EngineOptions, Template
from citestream.citations.dialects import BARE_RESIDUE, STRIPPED_NUMBERS

TEMPLATE = {"open": "[[", "close": "]]"}


@pytest.mark.parametrize(
    "options",
    [
        {"dialect": "tags"},
        {"dialect": TEMPLATE},
        {"dialect": ["guide", TEMPLATE, {**TEMPLATE, "separator": "|"}]},
        {"dialect": "numbers", "numbers": "strip", "bare_residue": True},
    ],
)
def test_options_as_json_and_back(options: dict[str, Any]) -> None:
    made = EngineOptions(**options)
    assert made.as_json() == {"invalid_markers": "keep", "whitespace": "keep", **options}
    assert EngineOptions(**made.as_json()) == made
    assert hash(made) == hash(EngineOptions(**made.as_json()))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"numbers": "drop"}, "numbers: must be one of keep, strip"),
        ({"bare_residue": "yes"}, "bare_residue: must be true or false"),
        ({"dialect": None}, "dialect: must be a name, a template, or a list of 1 to 8"),
        ({"dialect": []}, "dialect: must be a name, a template, or a list of 1 to 8"),
        ({"dialect": [["guide"]]}, "dialect: must be a template or one of guide"),
        ({"dialect": ["guide", "guild"]}, "dialect: must be a template or one of guide"),
        ({"dialect": [TEMPLATE, Template("[[", "]]")]}, "dialect: must not name the same"),
    ],
)
def test_what_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}"):
        EngineOptions(**options)


def test_the_dialects_that_are_looked_for() -> None:
    options = EngineOptions(dialect=["numbers", TEMPLATE, "tags"], bare_residue=True)
    template = Template("[[", "]]")
    tags = DIALECTS["tags"]
    assert options.dialects() == (DIALECTS["numbers"], template, tags, BARE_RESIDUE)
    stripped = EngineOptions(dialect=["tags", "numbers"], numbers="strip")
    assert stripped.dialects() == (tags, STRIPPED_NUMBERS)
