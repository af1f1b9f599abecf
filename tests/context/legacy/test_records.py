"""Bodies of old blocks where the vectors do not reach."""

from citestream.context.legacy.blocks import find_blocks
from citestream.context.legacy.records import (
    read_elements,
    read_preview,
    read_review,
    read_terminals,
)


def test_excerpts_may_have_no_line_numbers_and_blank_lines() -> None:
    records = read_terminals("\n- My  shell lines 1-3:\n  a\n\n  2 |  b\n  3 |\n\n- B line 4:\n")
    assert records is not None
    assert [record["text"] for record in records] == ["a\n\n b\n", ""]
    assert [record["terminalId"] for record in records] == ["my-shell", "b"]
    assert [(record["lineStart"], record["lineEnd"]) for record in records] == [(1, 3), (4, 4)]


def test_terminal_bodies_that_are_none() -> None:
    for body in ("", "  orphan\n- B line 1:", "- B:\n  x", "- line 1:", "- B line \u0663:", "x"):
        assert read_terminals(body) is None


def test_an_element_s_fields_and_sections() -> None:
    body = "- <MyBox> (b.tsx:1):\n  styles:\n    a: b;\n\n  c: d\n  html:\n      <i>\n  url: u\n  x"
    (record,) = read_elements(body) or []
    assert (record["styles"], record["htmlPreview"], record["pageUrl"]) == ("a: b;", "  <i>", "u")
    assert (record["label"], record["tagName"], record["componentName"]) == (
        "<MyBox>",
        "mybox",
        "MyBox",
    )
    assert (record["selector"], record["source"]) == (None, None)


def test_a_location_without_column_or_line() -> None:
    def source(written: str) -> list[object]:
        (record,) = read_elements(f"- <p>:\n  source: {written}") or []
        return [record["source"][key] for key in ("fileName", "lineNumber", "columnNumber")]

    assert source("C:\\a.py") == ["C:\\a.py", None, None]
    assert source("a.py:3") == ["a.py", 3, None]
    assert source("a:b:12345678901234567") == ["a:b:12345678901234567", None, None]


def test_a_header_without_a_tag_is_malformed() -> None:
    assert read_elements("- button:\n  url: x") is None
    assert read_preview("Page: x\n<element_context>\n- button:\n</element_context>") is None


def test_a_page_that_is_an_address_is_no_title() -> None:
    (record,) = read_preview("Page: HTTPS://example.org/a \nComment: c: d\nComment: e") or []
    assert (record["pageUrl"], record["pageTitle"]) == ("HTTPS://example.org/a", None)
    assert record["label"] == "HTTPS://example.org/a"
    assert record["comment"] == "c: d"
    assert "elements" not in record


def test_an_empty_preview_is_malformed() -> None:
    assert read_preview("\n ") is None


def review(text: str) -> dict | None:
    (block,) = find_blocks(text)
    return read_review(text, block)


def test_a_review_takes_its_language_from_the_first_word() -> None:
    attributes = 'filePath="a/b.py" sectionId="s" startIndex=" 2 " endIndex="1"'
    record = review(f"<review_comment {attributes}>w\n```py title\n1\n```\nlost</review_comment>")
    assert record is not None
    assert (record["text"], record["diff"], record["fenceLanguage"]) == ("w", "1", "py")
    assert (record["startIndex"], record["endIndex"], record["label"]) == (1, 2, "b.py line")


def test_numbers_of_a_review_have_at_most_16_digits() -> None:
    for number in ("", "1x", "-1", "1" * 17):
        attributes = f'filePath="a" sectionId="s" startIndex="{number}" endIndex="1"'
        assert review(f"<review_comment {attributes}></review_comment>") is None
