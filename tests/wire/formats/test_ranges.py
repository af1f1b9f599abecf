"""The range of a citation: its claim, or what is between the citations."""

from citestream import Turn
from citestream.turns import Citation, PartInput
from citestream.wire.formats.ranges import Ranges

MARKER = "\ue200cite\ue202a\ue201"


def cited(raw: str, *include: str) -> list[Citation]:
    turn = Turn(parts=[PartInput("t", 1, "a")], include=include)  # type: ignore[arg-type]
    turn.feed(raw)
    turn.finish()
    return list(turn.answer().citations)


def test_the_claim_is_the_range() -> None:
    ranges = Ranges("rune")
    found = [ranges.of(one) for one in cited(f"One. Two{MARKER}. Six{MARKER}.", "claim")]
    assert found == [(5, 9, 9), (10, 14, 14)]


def test_without_a_claim_it_is_what_lies_between() -> None:
    ranges = Ranges("rune")
    found = [ranges.of(one) for one in cited(f"One{MARKER}{MARKER} two{MARKER}")]
    assert found == [(0, 3, 3), (0, 3, 3), (3, 7, 7)]


def test_other_units() -> None:
    raw = f"🗼 é{MARKER}"
    for unit, end in (("utf16", 4), ("utf8", 7)):
        [one] = cited(raw, "claim", "offsets")
        assert Ranges(unit).of(one) == (0, end, end)  # type: ignore[arg-type]
