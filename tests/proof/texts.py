"""Raw answers for the proofs: the fragments they are made of, and how they are cut into deltas.

It holds inputs only. It must not know what any of them comes to.
"""

from collections.abc import Iterator
from random import Random
from typing import Any

from hypothesis import strategies as st
from tests.proof.reference import DELIM, HEAD, START, STOP

KNOWN = {
    "a": "tool",
    "tool_data_01": "tool",
    "tool_data_02": "tool",
    "s": "tool",
    "user_text_01": "user",
    "note": "user",
}
"""The ids of a turn's parts with their origin; `note` is the user's by origin alone."""

OPTION_SETS: list[dict[str, Any]] = [
    {"invalid_markers": invalid_markers, "whitespace": whitespace}
    for invalid_markers in ("keep", "drop")
    for whitespace in ("keep", "tidy")
]

SIGNS = [START, STOP, DELIM, HEAD]
WORDS = ["c", "ci", "cite", "cited", "a", "word", "e\u0301", "\u4e2d", "\u05d0", "12", "\u0665"]
SPACES = [" ", "  ", "\t", " \t ", "\n", "\r\n", "\r", "\n  ", "\u00a0", "\u2028", "\u0085", "\x00"]
PUNCTUATION = [
    ".",
    ",",
    ":",
    ";",
    "'",
    "\u2019",
    '"',
    ")",
    "\u201d",
    "\u2026",
    "!?",
    "\u3002",
    "\u05be",
]
OTHERS = [
    "\u201c",
    "(",
    "\u2014",
    "-",
    "_",
    "*",
    "\u00ab",
    "\u300c",
    "\ue203",
    "\ufffd",
    "\u200d",
    "\x1f",
]
ASTRAL = ["\U0001f600", "\ud83d", "\ude00", "\ud83d\ude00", "\ud83d\ud83d", "\ude00\ud83d"]
SOURCES = [
    "a",
    "tool_data_01",
    "tool_data_02",
    "gone",
    "user_text_01",
    "user_data_9",
    "note",
    "/x",
    "L1",
]
LOCATORS = [
    "/",
    "/a/0",
    "/a b",
    "L8",
    "L8-L13",
    "L8-13",
    "L8-",
    "page 3",
    "",
    " ",
    " /q ",
    "L1 ",
    "l8",
]


def marker(*fields: str) -> str:
    """A marker with these fields, right or wrong."""
    return HEAD + DELIM.join(fields) + STOP


MARKERS = [
    *(marker(source) for source in SOURCES),
    *(marker("a", locator) for locator in LOCATORS),
    marker(" a ", " /q ", "  ", "tool_data_02", "L1"),
    marker("a", "gone", "/x", "/y", "note", "s", "L2-L3"),
    marker("\U0001f600", "\u00e9", "\ud83d"),
    marker("a", "\u00a0/x", "x\u2028y", "\u3000"),
    marker("a" + DELIM),
]
BROKEN = [
    *(
        whole[:end]
        for whole in (marker("a"), marker(" a ", "/x", "s"))
        for end in range(1, len(whole))
    ),
    marker(""),
    marker(" "),
    marker("", "a"),
    marker("a b"),
    marker("a", "x\ty"),
    marker("a", "x\ny"),
    marker("a\u00a0"),
    f"{START}cite{STOP}",
    f"{START}cite a{STOP}",
    f"{START}Cite{DELIM}a{STOP}",
    f"{START}turn{DELIM}a{STOP}",
    HEAD + marker("a"),
    START + marker("a") + STOP,
    marker("a", START + "cite" + DELIM + "s"),
]


def of_length(length: int, fields: int) -> str:
    """A marker of exactly this many code points, most of them in `fields` fields of one size."""
    room = length - len(HEAD) - len("a") - len(STOP) - fields
    sizes = [room // fields + (1 if place < room % fields else 0) for place in range(fields)]
    return marker("a", *("/" + "y" * (size - 1) for size in sizes))


AT_LIMITS = [
    *(marker("x" * size) for size in (127, 128, 129)),
    *(marker(f"  {'x' * size}  ") for size in (128, 129)),
    *(marker("a", "x" * size) for size in (127, 128, 129)),
    *(marker("a", "/" + "y" * (size - 1), "s") for size in (1023, 1024, 1025)),
    *(marker("a", " " * 500 + "/" + "y" * (size - 501)) for size in (1024, 1025)),
    *(marker("a", "L" + "9" * (size - 1)) for size in (1024, 1025)),
    *(marker(*["s"] * count) for count in (31, 32, 33)),
    *(marker("s", *[""] * count) for count in (31, 32)),
    *(of_length(length, 4) for length in (4095, 4096, 4097, 4098)),
    *(of_length(length, 31) for length in (4096, 4097)),
    *(marker(" " * size + "a") for size in (4087, 4088, 4089, 4090, 4091)),
    *(marker("a" + " " * size) for size in (4087, 4088, 4089, 4090)),
    *(
        marker("a", *["/" + "\U0001f600" * 1000] * 4, " " * size)
        for size in (71, 72, 73, 74, 75, 76, 77)
    ),
    HEAD + " " * 4088,
    HEAD + " " * 4089,
    HEAD + " " * 4090,
    of_length(4096, 4)[:-1],
    of_length(4097, 4)[:-1],
    START * 50,
    HEAD * 50,
]

SMALL = [SIGNS, WORDS, SPACES, PUNCTUATION, OTHERS, ASTRAL, MARKERS, BROKEN]

fragments = st.sampled_from(SMALL).flatmap(st.sampled_from)
anything = st.text(st.characters(exclude_categories=()), max_size=3)
texts = st.lists(fragments | fragments | anything, max_size=12).map("".join)
"""Short raw answers."""

long_texts = st.tuples(texts, st.sampled_from(AT_LIMITS), texts).map("".join)
"""Raw answers with a marker just inside or just beyond a limit."""

options = st.sampled_from(OPTION_SETS)


@st.composite
def cuts(draw: st.DrawFn, text: str) -> list[str]:
    """The text as deltas, some of them empty."""
    places = draw(st.lists(st.integers(0, len(text)), max_size=8).map(sorted))
    return at_places(text, places)


def at_places(text: str, places: list[int]) -> list[str]:
    """The text cut at these places, which ascend."""
    ends = [*places, len(text)]
    return [text[start:end] for start, end in zip([0, *places], ends, strict=True)]


def every_cut_in_two(text: str) -> Iterator[list[str]]:
    """All the ways to cut the text into two deltas."""
    return (at_places(text, [place]) for place in range(len(text) + 1))


def random_text(random: Random) -> str:
    """A raw answer of up to 30 fragments, a marker at a limit in one of twenty."""
    chosen = [random.choice(random.choice(SMALL)) for _ in range(random.randrange(30))]
    if random.random() < 0.05:
        chosen.insert(random.randrange(len(chosen) + 1), random.choice(AT_LIMITS))
    return "".join(chosen)


def random_cuts(random: Random, text: str) -> list[str]:
    """The text as deltas: one piece, one character a delta, or cut at up to ten places."""
    shape = random.randrange(4)
    if shape == 0:
        return list(text)
    places = [random.randint(0, len(text)) for _ in range(random.randrange(10))]
    return at_places(text, sorted(places)) if shape > 1 else [text]
