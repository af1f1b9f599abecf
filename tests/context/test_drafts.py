"""Drafts where the vectors do not reach."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citestream.context import (
    ContextError,
    Unit,
    parse_references,
    prune_draft,
    rebind_attachments,
    remove_records,
    remove_reference,
)

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


NOTE = {"contextId": "n", "kind": "preview-annotation", "screenshotContextId": "i"}
SHOT = {"contextId": "i", "kind": "image"}
NOTE_LINK = "[n](t3-context://v1/preview-annotation/n)"
SHOT_LINK = "![i](t3-context://v1/image/i)"


@pytest.mark.parametrize("ids", [{"n"}, {"i"}, {"n", "i"}])
def test_an_annotation_and_its_screenshot_leave_together(ids: set[str]) -> None:
    draft = remove_records(f"a {NOTE_LINK} b {SHOT_LINK} {A}", [NOTE, SHOT, terminal("a")], ids)
    assert (draft.text, draft.records) == (f"a b {A}", [terminal("a")])


def test_a_screenshot_that_another_annotation_shows_stays() -> None:
    other = {**NOTE, "contextId": "m"}
    assert remove_records("", [NOTE, other, SHOT], {"n"}).records == [other, SHOT]
    assert remove_records("", [NOTE, other, SHOT], {"i"}).records == []


def test_a_record_that_is_none_stays_and_an_empty_selection_removes_nothing() -> None:
    records = ["junk", None, {"contextId": ["a"]}, {"contextId": ""}, terminal("a")]
    assert remove_records(A, records, set()).records == records
    assert remove_records(A, records, {""}).text == A
    assert remove_records(A, records, {"a"}).records == records[:-1]


def test_one_place_of_several() -> None:
    text = f"x {A} y {A}"
    for at, left in ((2, f"x y {A}"), (text.rindex("["), f"x {A} y")):
        draft = remove_reference(text, [terminal("a")], at)
        assert (draft.text, draft.records) == (left, [terminal("a")])


def test_an_image_stays_on_its_shelf_and_its_annotation_with_it() -> None:
    draft = remove_reference(f"{SHOT_LINK} {NOTE_LINK}", [NOTE, SHOT], 0)
    assert (draft.text, draft.records) == (NOTE_LINK, [NOTE, SHOT])


def test_a_link_without_a_record_leaves_alone() -> None:
    draft = remove_reference(f"{A} {B}", [terminal("b")], 0)
    assert (draft.text, draft.records) == (B, [terminal("b")])


@pytest.mark.parametrize(
    ("at", "unit"),
    [(1, "rune"), (-1, "rune"), (99, "rune"), (1, "utf16"), (3, "utf16"), (-1, "utf16")],
)
def test_a_place_where_no_link_begins_is_the_caller_s_mistake(at: int, unit: str) -> None:
    # The cat is one code point and two UTF-16 units: the link begins at 2 and at 3.
    text = f"\U0001f408 {A}" if unit == "rune" else f"\U0001f408{A}"
    with pytest.raises(ContextError) as error:
        remove_reference(text, [], at, unit=unit)
    assert error.value.field == "at"


LINKS = st.sampled_from([A, B, NOTE_LINK, SHOT_LINK])
TEXTS = st.lists(LINKS | st.sampled_from([" ", "x", "é", "\U0001f408", "[", "!", "\n"])).map(
    "".join
)
RECORDS = [terminal("a"), terminal("b"), NOTE, SHOT]


@given(TEXTS, st.sets(st.sampled_from(["a", "b", "n", "i"])))
@settings(max_examples=2_000)
def test_what_is_removed_is_gone_and_the_rest_is_as_it_was(text: str, ids: set[str]) -> None:
    draft = remove_records(text, RECORDS, ids)
    gone = ids | ({"n", "i"} if ids & {"n", "i"} else set())
    before = [link.context_id for link in parse_references(text)]
    after = [link.context_id for link in parse_references(draft.text)]
    assert after == [id_ for id_ in before if id_ not in gone]
    assert [record["contextId"] for record in draft.records] == [
        record["contextId"] for record in RECORDS if record["contextId"] not in gone
    ]
    assert words(draft.text) == words(text)


def words(text: str) -> str:
    """What is left without links and blanks; a `!` may belong to the link after it."""
    for link in (A, B, NOTE_LINK, SHOT_LINK, " ", "!"):
        text = text.replace(link, "")
    return text


@given(TEXTS, st.sampled_from(["rune", "utf16"]))
@settings(max_examples=2_000)
def test_each_place_that_parse_gives_can_be_removed(text: str, unit: Unit) -> None:
    links = parse_references(text, unit=unit)
    for number, link in enumerate(links):
        draft = remove_reference(text, RECORDS, link.start, unit=unit)
        after = [found.context_id for found in parse_references(draft.text)]
        others = [found.context_id for found in [*links[:number], *links[number + 1 :]]]
        is_last = link.context_id not in others and link.context_id != "i"
        shown = "i" if is_last and link.context_id == "n" else None
        assert after == [id_ for id_ in others if id_ != shown]
