"""What a filter costs, against the same bytes read and written by the same parts without it.

    python benchmarks/formats.py

Floor: the block reader, the JSON library and the writer of blocks, for each event. Each figure is a
ratio of medians of one run.
"""

import json
import statistics
import time
from collections.abc import Callable

from citestream import PartInput, StartInput, Turn
from citestream.wire.formats.blocks import BlockReader
from citestream.wire.formats.openai_chat_filter import ChatFilter

ROUNDS = 9
MARKER = "\ue200cite\ue202a\ue201"
PART = PartInput("search", {"value": "a fact"}, "a", url="https://example.org/a")


def chunk(delta: dict[str, object]) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": None}
    head = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    return f"data: {json.dumps({**head, 'choices': [choice]})}\n\n".encode()


def text_stream(size: int) -> list[bytes]:
    """Deltas of four characters, a marker every 200."""
    text = ("The tower is 330 m high and it was painted. " * 5)[:200] + MARKER
    text *= size
    return [chunk({"content": text[at : at + 4]}) for at in range(0, len(text), 4)]


def other_stream(size: int) -> list[bytes]:
    """Arguments of a tool call, which pass as they are."""
    call = {"index": 0, "function": {"arguments": "abcd"}}
    return [chunk({"tool_calls": [call]})] * (50 * size)


def turn(start: StartInput) -> Turn:
    return Turn(options=start.options, include=start.include, parts=[PART])


def filtered(stream: list[bytes]) -> None:
    one = ChatFilter(turn)
    for piece in stream:
        one.feed(piece)
    one.finish()


def read_and_written(stream: list[bytes]) -> None:
    reader = BlockReader()
    for piece in stream:
        for block in reader.feed(piece):
            block.written(block.json())


def only_read(stream: list[bytes]) -> None:
    reader = BlockReader()
    for piece in stream:
        for block in reader.feed(piece):
            block.json()


def ratio(
    one: Callable[[list[bytes]], None],
    floor: Callable[[list[bytes]], None],
    stream: list[bytes],
    other: list[bytes] | None = None,
) -> float:
    """Return how many times as long ``one`` takes, both in turn."""
    taken: tuple[list[float], list[float]] = ([], [])
    for _ in range(ROUNDS):
        for times, run, body in zip(taken, (one, floor), (stream, other or stream), strict=True):
            began = time.perf_counter()
            run(body)
            times.append(time.perf_counter() - began)
    return statistics.median(taken[0]) / statistics.median(taken[1])


def main() -> None:
    """Print the ratios."""
    text, passed = text_stream(100), other_stream(100)
    print(f"filter, a delta × read and written: {ratio(filtered, read_and_written, text):.2f}")
    print(f"filter, a passed event × read: {ratio(filtered, only_read, passed):.2f}")
    doubled = ratio(filtered, filtered, text_stream(200), text)
    print(f"filter, twice the stream: {doubled:.2f}")


if __name__ == "__main__":
    main()
