import pytest

from citestream.markdown import to_html


def test_renders_any_script() -> None:
    assert to_html("潮 *a*", 100, ValueError()) == "<p>潮 <em>a</em></p>\n"


def test_stops_at_the_limit_in_bytes() -> None:
    error = ValueError("long")
    assert to_html("é", 10, error)
    with pytest.raises(ValueError, match="long"):
        to_html("é", 9, error)
    with pytest.raises(ValueError, match="long"):
        to_html(">" * 1_000_000, 1_000_000, error)
