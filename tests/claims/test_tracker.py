"""Claims: the tracker against the slow reference, and the laws that it keeps."""

import json

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.claims import reference
from tests.claims.reference import Marker

from citestream.claims import ClaimTracker

WORDS = st.sampled_from(
    [
        *"aAbZ.!?,;:—–-()[]|\\*_~>#'\"“”…",
        *" \t\n\r\xa0\u2028\u0301\u200d🎉中あ。3٣½+",
        "\n\n",
        "\r\n",
        ". ",
        "! ",
        "? ",
        "… ",
        "\n- ",
        "\n- [x] ",
        "\n12. ",
        "\n## ",
        "\n> ",
        "\n| ",
        " | ",
        " \\| ",
        "Dr. ",
        "z. B. ",
        "v. Chr. ",
        "No. ",
        "3. ",
        "Mai ",
        "Maier ",
        "J. ",
        "U.S. ",
        "word",
        "Word ",
        "it is ",
        "[1]",
        "[2, 3]",
        "[^4",
        "]",
        "**",
        "5",
        "-5",
    ]
)
MARKER, KEPT, OPEN, CLOSE = "<m>", "<k>", "<o>", "<c>"
PIECES = st.lists(WORDS | st.sampled_from([MARKER, MARKER, MARKER, KEPT, OPEN, CLOSE]), max_size=40)

Found = tuple[tuple[int, int], str, list[tuple[int, int]]]
"""A claim, its words, and both its ends in UTF-16 units and bytes."""


def laid_out(pieces: list[str]) -> tuple[str, list[Marker], list[tuple[int, int]]]:
    """Return the text, its markers in order, and what is open from which place to which."""
    text, opened = "", -1
    markers: list[Marker] = []
    spans: list[tuple[int, int]] = []
    for piece in pieces:
        if piece == MARKER:
            markers.append(Marker(len(text)))
        elif piece == KEPT:
            text += "[7]"
            markers.append(Marker(len(text), len(text) - 3))
        elif piece == OPEN:
            opened = len(text)
        elif piece == CLOSE and opened >= 0:
            markers.append(Marker(len(text), None, (opened, len(text))))
            spans.append((opened, len(text)))
            opened = -1
        elif piece not in (OPEN, CLOSE):
            text += piece
    return text, markers, spans


def tracked(
    text: str,
    markers: list[Marker],
    spans: list[tuple[int, int]],
    cuts: list[int],
    *,
    numbers: bool,
    restore: bool,
) -> list[Found]:
    """Return what a tracker says where the text is fed up to each cut, and each marker then."""
    options = {"numbers": numbers, "words": True, "units": True}
    tracker = ClaimTracker(**options)
    found: list[Found] = []
    fed = 0
    for cut in [*sorted({cut % (len(text) + 1) for cut in cuts}), len(text)]:
        tracker.feed(text[fed:cut])
        tracker.open([start for start, end in spans if start <= cut and end >= fed])
        fed = cut
        while len(found) < len(markers) and markers[len(found)].offset <= fed:
            offset, before, said = markers[len(found)]
            claim = tracker.claim(offset, kept="7" if before is not None else None, said=said)
            found.append((claim, tracker.words(claim), [tracker.units(end) for end in claim]))
        if restore:
            tracker = ClaimTracker.restore(json.loads(json.dumps(tracker.snapshot())), **options)
    return found


@settings(max_examples=1500, deadline=None)
@given(PIECES, st.lists(st.integers(0, 200), max_size=8), st.booleans(), st.booleans())
def test_the_tracker_says_what_the_reference_says(
    pieces: list[str], cuts: list[int], numbers: bool, restore: bool
) -> None:
    text, markers, spans = laid_out(pieces)
    if numbers:  # no marker is inside of a bracket of numbers
        brackets = [found.span() for found in reference.BRACKET.finditer(text)]
        assume(not any(a < one.offset < b for a, b in brackets for one in markers))
    else:
        markers = [one for one in markers if one.before is None]
    past = reference.as_read(text, numbers=numbers)
    expected = [
        ((start, end), past[start:end], [units(text[:start]), units(text[:end])])
        for start, end in reference.claims(text, markers, numbers=numbers)
    ]
    assert tracked(text, markers, spans, cuts, numbers=numbers, restore=restore) == expected


def units(text: str) -> tuple[int, int]:
    return len(text.encode("utf-16-le")) // 2, len(text.encode())


def test_a_long_claim_keeps_its_end() -> None:
    tracker = ClaimTracker(words=True)
    text = "word " * 1000
    for at in range(0, len(text), 50):
        tracker.feed(text[at : at + 50])
        tracker = ClaimTracker.restore(tracker.snapshot(), words=True)
    claim = tracker.claim(len(text))
    assert claim == (0, len(text) - 1)
    assert tracker.words(claim) == text[-2002:-1]
    assert len(json.dumps(tracker.snapshot())) < 3000


@pytest.mark.parametrize(
    "text", ["The limit is 450 mg in one dose. ", "一句话说明上限。", "- item\n"]
)
def test_the_state_stays_small(text: str) -> None:
    tracker = ClaimTracker(numbers=True, words=True, units=True)
    for _ in range(300):
        tracker.feed(text)
        assert len(json.dumps(tracker.snapshot())) < 1200
