"""Claims: the tracker against the slow reference, and the laws that it keeps."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.claims import reference

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
MARKER = object()
PIECES = st.lists(WORDS | st.just(MARKER), max_size=40)


def laid_out(pieces: list[object]) -> tuple[str, list[reference.Marker]]:
    """Join the pieces; return the text and a marker for each place between them."""
    text, markers = "", []
    for piece in pieces:
        if isinstance(piece, str):
            text += piece
        else:
            markers.append((len(text), None))
    return text, markers


def tracked(
    text: str, markers: list[reference.Marker], cuts: list[int], *, numbers: bool, restore: bool
) -> list[tuple[tuple[int, int], str]]:
    """Return claims and words where the text is fed up to each cut, then each marker asked for."""
    tracker = ClaimTracker(numbers=numbers, words=True)
    found: list[tuple[tuple[int, int], str]] = []
    fed = 0
    for cut in [*sorted({cut % (len(text) + 1) for cut in cuts}), len(text)]:
        tracker.feed(text[fed:cut])
        fed = cut
        while len(found) < len(markers) and markers[len(found)][0] <= fed:
            offset, before = markers[len(found)]
            claim = tracker.claim(offset, before=before)
            found.append((claim, tracker.words(claim)))
        if restore:
            state = json.loads(json.dumps(tracker.snapshot()))
            tracker = ClaimTracker.restore(state, numbers=numbers, words=True)
    return found


@settings(max_examples=1500, deadline=None)
@given(PIECES, st.lists(st.integers(0, 200), max_size=8), st.booleans(), st.booleans())
def test_the_tracker_says_what_the_reference_says(
    pieces: list[object], cuts: list[int], numbers: bool, restore: bool
) -> None:
    text, markers = laid_out(pieces)
    if numbers:  # no marker stands inside of a bracket of numbers
        spans = [found.span() for found in reference.BRACKET.finditer(text)]
        markers = [one for one in markers if not any(a < one[0] < b for a, b in spans)]
    claims = reference.claims(text, markers, numbers=numbers)
    if numbers:
        text_as_read = reference.BRACKET.sub(lambda found: " " * len(found[0]), text)
    else:
        text_as_read = text
    expected = [((start, end), text_as_read[start:end]) for start, end in claims]
    assert tracked(text, markers, cuts, numbers=numbers, restore=restore) == expected
