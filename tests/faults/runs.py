"""A turn, its producer and its readers, through any number of deaths of the service.

The oracle is :func:`check`: what readers saw, over all their connections, and what the service
keeps is exactly what a turn that nothing disturbed has.
"""

import json
import random
import socket
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from tests.api.turning import delta, lines_of, marker, part
from tests.faults.lives import Lives
from tests.raw_http import Closed, RawClient
from tests.serving import DEADLINE
from tests.sse import Event, text_of

WORDS = ("tide", "Flut", "潮", "🌊", "mare\u0301e", "\u2028", "x\0y", "2.5", "wave")
GONE = (Closed, ConnectionError, socket.timeout)
Ask = Callable[[RawClient], Any]


@dataclass
class Plan:
    """The input of one turn, and what must come of it by the way it was made."""

    id: str
    events: list[dict[str, Any]] = field(default_factory=list)
    text: str = ""
    citations: list[tuple[str, int, str]] = field(default_factory=list)
    """Id, offset and locator, in order."""


def planned(id_: str, seed: int, size: int) -> Plan:
    """Make a turn of about ``size`` events: parts, text and markers, cut into deltas anywhere."""
    dice = random.Random(seed)  # noqa: S311
    plan = Plan(id_)
    raw = ""
    parts: list[dict[str, Any]] = []
    for number in range(size // 2):
        if number % 12 == 0:
            parts.append(part(None, {"value": [f"fact {number}"] * 3}, title=f"T{number}"))
        plan.text += (word := dice.choice(WORDS))
        raw += word
        if dice.random() < 0.3:
            cited = f"tool_data_{dice.randint(1, len(parts)):02}"
            locator = dice.choice(["", "/0", "/2"])
            raw += marker(cited, *filter(None, [locator]))
            plan.citations.append((cited, len(plan.text), locator))
        raw += " "
        plan.text += " "
    cuts = sorted({0, len(raw), *dice.choices(range(len(raw)), k=size)})
    deltas = [delta(raw[at:to]) for at, to in pairwise(cuts)]
    every = len(deltas) // len(parts)
    for number, one in enumerate(parts):
        # Some parts come behind their markers.
        deltas.insert(min(number * (every + 1) + dice.randint(0, every), len(deltas)), one)
    first = next(n for n, one in enumerate(deltas) if one["type"] == "part")
    deltas.insert(0, deltas.pop(first))
    plan.events = [*deltas, {"type": "end"}]
    return plan


def asked(raw: RawClient, method: str, path: str, body: Any = None, **headers: str) -> Any:
    """Ask for JSON; the status and the value."""
    content = b"" if body is None else json.dumps(body).encode()
    lines = [f"{method} {path} HTTP/1.1", "Host: localhost", f"Content-Length: {len(content)}"]
    lines += ["Content-Type: application/json"] if content else []
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    raw.send("\r\n".join([*lines, "", ""]).encode() + content)
    status = raw.status()
    found = raw.body()
    return status, json.loads(found) if found else None


class Life:
    """Calls to a service that may die at any moment: each is made until it is answered."""

    def __init__(self, lives: Lives) -> None:
        self.lives = lives
        self.until = time.monotonic() + 2 * DEADLINE

    def __call__(self, ask: Ask) -> Any:
        while True:
            assert time.monotonic() < self.until, "the service does not come back"
            self.lives.alive.wait(1)
            try:
                with RawClient(self.lives.port) as raw:
                    return ask(raw)
            except GONE:
                time.sleep(0.005)


class Producer(threading.Thread):
    """Creates the turn and pushes its events, going on from ``next`` after every break."""

    def __init__(self, plan: Plan, lives: Lives, seed: int, pause: float = 0.0) -> None:
        super().__init__(daemon=True)
        self._plan = plan
        self._life = Life(lives)
        self._dice = random.Random(seed)  # noqa: S311
        self._pause = pause
        self._acknowledged = 1
        self.ids: dict[int, str] = {}
        """The id of each part that an answer told, by the part's place among the parts."""
        self.error: BaseException | None = None

    def run(self) -> None:
        try:
            self.produce()
        except BaseException as error:
            self.error = error

    def produce(self) -> None:
        body = {"turn_id": self._plan.id, "session_id": f"of-{self._plan.id}"}
        status, made = self._life(
            lambda raw: asked(raw, "POST", "/v1/turns", body, Idempotency_Key=self._plan.id)
        )
        assert (status, made) == (201, {**body_of(body), "next": 1})
        address = f"/v1/turns/{self._plan.id}/input"
        while True:
            status, found = self._life(lambda raw: asked(raw, "GET", address))
            assert status == 200, found
            assert found["next"] >= self._acknowledged, "what was acknowledged is lost"
            if found["next"] > len(self._plan.events):
                assert found["status"] == "completed"
                return
            self._push(address, found["next"])

    def _push(self, address: str, number: int) -> None:
        try:
            with RawClient(self._life.lives.port) as raw:
                while number <= len(self._plan.events):
                    lines = self._dice.random() < 0.5
                    # At times what was accepted before is pushed once more.
                    first = max(1, number - self._dice.choice([0, 0, 0, 2]))
                    size = self._dice.randint(1, 40 if lines else 10)
                    events = self._plan.events[first - 1 : number - 1 + size]
                    number = self._pushed(raw, address, first, events, lines=lines)
                    self._acknowledged = number
        except GONE:
            return

    def _pushed(
        self, raw: RawClient, address: str, first: int, events: list[Any], *, lines: bool
    ) -> int:
        if lines:
            raw.request(f"{address}?seq={first}")
            for event in events:
                raw.chunk(lines_of(event))
                time.sleep(self._pause)
            raw.end()
            status, found = raw.status(), json.loads(raw.body())
        else:
            body = {"seq": first, "events": events}
            status, found = asked(raw, "POST", address, body)
            time.sleep(self._pause)
        assert status == 200, found
        assert found["next"] == first + len(events)
        before = sum(event["type"] == "part" for event in self._plan.events[: first - 1])
        for place, told in enumerate(found["parts"], before):
            assert self.ids.setdefault(place, told["id"]) == told["id"]
        return int(found["next"])


def body_of(body: dict[str, Any]) -> dict[str, Any]:
    return {"id": body["turn_id"], "session_id": body["session_id"]}


class Reader(threading.Thread):
    """Follows a turn to its end, coming back behind the last event after every break."""

    def __init__(self, plan: Plan, lives: Lives, seed: int) -> None:
        super().__init__(daemon=True)
        self._plan = plan
        self._life = Life(lives)
        self._dice = random.Random(seed)  # noqa: S311
        self.events: list[Event] = []
        self.error: BaseException | None = None

    def run(self) -> None:
        try:
            while self._life(self._read):
                pass
        except BaseException as error:
            self.error = error

    def _read(self, raw: RawClient) -> bool:
        """Read one connection; tell whether to come back."""
        after = f"Last-Event-ID: {len(self.events)}\r\n" if self.events else ""
        head = f"GET /v1/turns/{self._plan.id}/events HTTP/1.1\r\nHost: localhost\r\n{after}\r\n"
        raw.send(head.encode())
        status = raw.status()
        if status == 404:
            time.sleep(0.02)  # not yet created
            return True
        if status == 204:
            return False
        assert status == 200
        for _ in range(self._dice.randint(5, 200)):
            event = raw.event()
            assert event.id == str(len(self.events) + 1)  # P3
            self.events.append(event)
        raw.reset()
        return True


def check(plan: Plan, reader: Reader, answer: dict[str, Any]) -> None:
    """Hold what a reader saw and what is kept against what must be (P1 to P6)."""
    seen = reader.events
    assert text_of(seen) == plan.text  # P1
    live = [one.value["citation"] for one in seen if one.type == "citation"]
    *_, summary, artifact = seen
    expected = [
        {"data_part_id": id_, "offset": at, "locator": to} for id_, at, to in plan.citations
    ]
    assert [
        {name: one[name] for name in expected[0]} for one in answer["citations"]
    ] == expected  # P2
    assert summary.value["citations"] == answer["citations"]
    assert sorted(live, key=_place) == sorted(answer["citations"], key=_place)
    terminal = [one.type for one in seen if one.type in ("artifact", "error")]
    assert terminal == ["artifact"]  # P4
    assert artifact.type == "artifact"
    for one in seen:
        assert not {"\ue200", "\ue201", "\ue202"} & set(one.data)  # P5
        assert "\\ue20" not in one.data
    assert artifact.value["artifact"] == answer["artifact"]  # P6
    assert (answer["text"], answer["status"]) == (plan.text, "completed")


def _place(citation: dict[str, Any]) -> tuple[int, str, str]:
    return citation["offset"], citation["data_part_id"], str(citation["locator"])


def undisturbed(lives: Lives, plan: Plan) -> list[Event]:
    """The events of the same input, pushed at once into a turn that nothing disturbs."""
    twin = f"{plan.id}-twin"
    life = Life(lives)
    body = {"turn_id": twin, "session_id": f"of-{twin}"}
    life(lambda raw: asked(raw, "POST", "/v1/turns", body))
    push = {"seq": 1, "events": plan.events}
    status, found = life(lambda raw: asked(raw, "POST", f"/v1/turns/{twin}/input", push))
    assert status == 200, found
    reader = Reader(Plan(twin), lives, 0)
    reader.run()
    assert reader.error is None
    return reader.events


def finished(threads: list[Any]) -> Iterator[Any]:
    """Wait for producers or readers; raise what any of them met."""
    for thread in threads:
        thread.join(2 * DEADLINE)
        assert not thread.is_alive(), "it does not come to an end"
        if thread.error:
            raise thread.error
        yield thread
