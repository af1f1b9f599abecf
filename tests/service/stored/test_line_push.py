"""A push of lines: what is accepted of it does not depend on how the lines were cut."""

import json
from collections.abc import Awaitable, Callable

import pytest
from tests.service.stored_turns import ANSWER, cite, followed, key, stored, undisturbed

from citestream.service.problems import Problem
from citestream.service.stored.line_push import LinePush
from citestream.service.stored.turns import StoredTurns
from citestream.wire.formats.native import NativeReader

pytestmark = pytest.mark.anyio

LINES = b"".join(
    # What was unreadable in an event is found out when it is read, and is no field of a line.
    json.dumps({k: v for k, v in event.as_json().items() if k != "unreadable"}).encode() + b"\n"
    for event in ANSWER
)


def cut(body: bytes, size: int) -> Callable[[], Awaitable[bytes]]:
    chunks = [body[at : at + size] for at in range(0, len(body), size)]

    async def read() -> bytes:
        return chunks.pop(0) if chunks else b""

    return read


@pytest.mark.parametrize("size", [1, 2, 7, 64, 1 << 16])
async def test_lines_cut_anywhere_make_the_same_turn(turns: StoredTurns, size: int) -> None:
    whole = await undisturbed(turns)
    await turns.create(turn_id="lines", session_id="lines")
    answer = await LinePush(turns, "lines", 1, NativeReader()).answer(cut(LINES, size))
    assert await stored(turns, "lines") == whole == await followed(turns, "lines")
    assert [one["id"] for one in answer.parts] == ["tool_data_01", "late", "tool_data_02"]
    assert answer.status == "completed"
    assert answer.next == len(ANSWER) + 1


async def test_nothing_at_all_tells_where_the_turn_stands(turns: StoredTurns) -> None:
    await turns.create(turn_id="t")
    answer = await LinePush(turns, "t", 1, NativeReader()).answer(cut(b"\n\r\n", 1))
    assert (answer.next, answer.parts, answer.status) == (1, [], "open")


@pytest.mark.parametrize(
    ("bad", "detail"),
    [
        ({"type": "part", "id": "a", "tool_name": "t", "data": 2}, "line 3: "),
        ({"type": "part", "tool_name": "t"}, "line 3: data"),
        ({"type": "start"}, "line 3: "),
    ],
)
@pytest.mark.parametrize("size", [1, 1 << 16])
async def test_what_stands_before_a_bad_line_is_kept(
    turns: StoredTurns, bad: object, detail: str, size: int
) -> None:
    before = [
        {"type": "part", "id": "a", "tool_name": "t", "data": 1},
        {"type": "delta", "text": cite("a")},
    ]
    body = b"".join(json.dumps(one).encode() + b"\n" for one in [*before, bad, {"type": "end"}])
    await turns.create(turn_id="t")
    with pytest.raises(Problem) as refused:
        await LinePush(turns, "t", 1, NativeReader()).answer(cut(body, size))
    assert refused.value.detail.startswith(detail)
    assert "events[" not in refused.value.detail
    assert refused.value.extra["line"] == 3
    assert (await turns.reader.row(key("t"))).next == 3
