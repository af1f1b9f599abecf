"""Any order of pushes, repetitions, restarts and readings of stored turns."""

import asyncio
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, rule
from tests.service.stored_turns import (
    END,
    Numbered,
    deltas,
    part,
    stored,
    turns_on,
)

from citestream.api.transport.problems import STATUSES
from citestream.service.problems import Problem
from citestream.service.stored.verifying import verify
from citestream.stores.sqlite.log import SqliteLog
from citestream.turns import CustomInput, InputEvent, ResultsInput

pytestmark = pytest.mark.anyio


TEXTS = st.sampled_from(
    ["a", " ", ".", "\ue200", "cite", "\ue202", "p1", "tool_data_01", "\ue201", "\ud83d", "\ude00"]
)
INPUTS = st.one_of(
    TEXTS.map(lambda text: deltas(text)[0]),
    TEXTS.map(lambda text: deltas(text)[0]),
    st.sampled_from([part("x"), part("y", "p1"), part("u", origin="user"), CustomInput("n", 1)]),
    st.just(ResultsInput("search_web", ({"title": "T", "url": "https://a.example/"},))),
)


class TurnsMachine(RuleBasedStateMachine):
    """Two producers' processes on one file, which may both be restarted; and a reader."""

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.folder = TemporaryDirectory(ignore_cleanup_errors=True)
        self.run = self.runner.run
        self.inputs: dict[str, list[InputEvent]] = {}
        self.ended: set[str] = set()
        self.read: dict[str, Numbered] = {}
        self.boot()

    def boot(self) -> None:
        self.log = SqliteLog(Path(self.folder.name) / "turns.db")
        self.run(self.log.open())
        self.processes = [turns_on(self.log, "one"), turns_on(self.log, "two")]

    def teardown(self) -> None:
        for turn_id in self.inputs:
            assert self.run(verify(self.processes[0], turn_id)) == []
            if turn_id in self.ended:
                self.follow(turn_id)
                assert self.read[turn_id] == self.run(stored(self.processes[1], turn_id))
                kinds = [row.type for _, row in self.read[turn_id]]
                assert kinds.count("artifact") == 1
                assert kinds[-1] == "artifact"
        ids = self.run(self.log.part_ids("s"))
        assigned = [id_ for id_ in ids if id_ != "p1"]
        assert len(assigned) == len(set(assigned))
        self.run(self.log.close())
        self.runner.close()
        self.folder.cleanup()

    turn = Bundle("turn")

    @rule(target=turn, process=st.integers(0, 1))
    def create(self, process: int) -> str:
        turn_id = f"t{len(self.inputs)}"
        self.run(self.processes[process].create(turn_id=turn_id, session_id="s"))
        self.inputs[turn_id] = []
        self.read[turn_id] = []
        return turn_id

    def push(self, process: int, turn_id: str, seq: int, events: list[InputEvent]) -> None:
        known = self.inputs[turn_id]
        push = self.processes[process].push(turn_id, seq, events)
        fresh = events[max(0, len(known) + 1 - seq) :]
        repeated = events[: len(events) - len(fresh)]
        as_known = known[seq - 1 : seq - 1 + len(repeated)] == repeated
        follows = seq <= len(known) + 1
        if follows and as_known and not (fresh and turn_id in self.ended):
            answer = self.run(push)
            known += fresh
            assert answer.next >= seq + len(events)
            assert len(answer.parts) == sum(event.type in ("part", "results") for event in events)
            if answer.status not in ("open", "retry_required"):
                self.ended.add(turn_id)
        else:
            with pytest.raises(Problem) as caught:
                self.run(push)
            assert STATUSES[caught.value.type] == 409
            assert caught.value.extra == {"next": len(known) + 1}

    @rule(process=st.integers(0, 1), turn_id=turn, events=st.lists(INPUTS, min_size=1, max_size=4))
    def push_next(self, process: int, turn_id: str, events: list[InputEvent]) -> None:
        self.push(process, turn_id, len(self.inputs[turn_id]) + 1, events)

    @rule(
        process=st.integers(0, 1),
        turn_id=turn,
        events=st.lists(INPUTS, max_size=2),
        back=st.integers(1, 5),
    )
    def push_again(self, process: int, turn_id: str, events: list[InputEvent], back: int) -> None:
        first = max(0, len(self.inputs[turn_id]) - back)
        self.push(process, turn_id, first + 1, [*self.inputs[turn_id][first:], *events])

    @rule(process=st.integers(0, 1), turn_id=turn, event=INPUTS, distance=st.integers(-3, 3))
    def push_somewhere(self, process: int, turn_id: str, event: InputEvent, distance: int) -> None:
        self.push(process, turn_id, max(1, len(self.inputs[turn_id]) + 1 + distance), [event])

    @rule(process=st.integers(0, 1), turn_id=turn)
    def end(self, process: int, turn_id: str) -> None:
        self.push(process, turn_id, len(self.inputs[turn_id]) + 1, [END])

    @rule()
    def restart(self) -> None:
        self.run(self.log.close())
        self.boot()

    @rule(turn_id=turn, pages=st.integers(1, 3))
    def follow(self, turn_id: str, pages: int = 99) -> None:
        """Read on where the reader stopped; go away after some pages."""
        seen = self.read[turn_id]

        async def read() -> None:
            before = len(seen)
            left = pages
            rows = await stored(self.processes[0], turn_id)
            following = self.processes[0].follow(turn_id, before)
            while left and len(seen) < len(rows):
                seen.extend(await anext(following))
                left -= 1
            await following.aclose()  # type: ignore[attr-defined]
            assert seen == rows[: len(seen)]

        self.run(read())


TestTurnsMachine = TurnsMachine.TestCase
TestTurnsMachine.settings = settings(
    max_examples=15,
    stateful_step_count=25,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
