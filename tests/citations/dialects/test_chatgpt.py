"""The families of ``chatgpt``: what each names and shows, and what "drop" leaves."""

import pytest
from tests.citations.dialects.beside import BESIDE
from tests.citations.dialects.contract import DialectContract, fed
from tests.citations.known import Sources

from citestream.citations import Engine, EngineOptions
from citestream.citations.dialects.chatgpt import CHATGPT
from citestream.citations.dialects.guide import GUIDE

S, D, E = "\ue200", "\ue202", "\ue201"

PIECES = (
    f"{S}cite{D}a{E}",
    f"{S}url{D}Home page{D}a{E}",
    f'{S}entity{D}["p", "Ann"]{E}',
    f"{S}x_y{E}",
    f"{S}cite{D}",
    f"{S}fil",
    S,
    D,
    E,
    "\ue203",
    "\ue204",
    "\ue206",
    "_a",
    *BESIDE,
)


class TestChatgpt(DialectContract):
    dialects = (CHATGPT,)
    known = Sources()
    pieces = PIECES
    bounds = ((f"{S}x{D}", "y", E, 4096), (S, "f", E, 34))


class TestAmongOthers(DialectContract):
    dialects = (GUIDE, CHATGPT)
    known = Sources()
    pieces = PIECES


def read(marker: str) -> tuple[str, list[tuple[str, str]], int]:
    engine = Engine(EngineOptions(dialect="chatgpt"))
    shown = engine.feed(marker) + engine.finish()
    return shown, [(one.source_id, one.locator) for one in engine.take()], engine.widgets


@pytest.mark.parametrize(
    ("fields", "shown", "named", "widgets"),
    [
        (["cite", "a", "/x", "b"], "", [("a", "/x"), ("b", "")], 0),
        (["cite", *["a"] * 40], "", [("a", "")] * 40, 0),
        (["filecite", " ", "x y", "a "], "", [("a", "")], 0),
        (["navlist", "a", "b", "c d", ""], "", [("b", "")], 0),
        (["navlist"], "", [], 0),
        (["url", " T ", "a", "b:c"], "T", [("a", "")], 0),
        (["video", "\ue203T\ue206"], "T", [], 0),
        (["link_title", ""], "", [], 0),
        (["url"], "", [], 0),
        (["entity", '["x", "y"]', "z"], "y", [], 0),
        (["entity", '["x", "  "]'], "", [], 1),
        (["entity", '["x", "a\\ud83d"]'], "a\ufffd", [], 0),
        (["entity", '["x", "y", NaN]'], "", [], 1),
        (["entity", "[" * 4000], "", [], 1),
        (["entity", '["x"]'], "", [], 1),
        (["entity", '"xy"'], "", [], 1),
        (["other", "a"], "", [], 1),
    ],
)
def test_families(
    fields: list[str], shown: str, named: list[tuple[str, str]], widgets: int
) -> None:
    assert read(S + D.join(fields) + E) == (shown, named, widgets)


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        (f"{S}cite{D}a b\n", " b\n"),
        (f"{S}filecite{D}a b\n", " b\n"),
        (f"{S}filecite x", "filecite x"),
        (f"{S}filecite", ""),
        (f"{S}fil\n", "fil\n"),
        (f"{S}navlist{D}a b\n", "a b\n"),
        (f"{S}navlist x", "navlist x"),
        (f"{S}Navlist", "Navlist"),
        (f"{S}{'f' * 33}{E}", "f" * 33),
        (f"{E}{D}x", "x"),
        (f"{S}{S}x\n", "x\n"),
    ],
)
def test_what_drop_leaves(text: str, rest: str) -> None:
    for deltas in ([text], text):
        engine = Engine(EngineOptions("drop", dialect="chatgpt"))
        assert "".join([engine.feed(delta) for delta in deltas]) + engine.finish() == rest


def claims(text: str) -> list[tuple[int, tuple[int, int] | None]]:
    engine = Engine(EngineOptions(dialect=["chatgpt", "numbers"]), Sources(["1"]))
    for character in text:
        engine.feed(character)
    engine.finish()
    return [(one.offset, one.span) for one in engine.take()]


A = f"{S}cite{D}a{E}"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (f"x \ue203yz\ue204{A}", [(4, (2, 4))]),
        (f"\ue203yz\ue204. {A}{A}", [(4, (0, 2)), (4, (0, 2))]),
        (f"\ue203yz\ue204 w{A}", [(4, None)]),
        (f"\ue203yz{A}", [(2, None)]),
        (f"yz\ue204{A}", [(2, None)]),
        (f"\ue203y\ue203z\ue204{A}", [(2, (1, 2))]),
        (f"\ue203yz\ue204[1]{A} w", [(5, (0, 2)), (5, (0, 2))]),
        (f"\ue203yz\ue204[2]{A}", [(5, None)]),
    ],
)
def test_claim_signs(text: str, found: list[tuple[int, tuple[int, int] | None]]) -> None:
    assert claims(text) == found


def test_what_is_shown_is_counted_once() -> None:
    assert fed((CHATGPT,), Sources(), [f"{S}url{D}x{E}{S}"]) == (f"x{S}", [], 1)
