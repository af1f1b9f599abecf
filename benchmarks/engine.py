"""The engine against the least any Python code can do: ``python -m benchmarks.engine``.

Prints, for each corpus (1 MB of clean text), the time of the engine as a multiple of a floor that
only looks for the start sign and appends, both measured in the same run; then each dialect alone
and a list of three on the first corpus, written in its markers; then the growth of the time on
hostile input when it doubles (2.0 is linear).
"""

import random
import time
from collections.abc import Callable, Sequence

from citestream.citations import Engine, EngineOptions

START, DELIM, STOP = "\ue200", "\ue202", "\ue201"
WORDS = (  # noqa: SIM905 - a line of words is read more easily than a list of them
    "the of and to in a is that for it as was with be by on not he his but at are this have from "
    "or had an they which one you were all her she there would their we him been has when who will "
    "evidence treatment patients measured revenue quarter region growth harbour"
).split()
TARGETS = {"a": 4.0, "b": 4.0, "c": 4.0, "d": 6.5, "e": 4.0}
MARKERS = {
    "guide": f"{START}cite{DELIM}tool_data_0{{}}{STOP}",
    "chatgpt": f"{START}cite{DELIM}turn0search{{}}{STOP}",
    "lenticular": "\u3010{}:0\u2020source\u3011",
    "numbers": "[{}]",
    "tags": '<cite id="tool_data_0{}"/>',
    "escaped": "\\ue200cite\\ue202tool_data_0{}\\ue201",
    "template": "[[cite:tool_data_0{}]]",
}
TEMPLATE = {"open": "[[cite:", "close": "]]", "separator": "|"}
THREE = ["guide", "lenticular", "tags"]


class Numbered:
    """Every number from 1 to 9 is the number of a source."""

    id_lengths = (1,)

    def __call__(self, key: str, /) -> bool:
        return len(key) == 1

    is_id = begins_id = __call__


def prose(length: int, seed: int = 7) -> str:
    rng = random.Random(seed)
    sentences: list[str] = []
    size = 0
    while size < length:
        words = " ".join(rng.choice(WORDS) for _ in range(rng.randint(6, 14)))
        sentences.append(words.capitalize() + ". ")
        size += len(sentences[-1])
    return "".join(sentences)[:length]


def far_eastern(length: int, seed: int = 7) -> str:
    rng = random.Random(seed)
    characters = [chr(rng.randint(0x4E00, 0x9FA5)) for _ in range(2000)]
    characters += ["\U0001f600", "\U0001f680", "\U0001f44d", "。", ","] * 40
    return "".join(rng.choice(characters) for _ in range(length))


def marked(text: str, every: int, marker: str = MARKERS["guide"]) -> str:
    pieces = [text[at : at + every] for at in range(0, len(text), every)]
    marks = (marker.format(number % 9 + 1) for number in range(len(pieces)))
    return "".join(piece + mark for piece, mark in zip(pieces, marks, strict=True))


def cut(text: str, size: int) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]


def corpora(length: int = 1_000_000) -> dict[str, list[str]]:
    english = prose(length)
    return {
        "a": cut(marked(english, 200), 4),
        "b": cut(marked(english, 200), 1),
        "c": cut(english, 4),
        "d": cut(marked(english, 30), 4),
        "e": cut(marked(far_eastern(length), 200), 2),
    }


def floor(deltas: Sequence[str]) -> None:
    found = 0
    shown: list[str] = []
    append = shown.append
    for delta in deltas:
        if START in delta:
            found += 1
        append(delta)


def engine(deltas: Sequence[str], options: EngineOptions | None = None) -> None:
    stripper = Engine(options, Numbered())
    feed = stripper.feed
    shown: list[str] = []
    append = shown.append
    for delta in deltas:
        append(feed(delta))
    append(stripper.finish())
    stripper.take()


def best(work: Callable[[], None], rounds: int = 5) -> float:
    times = []
    for _ in range(rounds):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return min(times)


def hostile(scale: int) -> dict[str, list[str]]:
    return {
        "one open marker, then 4-character deltas": [
            f"{START}cite{DELIM}",
            *["abcd"] * (50_000 * scale),
        ],
        "one delta of 10 MB": [marked(prose(5_000_000 * scale), 200)],
        "nested start signs": [START * (100_000 * scale)],
        "start signs, one a delta": [START] * (100_000 * scale),
        "stray signs, one a delta": [STOP] * (100_000 * scale),
        "markers without text between": [
            f"{START}cite{DELIM}t{STOP}" * (20_000 * scale),
        ],
        "blanks, one a delta": [" "] * (100_000 * scale),
        "punctuation behind a marker": [f"x{START}cite{DELIM}t{STOP}", *["."] * (100_000 * scale)],
    }


def hostile_to(name: str, scale: int) -> dict[str, list[str]]:
    """What is dearest for a dialect: candidates that stay open, fail late, or lie in each other."""
    marker = MARKERS[name].format(1)
    opener = marker[: len(marker) // 2]
    length = 20_000 * scale
    return {
        "openers": [opener * length],
        "openers, one character a delta": list(opener * (length // 10)),
        "one open marker, then 4-character deltas": [opener, *["abcd"] * length],
        "markers without text between": [marker * length],
        "backticks": ["`a ``" * length],
    }


def asked(name: str) -> EngineOptions:
    return EngineOptions(dialect=TEMPLATE if name == "template" else name, numbers="strip")


def ratio(deltas: Sequence[str], options: EngineOptions) -> float:
    floors, engines = [], []
    for _ in range(5):
        floors.append(best(lambda: floor(deltas), 1))
        engines.append(best(lambda: engine(deltas, options), 1))
    return min(engines) / min(floors)


def dialects(length: int = 1_000_000) -> None:
    print("each dialect alone on corpus a, as a multiple of the floor (target 8.0)")
    english = prose(length)
    alone = {}
    for name, marker in MARKERS.items():
        alone[name] = ratio(cut(marked(english, 200, marker), 4), asked(name))
        print(f"  {alone[name]:4.1f} x  {name}")
    pieces = [english[at : at + 200] for at in range(0, length, 200)]
    marks = (MARKERS[THREE[number % 3]].format(number % 9 + 1) for number in range(len(pieces)))
    deltas = cut("".join(map("".join, zip(pieces, marks, strict=True))), 4)
    together = ratio(deltas, EngineOptions(dialect=THREE))
    slowest = max(ratio(deltas, EngineOptions(dialect=one)) for one in THREE)
    print(
        f"  {together:4.1f} x  {', '.join(THREE)} together: {together / slowest:.2f} x the slowest "
        "of them alone on the same text (target 1.6)"
    )


def main() -> None:
    print("engine, as a multiple of the floor in the same run")
    for name, deltas in corpora().items():
        floors, engines = [], []
        for _ in range(5):
            floors.append(best(lambda d=deltas: floor(d), 1))
            engines.append(best(lambda d=deltas: engine(d), 1))
        base, ours = min(floors), min(engines)
        print(
            f"  corpus {name}: {ours / base:4.1f} x  (target {TARGETS[name]:.1f})"
            f"   {ours / len(deltas) * 1e9:5.0f} ns a delta, floor {base / len(deltas) * 1e9:.0f}"
        )
    dialects()
    print("hostile input, growth of the time when the input doubles (target 2.3)")
    for options in (EngineOptions(), EngineOptions("drop", "tidy")):
        label = f"{options.invalid_markers}, {options.whitespace}"
        double = hostile(2)
        for name, deltas in hostile(1).items():
            growth = best(lambda d=double[name], o=options: engine(d, o), 3) / best(
                lambda d=deltas, o=options: engine(d, o), 3
            )
            print(f"  {growth:4.2f} x  {name} ({label})")
    for dialect in MARKERS:
        options, double = asked(dialect), hostile_to(dialect, 2)
        for name, deltas in hostile_to(dialect, 1).items():
            growth = best(lambda d=double[name], o=options: engine(d, o), 3) / best(
                lambda d=deltas, o=options: engine(d, o), 3
            )
            print(f"  {growth:4.2f} x  {name} ({dialect})")


if __name__ == "__main__":
    main()
