"""Rows of entries where the vectors do not reach."""

from typing import Any

from citestream.context.entries import entry_rows

TERMINAL: dict[str, Any] = {"kind": "terminal", "terminalLabel": "T", "lineStart": 5}
REVIEW: dict[str, Any] = {
    "kind": "review-comment",
    "filePath": "a.py",
    "startIndex": 1,
    "endIndex": 2,
    "rangeLabel": " ",
    "sectionTitle": "\n",
    "text": " \n",
    "diff": "\r\n",
    "fenceLanguage": " ",
}
PREVIEW: dict[str, Any] = {
    "kind": "preview-annotation",
    "pageUrl": "",
    "pageTitle": None,
    "comment": "",
    "targetSummary": " ",
    "styleChanges": ["", " \n"],
}


def test_lines_of_a_terminal_end_at_every_line_end() -> None:
    record = {**TERMINAL, "lineEnd": 2**53 - 1, "text": "a\r\nb\rc\u2028d"}
    assert entry_rows(record) == ["terminal: T", "5 | a", "6 | b", "7 | c\u2028d"]


def test_an_empty_excerpt_has_its_one_line() -> None:
    assert entry_rows({**TERMINAL, "lineEnd": 5, "text": ""}) == ["terminal: T", "5 | "]


def test_blank_fields_of_a_review_are_left_out() -> None:
    assert entry_rows(REVIEW) == ["file: a.py", "range: (1-2)"]


def test_a_fence_language_has_one_row() -> None:
    rows = entry_rows({**REVIEW, "fenceLanguage": "py\ndiff", "diff": "+x\r-y"})
    assert rows[2:] == ["py diff:", "  +x", "  -y"]


def test_a_review_that_is_not_stale_does_not_say_so() -> None:
    assert entry_rows({**REVIEW, "sourceStale": False}) == entry_rows(REVIEW)


def test_an_empty_annotation_has_no_rows() -> None:
    assert entry_rows(PREVIEW) == []


def test_a_column_needs_its_line() -> None:
    source = {"functionName": None, "fileName": "a.py", "lineNumber": None, "columnNumber": 3}
    element = {"pageUrl": "", "tagName": "p", "pageTitle": None, "selector": None}
    element |= {"componentName": None, "source": source, "htmlPreview": "", "styles": ""}
    rows = entry_rows({**PREVIEW, "elements": [element]})
    assert rows == ["element 1:", "  tag: p", "  source: a.py"]
