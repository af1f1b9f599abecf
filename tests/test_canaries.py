"""Nothing that anybody wrote is ever written by the process itself.

Canaries are planted in every place where a caller or a model may put text, in requests that are
answered, refused, broken off and that make the program fail; none may be found in its log, its
figures, its output or a refusal.
"""

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from tests.api.turning import END, NDJSON, delta, lines_of, marker, part
from tests.cli.command import environment
from tests.raw_http import RawClient
from tests.serving import DEADLINE

FAILING = """
import threading
from citestream.turns import Turn
from citestream.service.stored.reading import TurnReader
feed, raw = Turn.feed, TurnReader.raw
def failing(self, text):
    if "explode" in text:
        threading.Thread(target=lambda: {}[text]).start()
        raise RuntimeError(text)
    return feed(self, text)
async def failing_raw(self, key):
    text = await raw(self, key)
    raise ValueError(text)
Turn.feed, TurnReader.raw = failing, failing_raw
from citestream.cli import main
main()
"""
"""The command, in which a delta that says so makes the program fail."""


JSON = {"Content-Type": "application/json"}


class Canaries:
    def __init__(self) -> None:
        self.planted: list[str] = []

    def __call__(self) -> str:
        self.planted.append(f"kanari{len(self.planted):02}x")
        return self.planted[-1]


@contextmanager
def serving(folder: Path) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    store = f"sqlite:///{folder}/turns.db"
    with (
        (folder / "stderr").open("wb") as told,
        subprocess.Popen(
            [sys.executable, "-c", FAILING, "serve", "--port", "0"],
            stdout=subprocess.PIPE,
            stderr=told,
            env=environment(CITESTREAM_STORE_URL=store, CITESTREAM_DRAIN_SECONDS="0"),
        ) as process,
    ):
        try:
            assert process.stdout
            yield process, int(process.stdout.readline().rpartition(b":")[2])
        finally:
            process.kill()


def answered(client: httpx.Client, canary: Canaries) -> None:
    """Plant canaries in requests that are answered."""
    parts = [
        {"id": "p", "tool_name": canary(), "data": {canary(): canary()}, "title": canary()},
        {"id": "q", "tool_name": "t", "data": 1, "url": f"https://{canary()}.example/{canary()}"},
        {"id": "r", "tool_name": "t", "data": 1, "target": {"kind": "web", "url": canary()}},
    ]
    for found in parts:
        found["type"] = "part"
    raw = f"{canary()} {marker('p', '/' + canary())}{marker(canary())} \ue200cite\ue202{canary()} "
    answer = client.post("/v1/extract", json={"text": raw, "parts": []})
    assert answer.status_code == 200
    headers = {
        "User-Agent": canary(),
        "Cookie": canary(),
        "Authorization": f"Bearer {canary()}",
        "Referer": canary(),
        "X-Real-Ip": canary(),
        "Idempotency-Key": canary(),
    }
    turn = client.post(
        f"/v1/turns?key={canary()}", json={"labels": {canary(): canary()}}, headers=headers
    )
    address = f"/v1/turns/{turn.json()['id']}"
    events = [*parts[:2], delta(raw), {"type": "custom", "name": canary(), "value": canary()}, END]
    assert client.post(f"{address}/input", json={"seq": 1, "events": events}).status_code == 200
    client.get(f"{address}/events?token={canary()}")
    client.get(address, headers={"If-None-Match": canary()})
    body = {"text": canary(), "context": {canary(): [canary()]}}
    assert client.post("/v1/sessions/s/messages", json=body).status_code == 201
    stream = client.post("/v1/stream", content=lines_of(*parts, delta(raw)), headers=NDJSON)
    assert stream.status_code == 200


def refused(client: httpx.Client, canary: Canaries) -> Iterator[httpx.Response]:
    """Plant canaries in requests that are refused; the refusals."""
    turn = client.post("/v1/turns", json={}).json()["id"]
    address = f"/v1/turns/{turn}/input"
    yield client.post("/v1/extract", json={"text": [canary()]})
    yield client.post("/v1/extract", json={canary(): canary()})
    yield client.post("/v1/extract", content=f'{{"text": "{canary()}'.encode(), headers=JSON)
    yield client.post("/v1/extract", content=f'{{"{(two := canary())}":1,"{two}":2}}', headers=JSON)
    yield client.post("/v1/extract", content=b"{}", headers={"Content-Type": canary()})
    yield client.post("/v1/extract", content=b"{}", headers={**JSON, "Content-Encoding": canary()})
    yield client.post("/v1/turns", json={"turn_id": f"{canary()}!"})
    yield client.post("/v1/turns", json={"options": {"whitespace": canary()}})
    yield client.post("/v1/turns", json={}, headers={"Idempotency-Key": canary() * 30})
    yield client.post(address, json={"seq": canary(), "events": []})
    yield client.post(address, json={"seq": 1, "events": [{"type": canary()}]})
    yield client.post(address, json={"seq": 1, "events": [part("p"), part("p", canary())]})
    yield client.post(f"{address}?seq=1", content=f"{canary()}\n", headers=NDJSON)
    yield client.get(f"/v1/turns/{turn}/events", headers={"Last-Event-ID": canary()})
    yield client.get(f"/v1/turns/{turn}/events?last_event_id={canary()}")
    yield client.get(f"/v1/turns/{turn}/parts/{canary()}")
    yield client.get(f"/v1/turns/{canary()}")
    yield client.get(f"/v1/sessions/s/history?for={canary()}")
    yield client.get(f"/{canary()}")
    yield client.request(canary().upper(), "/v1/turns")


def failed(client: httpx.Client, port: int, canary: Canaries) -> Iterator[bytes]:
    """Plant canaries in requests that make the program fail; what is answered of its own."""
    text = f"explode {canary()}"
    answer = client.post("/v1/extract", json={"text": text})
    assert answer.status_code == 500
    yield answer.content
    with RawClient(port) as raw:
        raw.post("/v1/stream", {"deltas": ["good", text]})
        assert raw.status() == 200
        good, error = raw.event(), raw.event()
        assert (good.type, error.value["error"]["status"]) == ("delta", 500)
        yield error.data.encode()
    turn = client.post("/v1/turns", json={}).json()["id"]
    answer = client.post(f"/v1/turns/{turn}/input", json={"seq": 1, "events": [delta(text)]})
    assert answer.status_code == 500
    yield answer.content
    client.post(f"/v1/turns/{turn}/input", json={"seq": 1, "events": [delta(canary())]})
    answer = client.get(f"/v1/turns/{turn}/raw")
    assert answer.status_code == 500
    yield answer.content
    for garbage in (f"{canary()}\r\n\r\n", f"GET /{'x' * 20_000}{canary()} HTTP/1.1\r\n\r\n"):
        with RawClient(port) as raw:
            raw.send(garbage.encode())
            raw.status()
            yield raw.body()
    with RawClient(port) as raw:
        raw.request(f"/v1/turns/{turn}/input?seq=2")
        raw.line(delta(canary()))
        raw.chunk(canary().encode())
        raw.reset()


def test_no_canary_is_ever_written(tmp_path: Path) -> None:
    canary = Canaries()
    own: list[bytes] = []
    with (
        serving(tmp_path) as (process, port),
        httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=DEADLINE) as client,
    ):
        answered(client, canary)
        for answer in refused(client, canary):
            assert 400 <= answer.status_code < 500, answer.text
            assert answer.headers["content-type"] == "application/problem+json"
            own += [answer.content, repr(answer.headers).encode()]
        own += failed(client, port, canary)
        own.append(client.get("/metrics").content)
        process.send_signal(signal.SIGTERM)
        assert process.wait(DEADLINE) == 0
        assert process.stdout
        own.append(process.stdout.read())
    assert len(canary.planted) >= 40
    told = (tmp_path / "stderr").read_bytes()
    lines: list[dict[str, Any]] = [json.loads(line) for line in told.splitlines()]
    own.append(told)
    found = {one for one in canary.planted for text in own if one.encode() in text.lower()}
    assert not found
    assert {line["event"] for line in lines} >= {
        "answer",
        "unhandled",
        "thread_failed",
        "Exception in ASGI application",
        "Invalid HTTP request received.",
    }
