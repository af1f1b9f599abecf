"""The transcripts of ``conformance/streams``, and what a client of each format sees in a stream.

Nothing here uses the code under test: events are found by a regular expression over whole bytes.
"""

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from citestream.turns import StartInput, Turn
from citestream.wire.formats import Filter

MakeFilter = Callable[[Callable[[StartInput], Turn]], Filter]
FOLDER = Path(__file__).parents[3] / "conformance" / "streams"
Object = dict[str, Any]


def cases(format_: str) -> list[Object]:
    found = []
    for path in sorted(FOLDER.glob(f"{format_}-*.json")):
        case = json.loads(path.read_text("utf-8"))
        if case["format"] == format_:
            found.append({"name": path.stem, **case})
    return found


def stream(case: Object) -> bytes:
    """The bytes of a transcript, the parts known before it said first."""
    body = "".join(case["chunks"]).encode("utf-8", "surrogatepass")
    mark = b"\xef\xbb\xbf" if body.startswith(b"\xef\xbb\xbf") else b""
    said = [
        f"event: citestream\ndata: {json.dumps({'type': 'part', **part})}\n\n".encode()
        for part in case["parts"]
    ]
    return mark + b"".join(said) + body.removeprefix(mark)


def events(body: bytes) -> Iterator[Object]:
    """The JSON of each event; ``[DONE]`` is ``{"done": True}``."""
    text = body.decode("utf-8", "surrogatepass").removeprefix("\ufeff")
    for block in re.split(r"(?:\r\n|\n|\r){2}", text):
        lines = [
            line.partition(":")[2].removeprefix(" ")
            for line in re.split(r"\r\n|\n|\r", block)
            if line.startswith("data")
        ]
        data = "\n".join(lines)
        if data.strip() == "[DONE]":
            yield {"done": True}
        elif data:
            try:
                value = json.loads(data)
            except ValueError:
                continue
            if isinstance(value, dict):
                yield value


@dataclass
class Seen:
    """What a client sees: each text by its deltas, snapshots, annotations live and listed."""

    texts: dict[str, str] = field(default_factory=lambda: defaultdict(str))
    snapshots: list[tuple[str, str]] = field(default_factory=list)
    lists: list[tuple[str, list[Any]]] = field(default_factory=list)
    """Every list of annotations of a text that a client takes for all of them."""
    closing: list[Object] = field(default_factory=list)
    """Values of the field ``citestream``."""
    empty: list[Object] = field(default_factory=list)
    """Events that say nothing."""


def make_turn(start: StartInput) -> Turn:
    return Turn(options=start.options, include=start.include)


def run(make: MakeFilter, chunks: Iterable[bytes]) -> bytes:
    one = make(make_turn)
    return b"".join([*map(one.feed, chunks), one.finish()])


def check(case: Object, make: MakeFilter, seen: Callable[[bytes], Seen], place: str) -> None:
    """All that holds of every transcript; ``place`` is the key of the vendor's coordinates."""
    body, expect = stream(case), case["expect"]
    out = run(make, [body])
    assert run(make, (bytes([byte]) for byte in body)) == out
    for size in (2, 3, 7, 61, 997):
        assert run(make, (body[at : at + size] for at in range(0, len(body), size))) == out
    kept = b"".join(same.encode() for same in expect["same"])  # of tool calls and reasoning
    assert not any(sign in out for sign in SIGNS if sign not in kept)
    found = seen(out)
    assert {key: text for key, text in found.texts.items() if text} == {
        key: text for key, text in expect["texts"].items() if text
    }
    for key, text in found.snapshots:
        assert text == expect["texts"][key]
    assert not found.empty
    at = 0
    for same in expect["same"]:
        position = loose(out).find(loose(same.encode()), at)
        assert position >= at, same
        at = position
    if not expect["complete"]:
        assert not found.closing
        return
    closing = found.closing[0] if found.closing else {"citations": [], "dropped": [], "parts": []}
    assert len(found.closing) == bool(expect["citations"] or expect["dropped"])
    names = ("data_part_id", "locator")
    assert [[one[name] for name in names] for one in closing["citations"]] == [
        [one[name] for name in names] for one in expect["citations"]
    ]
    if place != "index of a block":
        assert [one["offset"] for one in closing["citations"]] == [
            one["offset"] for one in expect["citations"]
        ]
        keys = [
            "/".join(str(one[name]) for name in place.split("/")) for one in closing["citations"]
        ]
        assert keys == [one["text"] for one in expect["citations"]]
    assert [one["reason"] for one in closing["dropped"]] == [
        one["reason"] for one in expect["dropped"]
    ]
    assert {one["metadata"]["dataPartId"] for one in closing["parts"]} == {
        one["data_part_id"] for one in expect["citations"]
    }


SIGNS = [
    spelled
    for sign in ("\ue200", "\ue201", "\ue202")
    for spelled in (sign.encode(), json.dumps(sign)[1:-1].encode())
]


def loose(body: bytes) -> bytes:
    """The bytes without the numbers that a filter may count anew."""
    return re.sub(rb'("sequence_number"|"index"): ?\d+', rb"\1:0", body)


def vendor_lists(case: Object, key: str) -> list[Object]:
    """The vendor's own annotations of a text, as they must come out."""
    return [one["out"] for one in case["expect"].get("vendor", []) if one["text"] == key]


def ours(case: Object, key: str) -> list[Object]:
    return [one for one in case["expect"]["citations"] if one["text"] == key]
