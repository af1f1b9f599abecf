"""Drafts from before references where the vectors do not reach."""

from typing import Any

import pytest

from citestream.context import hydrate_draft

A = "[a](t3-context://v1/terminal/a)"
B = "[b](t3-context://v1/terminal/b)"


def terminal(id_: str) -> dict[str, Any]:
    return {"contextId": id_, "kind": "terminal", "label": id_}


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
    assert hydrate_draft(text, [terminal("a"), terminal("b")]) == hydrated


def test_hydration_is_idempotent_and_leaves_other_texts() -> None:
    file = {"contextId": "f", "kind": "file", "label": "f"}
    once = hydrate_draft("see \ufffc", [terminal("a"), terminal("b"), file])
    assert hydrate_draft(once, [terminal("a"), terminal("b"), file]) == once


def test_a_record_without_a_usable_id_has_no_link() -> None:
    assert hydrate_draft("x", [{"kind": "terminal"}, terminal("a b"), 3, None]) == "x"


def test_placeholders_without_an_excerpt_are_removed() -> None:
    assert hydrate_draft("a\ufffcb \ufffc", []) == "ab "


def test_each_id_has_one_link_and_the_first_record_decides() -> None:
    records = [terminal("a"), {**terminal("a"), "kind": "file"}, {**terminal("f"), "kind": "file"}]
    assert hydrate_draft("x", records) == f"{A} x [f](t3-context://v1/file/f)"
