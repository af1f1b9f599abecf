"""Our engine beside what else takes citation markers out of a stream: ``make peers``.

Each has markers of its own in the same prose: this engine; cohere-melody, the streaming parser of
Cohere's models (Rust); and a plain regular expression, once over each delta and once over all text
so far. Prints one table: time on three corpora as a multiple of a floor that only looks for a start
sign, then what became of hard cases.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from benchmarks.engine import best, cut, floor, marked, prose

from citestream.citations import Engine

try:
    import cohere_melody
except ImportError:
    cohere_melody = None

Strip = Callable[[Iterable[str]], str]
"""Returns the clean text of the deltas of an answer."""

OURS: Final = "\ue200cite\ue202tool_data_0{}\ue201"
MELODYS: Final = "<co>so</co: {}:[0]>"
BEGIN: Final = "<|START_RESPONSE|>"
MARKER: Final = re.compile("\ue200cite[^\ue200\ue201]*\ue201")
LENGTH: Final = 300_000
"""Code points of a corpus."""


def ours(deltas: Iterable[str]) -> str:
    """Strip by this engine."""
    engine = Engine()
    shown = [engine.feed(delta) for delta in deltas]
    return "".join([*shown, engine.finish()])


def melody(deltas: Iterable[str]) -> str:
    """Strip by cohere-melody, with the markers of Command models."""
    parser: Any = cohere_melody.PyFilter(cohere_melody.PyFilterOptions().cmd3())
    shown = [parser.write_decoded(BEGIN).content or ""]
    shown += [parser.write_decoded(delta).content or "" for delta in deltas]
    return "".join([*shown, parser.flush_partials().content or ""])


def regex_by_delta(deltas: Iterable[str]) -> str:
    """Strip each delta by itself."""
    return "".join(MARKER.sub("", delta) for delta in deltas)


def regex_so_far(deltas: Iterable[str]) -> str:
    """Strip all that has arrived, again with each delta, and show what is new."""
    raw = shown = ""
    for delta in deltas:
        raw += delta
        shown = MARKER.sub("", raw)
    return shown


CONTENDERS: Final[dict[str, tuple[Strip, str]]] = {
    "citestream": (ours, OURS),
    **({"cohere-melody": (melody, MELODYS)} if cohere_melody else {}),
    "regex, each delta": (regex_by_delta, OURS),
    "regex, all so far": (regex_so_far, OURS),
}
SHORT: Final = {"regex, all so far"}
"""Those whose time grows with the square: they get a thirtieth of a corpus."""


def speed(name: str, every: int, size: int) -> float:
    """Return the time on prose with a marker in each ``every`` characters, over the floor's."""
    strip, marker = CONTENDERS[name]
    length = LENGTH // 30 if name in SHORT else LENGTH
    text = marked(prose(length), every, marker) if every else prose(length)
    deltas = cut(text, size)
    return best(lambda: strip(deltas), 3) / best(lambda: floor(deltas), 3)  # type: ignore[arg-type]


def answers(name: str) -> int:
    """Return how many texts one answer gives, over all cuts in two and one by characters."""
    strip, marker = CONTENDERS[name]
    raw = f"Noon{marker.format(1)}, and{marker.format(2)} later."
    cuts = [[raw[:at], raw[at:]] for at in range(len(raw) + 1)]
    return len({strip(one) for one in (*cuts, [*raw])})


def open_marker(name: str) -> str:
    """Say what becomes of a marker that the end of the answer cuts off."""
    strip, marker = CONTENDERS[name]
    begun = marker.format(1)[:-2]
    shown = strip(["Noon", begun])
    if shown == f"Noon{begun}":
        return "shown"
    return "lost" if shown == "Noon" else f"{len(shown) - 4} of {len(begun)} signs shown"


def growth(name: str) -> float:
    """Return how the time grows when an answer of nothing but openers doubles (2.0 is linear)."""
    strip, marker = CONTENDERS[name]
    count = 4_000
    once, twice = ([marker[:4]] * size for size in (count, 2 * count))
    return best(lambda: strip(twice), 3) / best(lambda: strip(once), 3)  # type: ignore[arg-type]


def table() -> list[str]:
    """Return the rows of the table, in Markdown."""
    rows: list[Sequence[str]] = [
        (
            *("", "a marker each 200 characters, deltas of 4", "no marker", "each 30"),
            *("texts over all cuts", "open marker at the end", "openers alone, doubled"),
        )
    ]
    rows.append(["---"] * len(rows[0]))
    for name in CONTENDERS:
        speeds = [f"{speed(name, every, 4):.1f} x" for every in (200, 0, 30)]
        rows.append([name, *speeds, str(answers(name)), open_marker(name), f"{growth(name):.1f} x"])
    return [f"| {' | '.join(row)} |" for row in rows]


def main() -> None:
    """Print the table."""
    print("\n".join(table()))
    if cohere_melody is None:
        print("cohere-melody is not installed; `make peers` installs it")


if __name__ == "__main__":
    main()
