"""Drafts where the vectors do not reach."""

from typing import Any

import pytest

from citestream.context import hydrate_draft, prune_draft, rebind_attachments

A = "[a](t3-context://v1/terminal/a)"
B = "[b](t3-context://v1/terminal/b)"


def terminal(id_: str, **more: Any) -> dict[str, Any]:
    return {"contextId": id_, "kind": "terminal", "label": id_, **more}


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (A, ""),
        (f"{A} x", "x"),
        (f"x {A}", "x"),
        (f"x {A}{A}{A} y", "x y"),
        (f"x {A} {A}", "x"),
        (f"x  {A}{A}", "x "),
        (f"x {A} {A} y", "x y"),
        (f"({A})", "()"),
        (f"(x {A})", "(x)"),
        (f"x\n{A}\ny", "x\n\ny"),
        (f"{A}{B} {A}", B),
        (f"{A} {B} {A} y", f"{B} y"),
        (f" {A}{A}", ""),
    ],
)
def test_expired_excerpts_leave_with_one_blank(text: str, left: str) -> None:
    records = [terminal("a", expired=True), terminal("b")]
    assert prune_draft(text, records).text == left


def test_only_terminals_expire_and_only_by_true() -> None:
    records = [
        {"contextId": "a", "kind": "file", "expired": True},
        terminal("b", expired="yes"),
        "junk",
        None,
        {"contextId": ["a"]},
    ]
    draft = prune_draft(f"{A} {B}", records)
    assert (draft.text, draft.records) == (f"{A} {B}", records[:2])


def test_records_that_json_cannot_write_are_left_out() -> None:
    good = terminal("a", note="\ud800")
    records = [terminal("a", size=float("nan")), good]
    kept = [{**good, "note": "\ufffd"}]
    assert prune_draft(A, records).records == kept
    assert rebind_attachments(records, {}) == kept


def test_rebinding_happens_once_and_leaves_its_input() -> None:
    records = [{"kind": "image", "attachmentId": "a"}, {"kind": "file", "attachmentId": 1}, 3]
    rebound = rebind_attachments(records, {"a": "b", "b": "c"})
    assert rebound == [{"kind": "image", "attachmentId": "b"}, *records[1:]]
    assert records[0] == {"kind": "image", "attachmentId": "a"}


@pytest.mark.parametrize(
    ("text", "hydrated"),
    [
        ("", f"{A} {B}"),
        ("x", f"{A} {B} x"),
        ("\nx", f"{A} {B}\nx"),
        (f"x {B}", f"{A} x {B}"),
        ("\ufffc\ufffc\ufffc", f"{A}{B}"),
    ],
)
def test_hydration(text: str, hydrated: str) -> None:
    assert hydrate_draft(text, [terminal("a"), terminal("b")], []) == hydrated


def test_hydration_is_idempotent_and_leaves_other_texts() -> None:
    file = {"contextId": "f", "kind": "file", "label": "f"}
    once = hydrate_draft("see \ufffc", [terminal("a"), terminal("b")], [file])
    assert hydrate_draft(once, [terminal("a"), terminal("b")], [file]) == once
    assert hydrate_draft("from a PDF: \ufffc", [], []) == "from a PDF: \ufffc"


def test_a_record_without_a_usable_id_has_no_link() -> None:
    assert hydrate_draft("x", [{"kind": "terminal"}, terminal("a b"), 3], [None]) == "x"
