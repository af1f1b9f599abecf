"""Time of numbered sources and rendering on hostile texts, and how it grows when they double.

Run: python -m benchmarks.sources [KiB of a text, 128 without]. Prints each operation's slowest
texts and those that grow too fast, and ends with status 1 when a text that doubles takes more than
2.3 times as long.
"""

import gc
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial

from tests.hostile_snippets import SNIPPETS, repeated

from citestream.rendering import CitationEntry, place, render
from citestream.sources import (
    OutputTooLongError,
    Page,
    Source,
    SourceList,
    link,
    list_block,
    number_page,
)

LIMIT = 2.3
SHORTEST = 0.05
"""Seconds; below them the clock and the caches say more than the code."""
SOURCES = [Source(n, f"Title {n}", f"https://example.org/{n}") for n in (1, 2, 3)]

Build = Callable[[int], str]
TEXTS: dict[str, Build] = {
    **{repr(snippet): partial(repeated, snippet) for snippet in SNIPPETS},
    "backtick runs": lambda size: " ".join("`" * n for n in range(1, int((2 * size) ** 0.5))),
    "a [1] ": lambda size: repeated("a [1] ", size),
    "one marker after backslashes": lambda size: "\\" * size + "[1]",
    "quotes 1,000 deep": lambda size: repeated("> " * 1_000 + "a [1]\n", size),
    "blanks": lambda size: "a" + " " * size + "b",
    "one word": lambda size: "a" * size,
}


def by_offset(text: str) -> list[CitationEntry]:
    """Citations of 50 parts at 2,000 places of a text, the most a turn has."""
    step = max(len(text) // 2_000, 1)
    return [
        {"data_part_id": f"p{at % 50}", "offset": at, "source": {"url": f"https://e.org/{at % 50}"}}
        for at in range(0, len(text), step)[:2_000]
    ]


CALLS: dict[str, Callable[[str], object]] = {
    "link": lambda text: link(text, SOURCES),
    "markdown": lambda text: render(text, by_offset(text), SOURCES),
    "html": lambda text: render(text, by_offset(text), SOURCES, to="html"),
    "text": lambda text: render(text, by_offset(text), SOURCES, to="text"),
    "place": lambda text: place(text, by_offset(text), lambda _: "[x]"),
    "page": lambda text: number_page(Page(text, "https://e.org", text), SourceList()),
    "list": lambda text: list_block([Source(1, text, text)]),
}


def seconds(call: Callable[[str], object], *texts: str, runs: int) -> list[float]:
    """The best of some runs of each text in processor time, by turns; a refusal counts as well."""
    best = [float("inf")] * len(texts)
    for _ in range(runs):
        for index, text in enumerate(texts):
            gc.collect()
            start = time.process_time()
            with suppress(OutputTooLongError):
                call(text)
            best[index] = min(best[index], time.process_time() - start)
    return best


def growth(call: Callable[[str], object], build: Build, size: int) -> tuple[float, float, float]:
    """Seconds of a text, of one twice as long, and the ratio; what looks bad is measured again."""
    single = double = float("inf")
    for runs in (1, 3, 9):
        once, twice = seconds(call, build(size), build(2 * size), runs=runs)
        single, double = min(single, once), min(double, twice)
        if double < SHORTEST or double / single <= LIMIT:
            break
    return single, double, double / single if double >= SHORTEST else 0


def main(size: int) -> int:
    worst = 0.0
    for call_name, call in CALLS.items():
        found = [(*growth(call, build, size), name) for name, build in TEXTS.items()]
        slowest = sorted(found, key=lambda one: -one[1])[:5]
        for single, double, ratio, name in dict.fromkeys(
            [*slowest, *(one for one in found if one[2] > LIMIT)]
        ):
            print(f"{call_name:10}{name:30}{single:8.3f} s{double:8.3f} s{ratio:6.2f}", flush=True)
        worst = max(worst, *(one[2] for one in found))
    print(f"worst ratio {worst:.2f}, at most {LIMIT}")
    return worst > LIMIT


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1] if len(sys.argv) > 1 else 128) * 1024))
