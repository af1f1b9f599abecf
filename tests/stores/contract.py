"""What every turn log does: one suite, which each store's tests inherit."""

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from citestream.stores.port import (
    PAGE_BYTES,
    ConflictError,
    Counts,
    EventRow,
    GoneError,
    Head,
    Idempotency,
    KeyReusedError,
    PartRow,
    Push,
    StoreError,
    TurnLog,
    TurnRow,
)

AWKWARD = [
    b"",
    b"\x00",
    b"a\x00b",
    b"\xff\xfe\x80",
    b"\xed\xa0\xbd",  # half of a surrogate pair, as no UTF-8 decoder takes it
    bytes(range(256)),
    b"\xc3",
    bytes(4 * 1024 * 1024),
]
"""Payloads that a store may be tempted to read, mend or cut off."""


def turn_row(turn_id: str = "t", session_id: str | None = "s", created: float = 1.5) -> TurnRow:
    return TurnRow(
        id=turn_id,
        session_id=session_id,
        semantics=7,
        created=created,
        touched=created,
        ended=None,
        status="open",
        reason=None,
        next=1,
        events=0,
        state=b"\x00state",
        labels=b"\xfflabels",
    )


def a_push(expected: int = 1, turn_id: str = "t", **fields: object) -> Push:
    given: dict[str, object] = {
        "turn_id": turn_id,
        "expected": expected,
        "touched": 2.5,
        "state": b"after %d" % expected,
        "status": "open",
        "inputs": [b"input %d" % expected],
        "events": [EventRow("delta", b"event %d" % expected)],
        **fields,
    }
    return Push(**given)  # type: ignore[arg-type]


async def ended_turn(log: TurnLog, turn_id: str, ended: float, events: int = 3) -> None:
    await log.create_turn(turn_row(turn_id))
    rows = [EventRow("delta", b"%d" % n) for n in range(1, events)] + [EventRow("artifact", b"all")]
    end = a_push(turn_id=turn_id, events=rows, status="completed", reason="complete", ended=ended)
    assert await log.push(end)


class TurnLogContract:
    """Subclasses give ``make``: a function that returns a new store in a folder."""

    make: Callable[[Path], TurnLog]

    @pytest.fixture
    async def log(self, tmp_path: Path, anyio_backend: str) -> AsyncIterator[TurnLog]:
        log = type(self).make(tmp_path)
        await log.open()
        yield log
        await log.close()

    async def test_a_new_turn_is_kept_as_it_was_given(self, log: TurnLog) -> None:
        row = turn_row()
        assert await log.create_turn(row) is None
        assert await log.turn("t") == row
        assert (await log.session("s")) is not None
        assert await log.running_turns() == 1

    async def test_a_turn_without_a_session_is_in_none(self, log: TurnLog) -> None:
        await log.create_turn(turn_row(session_id=None))
        row = await log.turn("t")
        assert row is not None
        assert row.session_id is None

    async def test_an_id_is_taken_once(self, log: TurnLog) -> None:
        await log.create_turn(turn_row())
        with pytest.raises(ConflictError):
            await log.create_turn(turn_row(session_id="other"))
        assert await log.session("other") is None

    async def test_what_is_not_there(self, log: TurnLog) -> None:
        assert await log.turn("t") is None
        assert await log.snapshot("t") is None
        assert await log.inputs("t", 1, 10) == []
        assert await log.events("t", 0, 10) == []
        assert await log.parts("t") == []
        assert await log.part("t", "p") is None
        assert await log.named("t") == []
        assert await log.session("s") is None
        assert await log.items("s", 0, 10) == []
        assert await log.part_ids("s") == []
        assert await log.heads(["t"]) == {}
        assert not await log.push(a_push())
        assert not await log.delete_turn("t")
        assert await log.delete_session("s") is None

    async def test_a_push_is_kept_whole(self, log: TurnLog) -> None:
        row = turn_row()
        await log.create_turn(row)
        push = a_push(
            inputs=[b"i1", b"i2"],
            events=[EventRow("delta", b"e1"), EventRow("custom", b"e2"), EventRow("delta", b"e3")],
            parts=[PartRow("p2", b"two"), PartRow("p1", b"one")],
            named=[b"n1", b"n2"],
            results=[b"r1", b"r2"],
        )
        assert await log.push(push)
        assert await log.turn("t") == row.after(push)
        kept = await log.snapshot("t")
        assert kept is not None
        assert kept.row == row.after(push)
        assert kept.deltas == [b"e1", b"e3"]
        assert kept.parts == await log.parts("t") == push.parts
        assert kept.named == await log.named("t") == [b"n1", b"n2"]
        assert kept.results == await log.results("t") == [b"r1", b"r2"]
        assert await log.inputs("t", 1, 10) == [b"i1", b"i2"]
        assert await log.events("t", 0, 10) == push.events
        assert await log.part("t", "p1") == b"one"
        assert await log.part("t", "p3") is None
        assert await log.heads(["t", "none"]) == {"t": Head(3, ended=False)}

    async def test_rows_take_the_numbers_behind_the_last(self, log: TurnLog) -> None:
        await log.create_turn(turn_row())
        for n in range(1, 4):
            assert await log.push(a_push(n, parts=[PartRow(f"p{n}", b"")], named=[b"%d" % n]))
        assert await log.inputs("t", 2, 10) == [b"input 2", b"input 3"]
        assert [row.data for row in await log.events("t", 1, 1)] == [b"event 2"]
        assert [part.id for part in await log.parts("t")] == ["p1", "p2", "p3"]
        assert await log.named("t") == [b"1", b"2", b"3"]

    async def test_a_push_without_output(self, log: TurnLog) -> None:
        await log.create_turn(turn_row())
        assert await log.push(a_push(events=[]))
        assert await log.push(a_push(2))
        assert await log.events("t", 0, 10) == [EventRow("delta", b"event 2")]

    async def test_only_the_expected_number_is_written(self, log: TurnLog) -> None:
        await log.create_turn(turn_row())
        assert not await log.push(a_push(2))
        assert await log.push(a_push(1))
        assert not await log.push(a_push(1, inputs=[b"other"]))
        assert await log.inputs("t", 1, 10) == [b"input 1"]
        row = await log.turn("t")
        assert row is not None
        assert (row.next, row.events, row.state) == (2, 1, b"after 1")

    async def test_nothing_is_written_behind_the_end(self, log: TurnLog) -> None:
        await ended_turn(log, "t", 9.5)
        assert not await log.push(a_push(2))
        row = await log.turn("t")
        assert row is not None
        assert (row.status, row.reason, row.ended) == ("completed", "complete", 9.5)
        assert await log.running_turns() == 0
        assert await log.heads(["t"]) == {"t": Head(3, ended=True)}

    async def test_of_racing_pushes_one_is_written(self, log: TurnLog) -> None:
        await log.create_turn(turn_row())
        for n in range(1, 20):
            racing = [
                a_push(n, inputs=[b"%d" % k], events=[EventRow("delta", b"%d" % k)])
                for k in range(5)
            ]
            won = await asyncio.gather(*map(log.push, racing))
            assert won.count(True) == 1
            kept = b"%d" % won.index(True)
            assert await log.inputs("t", n, 1) == [kept]
            assert await log.events("t", n - 1, 1) == [EventRow("delta", kept)]

    async def test_an_answer_begun_anew(self, log: TurnLog) -> None:
        await log.create_turn(turn_row())
        await log.push(a_push(1, named=[b"old 1", b"old 2"]))
        await log.push(a_push(2, named=[b"new"], reset=True))
        await log.push(a_push(3, named=[b"newer"]))
        assert await log.named("t") == [b"new", b"newer"]

    async def test_the_numbers_of_a_session_are_compared(self, log: TurnLog) -> None:
        await log.create_turn(turn_row())
        assert await log.push(a_push(1, counts=Counts("s", b"{}", b'{"x":1}')))
        assert not await log.push(a_push(2, counts=Counts("s", b"{}", b'{"x":2}')))
        assert not await log.push(a_push(2, counts=Counts("none", b"{}", b'{"x":2}')))
        session = await log.session("s")
        row = await log.turn("t")
        assert session is not None
        assert row is not None
        assert (session.counts, row.next) == (b'{"x":1}', 2)

    @pytest.mark.parametrize("payload", AWKWARD, ids=lambda payload: f"{len(payload)}B")
    async def test_payloads_survive_exactly(self, log: TurnLog, payload: bytes) -> None:
        row = turn_row()._replace(state=payload, labels=payload)
        once = Idempotency("k", payload, payload, 1.0)
        await log.create_turn(row, once)
        assert await log.turn("t") == row
        assert await log.create_turn(row, once) == payload
        push = a_push(
            state=payload,
            inputs=[payload],
            events=[EventRow("delta", payload)],
            parts=[PartRow("p", payload)],
            named=[payload],
        )
        assert await log.push(push)
        kept = await log.snapshot("t")
        assert kept is not None
        assert (kept.row.state, kept.deltas, kept.named) == (payload, [payload], [payload])
        assert await log.inputs("t", 1, 1) == [payload]
        assert await log.part("t", "p") == payload
        await log.add_message("s", "m", payload, 3.0)
        assert (await log.items("s", 1, 10))[0].message == payload

    async def test_a_page_has_so_many_rows_and_bytes(self, log: TurnLog) -> None:
        await log.create_turn(turn_row())
        big = bytes(PAGE_BYTES // 2)
        await log.push(a_push(inputs=[big] * 5 + [b"x"] * 9, events=[EventRow("delta", big)] * 5))
        assert len(await log.inputs("t", 1, 100)) == len(await log.events("t", 0, 100)) == 2
        assert len(await log.inputs("t", 6, 4)) == 4
        await log.push(a_push(15, events=[EventRow("delta", bytes(PAGE_BYTES * 2))]))
        assert len(await log.events("t", 5, 100)) == 1

    async def test_an_idempotency_key(self, log: TurnLog) -> None:
        once = Idempotency("key", b"request", b"answer", 1.0)
        assert await log.create_turn(turn_row("one"), once) is None
        assert await log.create_turn(turn_row("two"), once) == b"answer"
        with pytest.raises(KeyReusedError):
            await log.create_turn(turn_row("two"), once._replace(request=b"another"))
        assert await log.turn("two") is None

    async def test_a_key_of_a_refused_creation_is_free(self, log: TurnLog) -> None:
        await log.create_turn(turn_row())
        with pytest.raises(ConflictError):
            await log.create_turn(turn_row(), Idempotency("key", b"1", b"", 1.0))
        assert await log.create_turn(turn_row("two"), Idempotency("key", b"2", b"", 1.0)) is None

    async def test_of_a_thousand_racing_creations_one_is_done(self, log: TurnLog) -> None:
        rows = [turn_row(f"t{n}") for n in range(1000)]
        answers = await asyncio.gather(
            *(
                log.create_turn(row, Idempotency("key", b"same", row.id.encode(), 1.0))
                for row in rows
            )
        )
        assert answers.count(None) == 1
        winner = rows[answers.index(None)].id
        assert set(answers) == {None, winner.encode()}
        assert await log.running_turns() == 1

    async def test_a_turn_goes_with_all_that_is_its(self, log: TurnLog) -> None:
        await log.create_turn(turn_row())
        await log.push(a_push(parts=[PartRow("p", b"")], named=[b"n"]))
        assert await log.delete_turn("t")
        assert not await log.delete_turn("t")
        assert await log.snapshot("t") is None
        assert await log.part_ids("s") == []
        assert await log.session("s") is not None
        await log.create_turn(turn_row())
        assert await log.events("t", 0, 10) == []
        assert await log.named("t") == []

    async def test_a_session_in_order(self, log: TurnLog) -> None:
        assert await log.add_message("s", "m1", b"one", 5.0) == (1, b"one")
        await log.create_turn(turn_row("t1", created=4.0))  # the clock went back
        assert await log.add_message("s", "m2", b"two", 3.0) == (3, b"two")
        await log.create_turn(turn_row("t2", created=2.0))
        await log.create_turn(turn_row("t3", session_id="other"))
        items = await log.items("s", 0, 10)
        assert [item.position for item in items] == [1, 2, 3, 4]
        assert [item.turn and item.turn.id for item in items] == [None, "t1", None, "t2"]
        assert [item.message for item in items] == [b"one", None, b"two", None]
        assert [item.message_id for item in items] == ["m1", None, "m2", None]
        assert [item.created for item in items] == [5.0, 4.0, 3.0, 2.0]
        assert [item.position for item in await log.items("s", 1, 2)] == [2, 3]
        await log.delete_turn("t1")
        await log.create_turn(turn_row("t4"))
        assert [item.position for item in await log.items("s", 0, 10)] == [1, 3, 4, 5]

    async def test_a_message_id_is_stored_once_in_a_session(self, log: TurnLog) -> None:
        await log.add_message("s", "m", b"one", 1.0)
        assert await log.add_message("s", "m", b"two", 2.0) == (1, b"one")
        assert await log.add_message("other", "m", b"two", 2.0) == (1, b"two")
        assert [item.message for item in await log.items("s", 0, 10)] == [b"one"]
        both = (log.add_message("s", "n", data, 3.0) for data in (b"a", b"b"))
        first, second = await asyncio.gather(*both)
        assert first == second
        assert len(await log.items("s", 0, 10)) == 2

    async def test_the_part_ids_of_a_session(self, log: TurnLog) -> None:
        for turn_id, session_id in (("t1", "s"), ("t2", "s"), ("t3", "other")):
            await log.create_turn(turn_row(turn_id, session_id))
            await log.push(a_push(turn_id=turn_id, parts=[PartRow(f"of {turn_id}", b"")]))
        assert sorted(await log.part_ids("s")) == ["of t1", "of t2"]

    async def test_a_session_goes_with_its_turns(self, log: TurnLog) -> None:
        await log.add_message("s", "m", b"", 1.0)
        await log.create_turn(turn_row("t1"))
        await log.create_turn(turn_row("t2"))
        await log.create_turn(turn_row("t3", session_id="other"))
        assert sorted(await log.delete_session("s") or []) == ["t1", "t2"]
        assert await log.delete_session("s") is None
        assert await log.turn("t1") is None
        assert await log.turn("t3") is not None
        assert await log.items("s", 0, 10) == []

    async def test_silent_turns(self, log: TurnLog) -> None:
        for n in range(1, 5):
            await log.create_turn(turn_row(f"t{n}", created=float(n)))
        await ended_turn(log, "ended", 1.0)
        assert await log.silent_turns(3.0, 10) == ["t1", "t2"]
        assert await log.silent_turns(9.0, 1) == ["t1"]
        await log.push(a_push(turn_id="t1"))  # touched at 2.5
        assert await log.silent_turns(3.0, 10) == ["t2", "t1"]

    async def test_ids_page_by_page(self, log: TurnLog) -> None:
        for turn_id in ("b", "a", "c"):
            await log.create_turn(turn_row(turn_id))
        assert await log.turn_ids("", 2) == ["a", "b"]
        assert await log.turn_ids("b", 2) == ["c"]
        assert await log.turn_ids("c", 2) == []

    async def test_what_retention_lets_go(self, log: TurnLog) -> None:
        await ended_turn(log, "old", 1.0)
        await ended_turn(log, "older", 0.5)
        await ended_turn(log, "new", 5.0)
        await log.create_turn(turn_row("running"))
        await log.create_turn(turn_row("key"), Idempotency("key", b"1", b"", 1.0))
        assert await log.trim(3.0, 10) == 2
        assert await log.trim(3.0, 10) == 0
        row = await log.turn("old")
        assert row is not None
        assert row.trimmed
        for after in (0, 1):
            with pytest.raises(GoneError):
                await log.events("old", after, 10)
        assert await log.events("old", 2, 10) == [EventRow("artifact", b"all")]
        assert await log.events("old", 3, 10) == []
        assert await log.inputs("old", 1, 10) == [b"input 1"]
        assert len(await log.events("new", 0, 10)) == 3
        assert await log.create_turn(turn_row("again"), Idempotency("key", b"2", b"", 9.0)) is None

    async def test_retention_goes_on_where_it_stopped(self, log: TurnLog) -> None:
        for n in range(3):
            await ended_turn(log, f"t{n}", 1.0)
        assert await log.trim(3.0, 2) == 2
        assert await log.trim(3.0, 2) == 1

    async def test_closed(self, log: TurnLog) -> None:
        assert await log.ready()
        await log.close()
        assert not await log.ready()
        with pytest.raises(StoreError):
            await log.turn("t")
        with pytest.raises(StoreError):
            await log.push(a_push())
        await log.close()  # a second time is nothing
