"""Time of numbered sources and rendering on hostile texts, and how it grows when they double.

Run: python benchmarks/sources.py. Ends with status 1 when a text that doubles takes more than 2.3
times as long.
"""

import gc
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "app"))

from citestream.rendering import render
from citestream.sources import OutputTooLongError, Source, link

MEGABYTE = 1_000_000
LIMIT = 2.3
SOURCES = [Source(n, f"Title {n}", f"https://example.org/{n}") for n in (1, 2, 3)]

TEXTS: dict[str, Callable[[float], str]] = {
    "one line, 100,000 markers": lambda n: "a [1] " * int(100_000 * n),
    "1 MB of backticks": lambda n: "`" * int(MEGABYTE * n),
    "1 MB of backtick runs": lambda n: " ".join("`" * k for k in range(1, int(1400 * n**0.5))),
    "1 MB of [": lambda n: "[" * int(MEGABYTE * n),
    "1 MB of [1]": lambda n: "[1]" * int(MEGABYTE * n / 3),
    "1 MB of fence lines": lambda n: "```\n" * int(MEGABYTE * n / 4),
    "1 MB of definitions": lambda n: "[^1]: x\n" * int(MEGABYTE * n / 8),
    "1 MB of unknown definitions": lambda n: "[^9]: x\n" * int(MEGABYTE * n / 8),
    "1 MB of [ 1 ](": lambda n: "[ 1 ](" * int(MEGABYTE * n / 6),
    "1 MB of backslashes": lambda n: "\\" * int(MEGABYTE * n) + "[1]",
    "quotes 1,000 deep, 1 MB": lambda n: ("> " * 1_000 + "a [1]\n") * int(500 * n),
    "quotes 1,000 n deep": lambda n: ">" * int(1_000 * n) + " a [1]\n",
}


def by_offset(text: str) -> list[dict[str, object]]:
    """Citations at 2,000 places of a text, the most a turn has."""
    step = max(len(text) // 2_000, 1)
    places = range(0, len(text), step)
    return [{"data_part_id": "p", "offset": at, "locator": ""} for at in places]


CALLS: dict[str, Callable[[str], object]] = {
    "link": lambda text: link(text, SOURCES),
    "render": lambda text: render(text, by_offset(text), SOURCES),
    "html": lambda text: render(text, by_offset(text), SOURCES, to="html"),
}


def seconds(call: Callable[[str], object], *texts: str) -> list[float]:
    """The best of five runs of each text in processor time, by turns; a refusal counts as well."""
    best = [float("inf")] * len(texts)
    for _ in range(5):
        for index, text in enumerate(texts):
            gc.collect()
            start = time.process_time()
            with suppress(OutputTooLongError):
                call(text)
            best[index] = min(best[index], time.process_time() - start)
    return best


def main() -> int:
    worst = 0.0
    for call_name, call in CALLS.items():
        for text_name, build in TEXTS.items():
            # HTML is longer than its text, and would be refused at the full size.
            size = 0.5 if call_name == "html" else 1
            single, double = seconds(call, build(size), build(2 * size))
            ratio = double / single
            # Below 50 ms the clock and the caches say more than the code.
            worst = max(worst, ratio if double > 0.05 else 0)
            print(f"{call_name:7}{text_name:28}{single:8.3f} s{double:8.3f} s{ratio:6.2f}")
    print(f"worst ratio {worst:.2f}, at most {LIMIT}")
    return worst > LIMIT


if __name__ == "__main__":
    sys.exit(main())
