"""The port, proved with dialects that exist here alone: context, tags, shown text, and a list."""

import re
from typing import Any

from tests.citations.dialects.contract import DialectContract, fed
from tests.citations.known import Sources

from citestream.citations import DIALECTS
from citestream.citations.dialects import (
    FAILED,
    OPEN,
    Before,
    Dialect,
    Known,
    Marker,
    Recogniser,
)
from citestream.citations.dialects.dialect import only


class Braced(Recogniser):
    """``{3}``, but not after a letter and not before ``=``."""

    heads = ("{",)
    asks_before = True
    asks_after = True

    def may_begin(self, before: Before) -> bool:
        return not before.last[-1:].isalpha()

    def may_end(self, after: str) -> bool:
        return after != "="

    def advance(self, text: str, at: int) -> int:
        whole = re.compile(r"\{[0-9]{1,4}\}").match(text, at)
        if whole:
            return whole.end() - at
        return OPEN if re.compile(r"\{[0-9]{0,4}").fullmatch(text, at) else FAILED

    def marker(self, text: str, at: int, end: int) -> Marker:
        return Marker(only([text[at + 1 : end - 1]]))


class Enclosing(Recogniser):
    """``((a:`` opens, ``))`` closes what is owed."""

    heads = ("((", "))")

    def __init__(self) -> None:
        super().__init__()
        self.owed = 0

    def advance(self, text: str, at: int) -> int:
        if text[at] == ")":
            if text[at : at + 2] == "))":
                return 2 if self.owed else FAILED
            return OPEN if len(text) == at + 1 else FAILED
        whole = re.compile(r"\(\([a-z]{1,3}:").match(text, at)
        if whole:
            return whole.end() - at
        return OPEN if re.compile(r"\((?:\([a-z]{0,3})?").fullmatch(text, at) else FAILED

    def marker(self, text: str, at: int, end: int) -> Marker:
        if text[at] == ")":
            self.owed -= 1
            return Marker(role="close", tag="(")
        self.owed += 1
        return Marker(only([text[at + 2 : end - 1]]), role="open", tag="(")

    def state(self) -> Any:
        return self.owed

    def recall(self, state: Any) -> None:
        self.owed = state


class Showing(Recogniser):
    """``~a=words~`` shows its words, when ``a`` is known as it closes."""

    heads = ("~",)

    def __init__(self, known: Known) -> None:
        super().__init__()
        self.known = known

    def advance(self, text: str, at: int) -> int:
        whole = re.compile(r"~([a-z]+)=([a-z ]{0,9})~").match(text, at)
        if whole:
            return whole.end() - at if self.known(whole[1]) else FAILED
        self.opened = text[at : at + 2] == "~a"
        begun = re.compile(r"~(?:[a-z]*|[a-z]+=[a-z ]{0,9})").fullmatch(text, at)
        return OPEN if begun else FAILED

    def marker(self, text: str, at: int, end: int) -> Marker:
        key, shown = text[at + 1 : end - 1].split("=")
        return Marker(only([key]), shown)


class Syntax:
    stray_signs = ""

    def __init__(self, name: str) -> None:
        self.name = name

    def recogniser(self, known: Known, /) -> Recogniser:
        if self.name == "braced":
            return Braced()
        return Enclosing() if self.name == "enclosing" else Showing(known)


BRACED, ENCLOSING, SHOWING = Syntax("braced"), Syntax("enclosing"), Syntax("showing")
BESIDE = ["x", " ", "\n", "\n\n", ".", "`", "```\n", "> ", "- ", "\\", "=", "\u4e2d"]


class TestBraced(DialectContract):
    dialects = (BRACED,)
    known = Sources()
    pieces = ("{1}", "{12", "{", "}", "{x}", "{{3}", "a{1}", "{1}=", *BESIDE)
    bounds = (("{", "1", "}", 6),)

    def test_context(self) -> None:
        assert fed(self.dialects, self.known, ["a{1} {2}= {3}."]).shown == "a{1} {2}= ."


class TestEnclosing(DialectContract):
    dialects = (ENCLOSING,)
    known = Sources()
    pieces = ("((a:", "))", "(", ")", "((", "((abcd:", "in it", *BESIDE)

    def test_what_is_owed(self) -> None:
        found = fed(self.dialects, self.known, [")) ((a:x)) y))"])
        assert found == (")) x y))", [("a", "")], 0)


class TestShowing(DialectContract):
    dialects = (SHOWING,)
    known = Sources(["a", "ab"])
    pieces = ("~a=b c~", "~x=b~", "~ab=~", "~", "~a=", "~a", "=d~", *BESIDE)

    def test_it_asks_when_it_closes(self) -> None:
        assert fed(self.dialects, self.known, ["~a=b~ ~x=b~"]) == ("b ~x=b~", [("a", "")], 0)


class TestSeveral(DialectContract):
    dialects = (SHOWING, BRACED, ENCLOSING)
    known = Sources(["a"])
    pieces = ("~a=b~", "~a=", "~x{1}~", "{1}", "{", "((a:", "))", "~a=((b:", "{1", "}", *BESIDE)


class TestOneOpener(DialectContract):
    """Several candidates at one place: the first of the list, as soon as that is known."""

    dialects = (BRACED, DIALECTS["numbers"], BRACED)
    known = Sources(["1"])
    pieces = ("{1}", "[1]", "[1", "{", "[", "]", "(", ":", "[9]", *BESIDE)


def test_each_stands_in_the_table_under_its_name() -> None:
    for name, dialect in DIALECTS.items():
        assert dialect.name == name


def test_no_head_of_a_printable_dialect_is_a_letter_or_a_backtick() -> None:
    """A letter or backtick would be code or not by what follows it."""
    for dialect in DIALECTS.values():
        recogniser = dialect.recogniser(Sources())
        assert recogniser.heads
        for head in recogniser.heads:
            assert head[0].isprintable() == recogniser.printable
            assert not head[0].isalnum()
            assert head[0] != "`"


def use(dialect: Dialect) -> Dialect:
    """The throw-away dialects keep to the protocol (a type checker sees it)."""
    return dialect


assert use(BRACED)
