"""What every list of dialects keeps to, whatever its markers look like.

The rule of reading is spelled out in :func:`reading`: place by place over the whole text, with a
fresh candidate at each place and the code read from the beginning. The machine has to agree for
every cut, after every character, and through a snapshot anywhere.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from random import Random
from typing import NamedTuple

from tests.chunking import every_cut
from tests.citations.known import Sources

from citestream.citations.dialects import FAILED, OPEN, Before, Dialect, Known, Recogniser
from citestream.citations.markdown_code import CodeReader
from citestream.citations.options import EngineOptions
from citestream.citations.scanner import Scanner

OPTIONS = EngineOptions()


class Read(NamedTuple):
    """What a text comes to: what a reader has, what markers name, how many candidates failed."""

    shown: str
    named: list[tuple[str, str]]
    failed: int


def reading(dialects: Sequence[Dialect], known: Known, text: str, *, ended: bool = True) -> Read:
    """Read ``text`` by the rule; unless it has ended, up to the leftmost place that is open."""
    recognisers = [dialect.recogniser(known) for dialect in dialects]
    shown, named, failed, place = "", [], 0, 0
    while place < len(text):
        code = CodeReader()
        code.read(text, 0, place)
        before = Before(place, text[max(0, place - 2) : place], code.in_prefix)
        taken, undecided, opened, kept = None, False, False, True
        for one in recognisers:
            one.ended = ended
            if text[place] not in {head[0] for head in one.heads}:
                continue
            if one.printable and code.covers(text[place]):
                continue
            if one.asks_before and not one.may_begin(before):
                continue
            one.begin()
            length = one.advance(text, place)
            end = place + length
            if length == OPEN or (length != FAILED and one.asks_after and end == len(text)):
                undecided = undecided or (not ended and taken is None)
                if not ended and taken is None:
                    kept = kept and one.kept
            if length in (OPEN, FAILED) or (
                one.asks_after and not one.may_end(text[end : end + 1])
            ):
                opened = opened or one.opened
            elif taken is None and not undecided:
                taken = one.marker(text, place, end), end
        if undecided:
            return Read(
                shown + (_before_heads(recognisers, text[place:]) if kept else ""), named, failed
            )
        if taken:
            marker, end = taken
            shown += text[place:end] if marker.kept else marker.shown
            named += [pair[:2] for pair in marker.named]
            place = end
        else:
            failed += opened
            shown += text[place]
            place += 1
    return Read(shown, named, failed)


def _before_heads(recognisers: Iterable[Recogniser], text: str) -> str:
    """What may be shown of a marker that stays: up to where another candidate may begin in it."""
    heads = [head for one in recognisers for head in one.heads]
    for place in range(1, len(text)):
        if any(head.startswith(text[place : place + len(head)]) for head in heads):
            return text[:place]
    return text


def machine(dialects: Sequence[Dialect], known: Known) -> Scanner:
    return Scanner(OPTIONS, dialects, known)


def fed(dialects: Sequence[Dialect], known: Known, deltas: Iterable[str]) -> Read:
    """What the machine makes of the deltas."""
    scanner = machine(dialects, known)
    shown = "".join([scanner.feed(delta) for delta in deltas]) + scanner.finish()
    assert scanner.text() == shown
    assert scanner.held() == 0
    named = sorted((entry.source_id, entry.locator) for entry in scanner.take())
    return Read(shown, named, scanner.invalid_markers)


def carried(dialects: Sequence[Dialect], known: Known, text: str) -> Read:
    """The same one character at a time, through a snapshot in JSON after each."""
    scanner = machine(dialects, known)
    shown = ""
    for character in text:
        shown += scanner.feed(character)
        state = json.loads(json.dumps(scanner.snapshot()))
        other = machine(dialects, known)
        other.recall(state, shown)
        assert other.snapshot() == scanner.snapshot()
        scanner = other
    shown += scanner.finish()
    named = sorted((entry.source_id, entry.locator) for entry in scanner.take())
    return Read(shown, named, scanner.invalid_markers)


class DialectContract:
    """Inherit, and say what is read: a test of each law is run over pieces put together."""

    dialects: Sequence[Dialect]
    known: Sources
    pieces: Sequence[str]
    """Markers, broken ones, and what may be beside them."""
    bounds: Sequence[tuple[str, str, str, int]] = ()
    """For each bound: how its markers begin, what fills them, how they end, and the bound."""

    def agrees(self, text: str) -> None:
        expected = reading(self.dialects, self.known, text)
        expected = expected._replace(named=sorted(expected.named))
        for deltas in ([text], list(text)):
            assert fed(self.dialects, self.known, deltas) == expected
        assert carried(self.dialects, self.known, text) == expected

    def texts(self, count: int) -> Iterator[str]:
        """Yield so many texts of up to 7 pieces, each time the same."""
        chance = Random(1)  # noqa: S311
        for _ in range(count):
            yield "".join(chance.choice(self.pieces) for _ in range(chance.randrange(8)))

    def test_each_piece_and_each_pair(self) -> None:
        for first in self.pieces:
            self.agrees(first)
            for second in self.pieces:
                text = first + second
                expected = reading(self.dialects, self.known, text)
                expected = expected._replace(named=sorted(expected.named))
                assert fed(self.dialects, self.known, [text]) == expected, text
                assert fed(self.dialects, self.known, text) == expected, text

    def test_every_cut(self) -> None:
        for piece in self.pieces:
            text = f"x {piece} y"
            expected = fed(self.dialects, self.known, [text])
            for deltas in every_cut(text):
                assert fed(self.dialects, self.known, deltas) == expected, deltas

    def test_the_rule_of_reading(self) -> None:
        for text in self.texts(60):
            self.agrees(text)

    def test_nothing_outside_an_open_candidate_is_held(self) -> None:
        for text in self.texts(40):
            scanner = machine(self.dialects, self.known)
            shown = ""
            for end, character in enumerate(text, 1):
                shown += scanner.feed(character)
                expected = reading(self.dialects, self.known, text[:end], ended=False)
                assert shown == expected.shown, text[:end]

    def test_bounds(self) -> None:
        for begins, fills, ends, bound in self.bounds:
            for length in (bound - 1, bound, bound + 1):
                filled = (fills * length)[: length - len(begins) - len(ends)]
                marker = begins + filled + ends
                assert len(marker) == length
                shown = fed(self.dialects, self.known, [marker]).shown
                assert (marker not in shown) == (length <= bound), length
                assert fed(self.dialects, self.known, marker).shown == shown
            scanner = machine(self.dialects, self.known)
            held = [scanner.feed(sign) == "" for sign in begins + (fills * bound)[:bound]]
            assert all(held[: bound - len(ends)])
            assert not all(held[: bound - len(ends) + 1])
