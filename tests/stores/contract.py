"""What every turn log does: one suite, which each store's tests inherit."""

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from citestream.stores.port import (
    PAGE_BYTES,
    Carry,
    ConflictError,
    Counts,
    EventRow,
    GoneError,
    Head,
    Idempotency,
    Key,
    KeyReusedError,
    PartRow,
    Push,
    StoreError,
    TurnLog,
    TurnRow,
    TurnSnapshot,
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


def key(name: str = "t", tenant: str = "") -> Key:
    return Key(tenant, name)


def part(part_id: str, data: bytes = b"", about: bytes = b"about") -> PartRow:
    return PartRow(part_id, about, data)


def turn_row(
    turn_id: str = "t", session_id: str | None = "s", created: float = 1.5, tenant: str = ""
) -> TurnRow:
    return TurnRow(
        tenant=tenant,
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


def a_push(expected: int = 1, turn_id: str = "t", tenant: str = "", **fields: object) -> Push:
    given: dict[str, object] = {
        "turn": key(turn_id, tenant),
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


async def snapshot_of(log: TurnLog, turn: Key) -> TurnSnapshot:
    return (await log.snapshots([turn]))[turn]


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
        assert await log.turn(key("t")) == row
        assert (await log.session(key("s"))) is not None
        assert await log.running_turns() == 1

    async def test_a_turn_without_a_session_is_in_none(self, log: TurnLog) -> None:
        await log.create_turn(turn_row(session_id=None))
        row = await log.turn(key("t"))
        assert row is not None
        assert row.session_id is None

    async def test_an_id_is_taken_once(self, log: TurnLog) -> None:
        await log.create_turn(turn_row())
        with pytest.raises(ConflictError):
            await log.create_turn(turn_row(session_id="other"))
        assert await log.session(key("other")) is None

    async def test_what_is_not_there(self, log: TurnLog) -> None:
        assert await log.turn(key("t")) is None
        assert await log.snapshots([key("t")]) == {}
        assert await log.inputs(key("t"), 1, 10) == []
        assert await log.events(key("t"), 0, 10) == []
        assert await log.parts(key("t")) == []
        assert await log.part(key("t"), "p") is None
        assert await log.named(key("t")) == []
        assert await log.session(key("s")) is None
        assert await log.items(key("s"), 0, 10) == []
        assert await log.taken_part_ids(key("s"), ["p"]) == set()
        assert await log.heads([key("t")]) == {}
        assert not await log.push(a_push())
        assert not await log.delete_turn(key("t"))
        assert await log.delete_session(key("s")) is None

    async def test_a_push_is_kept_whole(self, log: TurnLog) -> None:
        row = turn_row()
        await log.create_turn(row)
        push = a_push(
            inputs=[b"i1", b"i2"],
            events=[EventRow("delta", b"e1"), EventRow("custom", b"e2"), EventRow("delta", b"e3")],
            parts=[part("p2", b"two"), part("p1", b"one")],
            named=[b"n1", b"n2"],
            results=[b"r1", b"r2"],
        )
        assert await log.push(push)
        assert await log.turn(key("t")) == row.after(push)
        kept = await snapshot_of(log, key("t"))
        assert kept.row == row.after(push)
        assert kept.deltas == [b"e1", b"e3"]
        assert kept.parts == await log.parts(key("t")) == push.parts
        assert kept.named == await log.named(key("t")) == [b"n1", b"n2"]
        assert kept.results == await log.results(key("t")) == [b"r1", b"r2"]
        assert await log.inputs(key("t"), 1, 10) == [b"i1", b"i2"]
        assert await log.events(key("t"), 0, 10) == push.events
        assert await log.part(key("t"), "p1") == part("p1", b"one")
        assert await log.part(key("t"), "p3") is None
        assert await log.heads([key("t"), key("none")]) == {key("t"): Head(3, ended=False)}

    async def test_rows_take_the_numbers_behind_the_last(self, log: TurnLog) -> None:
        await log.create_turn(turn_row())
        for n in range(1, 4):
            assert await log.push(a_push(n, parts=[part(f"p{n}", b"")], named=[b"%d" % n]))
        assert await log.inputs(key("t"), 2, 10) == [b"input 2", b"input 3"]
        assert [row.data for row in await log.events(key("t"), 1, 1)] == [b"event 2"]
        assert [part.id for part in await log.parts(key("t"))] == ["p1", "p2", "p3"]
        assert await log.named(key("t")) == [b"1", b"2", b"3"]

    async def test_a_push_without_output(self, log: TurnLog) -> None:
        await log.create_turn(turn_row())
        assert await log.push(a_push(events=[]))
        assert await log.push(a_push(2))
        assert await log.events(key("t"), 0, 10) == [EventRow("delta", b"event 2")]

    async def test_only_the_expected_number_is_written(self, log: TurnLog) -> None:
        await log.create_turn(turn_row())
        assert not await log.push(a_push(2))
        assert await log.push(a_push(1))
        assert not await log.push(a_push(1, inputs=[b"other"]))
        assert await log.inputs(key("t"), 1, 10) == [b"input 1"]
        row = await log.turn(key("t"))
        assert row is not None
        assert (row.next, row.events, row.state) == (2, 1, b"after 1")

    async def test_nothing_is_written_behind_the_end(self, log: TurnLog) -> None:
        await ended_turn(log, "t", 9.5)
        assert not await log.push(a_push(2))
        row = await log.turn(key("t"))
        assert row is not None
        assert (row.status, row.reason, row.ended) == ("completed", "complete", 9.5)
        assert await log.running_turns() == 0
        assert await log.heads([key("t")]) == {key("t"): Head(3, ended=True)}

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
            assert await log.inputs(key("t"), n, 1) == [kept]
            assert await log.events(key("t"), n - 1, 1) == [EventRow("delta", kept)]

    async def test_an_answer_begun_anew(self, log: TurnLog) -> None:
        await log.create_turn(turn_row())
        await log.push(a_push(1, named=[b"old 1", b"old 2"]))
        await log.push(a_push(2, named=[b"new"], reset=True))
        await log.push(a_push(3, named=[b"newer"]))
        assert await log.named(key("t")) == [b"new", b"newer"]

    async def test_the_numbers_of_a_session_are_compared(self, log: TurnLog) -> None:
        await log.create_turn(turn_row())
        assert await log.push(a_push(1, counts=Counts("s", b"{}", b'{"x":1}')))
        assert not await log.push(a_push(2, counts=Counts("s", b"{}", b'{"x":2}')))
        assert not await log.push(a_push(2, counts=Counts("none", b"{}", b'{"x":2}')))
        session = await log.session(key("s"))
        row = await log.turn(key("t"))
        assert session is not None
        assert row is not None
        assert (session.counts, row.next) == (b'{"x":1}', 2)

    @pytest.mark.parametrize("payload", AWKWARD, ids=lambda payload: f"{len(payload)}B")
    async def test_payloads_survive_exactly(self, log: TurnLog, payload: bytes) -> None:
        row = turn_row()._replace(state=payload, labels=payload)
        once = Idempotency("k", payload, payload, 1.0)
        await log.create_turn(row, once)
        assert await log.turn(key("t")) == row
        assert await log.create_turn(row, once) == payload
        push = a_push(
            state=payload,
            inputs=[payload],
            events=[EventRow("delta", payload)],
            parts=[part("p", payload, payload)],
            named=[payload],
        )
        assert await log.push(push)
        kept = await snapshot_of(log, key("t"))
        assert (kept.row.state, kept.deltas, kept.named) == (payload, [payload], [payload])
        assert await log.inputs(key("t"), 1, 1) == [payload]
        assert await log.part(key("t"), "p") == PartRow("p", payload, payload)
        await log.add_message(key("s"), "m", payload, 3.0)
        assert (await log.items(key("s"), 1, 10))[0].message == payload

    async def test_a_page_has_so_many_rows_and_bytes(self, log: TurnLog) -> None:
        await log.create_turn(turn_row())
        big = bytes(PAGE_BYTES // 2)
        await log.push(a_push(inputs=[big] * 5 + [b"x"] * 9, events=[EventRow("delta", big)] * 5))
        assert (
            len(await log.inputs(key("t"), 1, 100)) == len(await log.events(key("t"), 0, 100)) == 2
        )
        assert len(await log.inputs(key("t"), 6, 4)) == 4
        await log.push(a_push(15, events=[EventRow("delta", bytes(PAGE_BYTES * 2))]))
        assert len(await log.events(key("t"), 5, 100)) == 1

    async def test_an_idempotency_key(self, log: TurnLog) -> None:
        once = Idempotency("key", b"request", b"answer", 1.0)
        assert await log.create_turn(turn_row("one"), once) is None
        assert await log.create_turn(turn_row("two"), once) == b"answer"
        with pytest.raises(KeyReusedError):
            await log.create_turn(turn_row("two"), once._replace(request=b"another"))
        assert await log.turn(key("two")) is None

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
        await log.push(a_push(parts=[part("p", b"")], named=[b"n"]))
        assert await log.delete_turn(key("t"))
        assert not await log.delete_turn(key("t"))
        assert await log.snapshots([key("t")]) == {}
        assert await log.taken_part_ids(key("s"), ["p", "q"]) == {"p"}  # never assigned again
        assert await log.session(key("s")) is not None
        await log.create_turn(turn_row())
        assert await log.events(key("t"), 0, 10) == []
        assert await log.named(key("t")) == []

    async def test_a_session_in_order(self, log: TurnLog) -> None:
        assert await log.add_message(key("s"), "m1", b"one", 5.0) == (1, b"one")
        await log.create_turn(turn_row("t1", created=4.0))  # the clock went back
        assert await log.add_message(key("s"), "m2", b"two", 3.0) == (3, b"two")
        await log.create_turn(turn_row("t2", created=2.0))
        await log.create_turn(turn_row("t3", session_id="other"))
        items = await log.items(key("s"), 0, 10)
        assert [item.position for item in items] == [1, 2, 3, 4]
        assert [item.turn and item.turn.id for item in items] == [None, "t1", None, "t2"]
        assert [item.message for item in items] == [b"one", None, b"two", None]
        assert [item.message_id for item in items] == ["m1", None, "m2", None]
        assert [item.created for item in items] == [5.0, 4.0, 3.0, 2.0]
        assert [item.position for item in await log.items(key("s"), 1, 2)] == [2, 3]
        await log.delete_turn(key("t1"))
        await log.create_turn(turn_row("t4"))
        assert [item.position for item in await log.items(key("s"), 0, 10)] == [1, 3, 4, 5]

    async def test_a_message_id_is_stored_once_in_a_session(self, log: TurnLog) -> None:
        await log.add_message(key("s"), "m", b"one", 1.0)
        assert await log.add_message(key("s"), "m", b"two", 2.0) == (1, b"one")
        assert await log.add_message(key("other"), "m", b"two", 2.0) == (1, b"two")
        assert [item.message for item in await log.items(key("s"), 0, 10)] == [b"one"]
        both = (log.add_message(key("s"), "n", data, 3.0) for data in (b"a", b"b"))
        first, second = await asyncio.gather(*both)
        assert first == second
        assert len(await log.items(key("s"), 0, 10)) == 2

    async def test_the_part_ids_of_a_session(self, log: TurnLog) -> None:
        for turn_id, session_id in (("t1", "s"), ("t2", "s"), ("t3", "other")):
            await log.create_turn(turn_row(turn_id, session_id))
            await log.push(a_push(turn_id=turn_id, parts=[part(f"of {turn_id}"), part("each")]))
        asked = ["of t1", "of t2", "of t3", "each", "none"]
        assert await log.taken_part_ids(key("s"), asked) == {"of t1", "of t2", "each"}
        assert await log.taken_part_ids(key("s", "tenant"), asked) == set()
        assert await log.taken_part_ids(key("s"), []) == set()

    async def test_about_parts_of_many_turns_at_once(self, log: TurnLog) -> None:
        for turn_id in ("t1", "t2", "t3"):
            await log.create_turn(turn_row(turn_id))
            rows = [part(f"p{n}", b"data", b"%s %d" % (turn_id.encode(), n)) for n in range(3)]
            await log.push(a_push(turn_id=turn_id, parts=rows))
        wanted = {key("t1"): ["p2", "p0"], key("t2"): ["none"], key("t3"): ["p1"], key("t4"): ["p"]}
        assert await log.about_parts(wanted) == {
            key("t1"): {"p0": b"t1 0", "p2": b"t1 2"},
            key("t3"): {"p1": b"t3 1"},
        }
        assert await log.about_parts({}) == {}

    async def test_the_last_events_of_many_turns_at_once(self, log: TurnLog) -> None:
        for number, turn_id in enumerate(("t1", "t2", "t3"), 1):
            await log.create_turn(turn_row(turn_id))
            events = [EventRow("delta", b"x"), EventRow("artifact", b"%d" % number * 100)]
            await log.push(a_push(turn_id=turn_id, events=events))
        await log.create_turn(turn_row("new"))
        asked = [key(name) for name in ("t3", "none", "new", "t1", "t2")]
        found = await log.last_events(asked, 10_000)
        assert found == {key(f"t{n}"): EventRow("artifact", b"%d" % n * 100) for n in (3, 1, 2)}
        assert list(await log.last_events(asked, 101)) == [key("t3"), key("t1")]
        assert list(await log.last_events(asked, 1)) == [key("t3")]
        assert await log.last_events([], 1) == {}

    async def test_what_a_turn_carries(self, log: TurnLog) -> None:
        for turn_id in ("t1", "t2", "t3"):
            await log.create_turn(turn_row(turn_id))
            rows = [part(f"of {turn_id}", b"12345"), part("each", turn_id.encode())]
            await log.push(a_push(turn_id=turn_id, parts=rows))
        carries = {
            "all": Carry(None, 100, 1000),
            "few": Carry(None, 3, 1000),
            "small": Carry(None, 100, 13),
            "some": Carry(["of t1", "each", "none"], 100, 1000),
        }
        for name, carry in carries.items():
            await log.create_turn(turn_row(name), None, carry)
        await log.push(a_push(2, turn_id="t1", parts=[part("later")]))
        found = {name: (await snapshot_of(log, key(name))).carried for name in carries}
        each = part("each", b"t3")
        of = {turn_id: part(f"of {turn_id}", b"12345") for turn_id in ("t1", "t2", "t3")}
        assert found == {
            "all": [each, of["t3"], of["t2"], of["t1"]],
            "few": [each, of["t3"], of["t2"]],
            "small": [each, of["t3"]],
            "some": [each, of["t1"]],
        }
        await log.delete_turn(key("t3"))
        assert (await snapshot_of(log, key("all"))).carried == [of["t2"], of["t1"]]
        await log.create_turn(turn_row("alone", "other"), None, carries["all"])
        assert (await snapshot_of(log, key("alone"))).carried == []

    async def test_tenants_do_not_see_each_other(self, log: TurnLog) -> None:
        for tenant in ("", "a", "b"):
            once = Idempotency("key", b"request", tenant.encode(), 1.0)
            assert await log.create_turn(turn_row(tenant=tenant), once) is None
            rows = [part("p", tenant.encode())]
            assert await log.push(a_push(tenant=tenant, state=tenant.encode(), parts=rows))
            await log.add_message(key("s", tenant), "m", tenant.encode(), 2.0)
        for tenant in ("", "a", "b"):
            row = await log.turn(key("t", tenant))
            assert row is not None
            assert (row.tenant, row.state) == (tenant, tenant.encode())
            found = await log.part(key("t", tenant), "p")
            assert found is not None
            assert found.data == tenant.encode()
            items = await log.items(key("s", tenant), 0, 10)
            assert [item.message for item in items] == [None, tenant.encode()]
            assert [one.id for one in await log.sessions(tenant, None, 10)] == ["s"]
        assert await log.delete_turn(key("t", "a"))
        assert await log.turn(key("t")) is not None
        assert await log.delete_session(key("s", "a")) == []
        assert await log.session(key("s", "b")) is not None
        assert await log.turns(None, 10) == [key("t"), key("t", "b")]

    async def test_sessions_page_by_page(self, log: TurnLog) -> None:
        for created, name in ((3.0, "b"), (1.0, "c"), (3.0, "a"), (2.0, "d")):
            await log.add_message(key(name), "m", b"", created)
        first = await log.sessions("", None, 3)
        assert [(row.created, row.id, row.items) for row in first] == [
            (3.0, "b", 1),
            (3.0, "a", 1),
            (2.0, "d", 1),
        ]
        rest = await log.sessions("", (2.0, "d"), 3)
        assert [row.id for row in rest] == ["c"]
        assert await log.sessions("", (1.0, "c"), 3) == []
        assert await log.sessions("other", None, 3) == []

    async def test_a_page_of_messages_has_so_many_bytes(self, log: TurnLog) -> None:
        for number in range(4):
            await log.add_message(key("s"), f"m{number}", bytes(PAGE_BYTES // 2), 1.0)
            await log.create_turn(turn_row(f"t{number}"))
        positions = []
        while page := await log.items(key("s"), positions[-1] if positions else 0, 100):
            positions += [item.position for item in page]
            assert sum(len(item.message or b"") for item in page) <= PAGE_BYTES
        assert positions == list(range(1, 9))

    async def test_a_session_goes_with_its_turns(self, log: TurnLog) -> None:
        await log.add_message(key("s"), "m", b"", 1.0)
        await log.create_turn(turn_row("t1"))
        await log.create_turn(turn_row("t2"))
        await log.create_turn(turn_row("t3", session_id="other"))
        assert sorted(await log.delete_session(key("s")) or []) == ["t1", "t2"]
        assert await log.delete_session(key("s")) is None
        assert await log.turn(key("t1")) is None
        assert await log.turn(key("t3")) is not None
        assert await log.items(key("s"), 0, 10) == []

    async def test_running_turns_page_by_page(self, log: TurnLog) -> None:
        for turn_id in ("b", "a", "c"):
            await log.create_turn(turn_row(turn_id))
        await log.create_turn(turn_row("a", tenant="x"))
        await ended_turn(log, "ended", 1.0)
        await log.push(a_push(turn_id="b"))
        first = await log.running(None, 2)
        assert first == [(key("a"), 1), (key("b"), 2)]
        assert await log.running(first[-1][0], 9) == [(key("c"), 1), (key("a", "x"), 1)]
        assert await log.running(key("a", "x"), 9) == []
        assert await log.running_turns() == 4

    async def test_turns_page_by_page(self, log: TurnLog) -> None:
        for turn_id in ("b", "a", "c"):
            await log.create_turn(turn_row(turn_id))
        assert await log.turns(None, 2) == [key("a"), key("b")]
        assert await log.turns(key("b"), 2) == [key("c")]
        assert await log.turns(key("c"), 2) == []

    async def test_snapshots_of_many_turns_at_once(self, log: TurnLog) -> None:
        for turn_id in ("t1", "t2"):
            await log.create_turn(turn_row(turn_id))
        found = await log.snapshots([key("t2"), key("none"), key("t1")])
        assert {name: one.row.id for name, one in found.items()} == {
            key("t1"): "t1",
            key("t2"): "t2",
        }

    async def test_what_retention_lets_go(self, log: TurnLog) -> None:
        await ended_turn(log, "old", 1.0)
        await ended_turn(log, "older", 0.5)
        await ended_turn(log, "new", 5.0)
        await log.create_turn(turn_row("running"))
        await log.create_turn(turn_row("key"), Idempotency("key", b"1", b"", 1.0))
        assert await log.trim(3.0, 10) == 2
        assert await log.trim(3.0, 10) == 0
        row = await log.turn(key("old"))
        assert row is not None
        assert row.trimmed
        for after in (0, 1):
            with pytest.raises(GoneError):
                await log.events(key("old"), after, 10)
        assert await log.events(key("old"), 2, 10) == [EventRow("artifact", b"all")]
        assert await log.events(key("old"), 3, 10) == []
        assert await log.inputs(key("old"), 1, 10) == [b"input 1"]
        assert len(await log.events(key("new"), 0, 10)) == 3
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
            await log.turn(key("t"))
        with pytest.raises(StoreError):
            await log.push(a_push())
        await log.close()  # a second time is nothing
