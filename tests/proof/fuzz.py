"""Random answers, locators and input against the references, for as long as one likes.

    python -m tests.proof.fuzz --seconds 60 --seed 7 --target engine

Every case is made from the seed and its number alone. The first case that differs is printed with
both, and the exit code is 1. A target is a function of a source of chance that asserts.
"""

import argparse
import json
import time
from collections.abc import Callable
from contextlib import suppress
from random import Random
from typing import Any

from tests.citations.markers import triples
from tests.proof.places import places, ranges
from tests.proof.reference import settled, stripped, visible
from tests.proof.texts import OPTION_SETS, random_cuts, random_text

from citestream.citations import Engine, EngineOptions
from citestream.parts.locators import resolve
from citestream.wire.input.errors import InputError
from citestream.wire.input.events import read_event
from citestream.wire.json_text import JsonInputError
from citestream.wire.ndjson import LineReader, LineTooLongError


def engine(random: Random) -> None:
    """Text, entries and what is shown after each delta; now and then through a snapshot."""
    text = random_text(random)
    deltas = random_cuts(random, text) or [""]
    options = random.choice(OPTION_SETS)
    carried = random.random() < 0.3
    made = EngineOptions(**options)
    machine = Engine(made)
    shown = head = ""
    entries: list[Any] = []
    looked_at = random.randrange(len(deltas))
    for number, delta in enumerate(deltas):
        shown += machine.feed(delta)
        head += delta
        if random.random() < 0.5:
            entries += triples(machine.take())
        if carried and random.random() < 0.5:
            machine = Engine.restore(made, json.loads(json.dumps(machine.snapshot())))
        if number == looked_at:
            entries += triples(machine.take())
            assert shown == visible(head, **options), case(deltas, options, head=head)
            assert entries == settled(head, **options), case(deltas, options, head=head)
    shown += machine.finish()
    entries += triples(machine.take())
    outcome = (shown, entries, machine.invalid_markers)
    assert outcome == stripped(text, **options), case(deltas, options, carried=carried)


def case(*values: Any, **named: Any) -> str:
    """The values of a failing case, as Python in ASCII."""
    return ascii((*values, named))


KEYS = [
    "",
    "a",
    "b/c",
    "m~n",
    "~1",
    "0",
    "1",
    "01",
    "-",
    "L1",
    "\u0661",
    " ",
    "a\n",
    "value",
    "e\u0301",
]
LEAVES = [
    None,
    True,
    0,
    1.5,
    "",
    "text",
    "one\ntwo\r\nthree\rfour\n",
    "\r\r\n\n",
    "a\u2028b\u0085c\n\nd",
]
GRIT = [
    *"/~01-L+9 #",
    "~0",
    "~1",
    "~2",
    "-L",
    "00",
    "\u0661",
    "\u00b2",
    "\n",
    "\x00",
    "99999999999",
]


def random_json(random: Random, depth: int) -> Any:
    """A JSON value, at most `depth` deep."""
    shape = random.randrange(3) if depth else 0
    if shape == 0:
        return random.choice(LEAVES)
    inner = [random_json(random, depth - 1) for _ in range(random.randrange(4))]
    return inner if shape == 1 else {random.choice(KEYS): below for below in inner}


def locator(random: Random) -> None:
    """Right locators, right ones with grit in them, and grit alone, in values of every shape."""
    value = random_json(random, random.randrange(4))
    there = {**dict(places(value)), **dict(ranges(value))}
    text = random.choice(list(there) or ["/a"]) if random.random() < 0.8 else random.choice("/L#")
    for _ in range(random.choice((0, 1, 1, 2, 5))):
        place = random.randint(0, len(text))
        text = text[:place] + random.choice(GRIT) + text[place + random.randrange(2) :]
    found = resolve(value, text)
    if text == "":
        expected = ("whole", value)
    else:
        expected = ("resolved", there[text]) if text in there else ("unresolved", value)
    assert (found.kind, found.value) == expected, case(value, text)


EVENTS = [
    b'{"type":"start","options":{"whitespace":"tidy"},"include":["excerpt"]}',
    b'{"type":"part","id":"a","tool_name":"t","data":{"value":[1,2.5,null,"\\ud83d"]},"origin":"user"}',
    b'{"type":"part","tool_name":"t","data":"x","title":"\xc3\xa9","url":"https://example.org/"}',
    b'{"type":"delta","text":"a\\ue200cite\\ue202a\\ue201 \\ud83d"}',
    b'{"type":"delta","text":"\\u0000\\n\xe2\x80\xa8"}',
    b'{"type":"custom","name":"n","value":{"a":[true,{}]}}',
    b'{"type":"end","reason":"stopped"}',
]
BYTES = [
    b"\n",
    b"\r\n",
    b"\r",
    b"\n\n",
    b" ",
    b"\x00",
    b"\xff",
    b"\xed\xa0\x80",
    b"\xef\xbb\xbf",
    b'"',
    b"\\",
]
TOKENS = [
    b"{",
    b"}",
    b"[",
    b"]",
    b"[" * 70,
    b":",
    b",",
    b"NaN",
    b"1e999",
    b"9" * 5000,
    b'"type":"end",',
    b"-",
]


def ndjson(random: Random) -> None:
    """The same lines for every cut, and for every line an event or a documented error."""
    limit = random.choice((40, 200, 10_000))
    body = bytearray()
    for _ in range(random.randrange(6)):
        body += random.choice(EVENTS) + random.choice(BYTES)
    for _ in range(random.choice((0, 0, 1, 3))):
        place = random.randint(0, len(body))
        body[place : place + random.randrange(3)] = random.choice(BYTES + TOKENS)
    lines = list(enumerate(bytes(body).split(b"\n"), 1))
    too_long = next((number for number, line in lines if len(line) > limit), None)
    whole = lines if too_long is None else lines[: too_long - 1]
    whole[:1] = [(number, line.removeprefix(b"\xef\xbb\xbf")) for number, line in whole[:1]]
    expected = [(number, line) for number, line in whole if line.strip(b" \t\r")]
    places_cut = sorted(random.randint(0, len(body)) for _ in range(random.randrange(9)))
    ends = [*places_cut, len(body)]
    chunks = [bytes(body[a:b]) for a, b in zip([0, *places_cut], ends, strict=True)]
    got, stopped_at = read_lines(chunks, limit)
    assert (got, stopped_at) == (expected, too_long), case(chunks, limit)
    for _, line in got:
        with suppress(InputError, JsonInputError):
            read_event(line)


def read_lines(chunks: list[bytes], limit: int) -> tuple[list[tuple[int, bytes]], int | None]:
    """The lines of the chunks, and the number of the line that was too long."""
    reader = LineReader(limit)
    lines: list[tuple[int, bytes]] = []
    try:
        for chunk in chunks:
            for line in reader.feed(chunk):
                lines.append((reader.number, line))  # noqa: PERF401 - what came before a refusal stays
        lines += [(reader.number, line) for line in reader.finish()]
    except LineTooLongError:
        return lines, reader.number
    return lines, None


TARGETS: dict[str, Callable[[Random], None]] = {
    "engine": engine,
    "locator": locator,
    "ndjson": ndjson,
}


def run(target: str, seed: int, seconds: float) -> int:
    """Try cases of a target for so many seconds; return how many. A case that differs raises."""
    until = time.monotonic() + seconds
    number = 0
    while time.monotonic() < until:
        try:
            TARGETS[target](Random(f"{seed}-{number}"))  # noqa: S311
        except Exception as error:
            error.add_note(f"target {target}, seed {seed}, case {number}")
            raise
        number += 1
    return number


def main() -> None:
    """Run the targets one after another, each for its share of the time."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60, help="time for all targets together")
    parser.add_argument("--seed", type=int, default=1, help="where chance begins")
    parser.add_argument("--target", choices=sorted(TARGETS), action="append", help="one or more")
    asked = parser.parse_args()
    targets = asked.target or sorted(TARGETS)
    for target in targets:
        count = run(target, asked.seed, asked.seconds / len(targets))
        print(f"{target}: {count} cases, seed {asked.seed}, no difference")


if __name__ == "__main__":
    main()
