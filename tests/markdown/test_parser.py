from citestream.markdown import to_html


def html(text: str) -> str:
    return to_html(text, 10_000, ValueError())


def test_tables_and_strikethrough_are_on() -> None:
    assert "<table>" in html("|a|\n|-|\n|b|\n")
    assert html("~~a~~") == "<p><del>a</del></p>\n"


def test_footnotes_and_maths_are_off() -> None:
    assert html("a[^1] $b$\n\n[^1]: c d\n") == "<p>a[^1] $b$</p>\n<p>[^1]: c d</p>\n"
