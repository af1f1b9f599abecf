"""``citestream serve``: how it starts, what it says, how it stops; over a real socket."""

import asyncio
import json
import signal
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from subprocess import Popen

import httpx
import pytest
from tests.api.turning import END, created, delta, events, following, problem, pushed
from tests.cli.command import SECONDS, begin
from tests.raw_http import RawClient
from tests.serving import until, with_own_store
from tests.sse import Event

from citestream.cli import main
from citestream.settings import Settings
from citestream.stores.sqlite.log import SqliteLog

STOPS_WITHIN = 15


@pytest.fixture(autouse=True)
def _signals() -> Iterator[None]:
    """Whoever runs ``serve`` in the process of the tests gets the signals of the tests back."""
    numbers = (signal.SIGINT, signal.SIGTERM)
    handlers = [signal.getsignal(number) for number in numbers]
    yield
    for number, handler in zip(numbers, handlers, strict=True):
        signal.signal(number, handler)


@contextmanager
def serving(*arguments: str, **settings: str) -> Iterator[tuple[Popen[bytes], str, int]]:
    """The running service, its host and its port as it told them."""
    store = {"CITESTREAM_STORE_URL": with_own_store(Settings()).store_url}
    with begin("serve", *arguments, **{**store, **settings}) as process:
        try:
            assert process.stdout
            head, _, port = process.stdout.readline().decode().rstrip().rpartition(":")
            start, _, host = head.partition("http://")
            assert start == "citestream listens at "
            yield process, host, int(port)
        finally:
            process.kill()


def stop(process: Popen[bytes], number: int) -> tuple[int, bytes]:
    """Send the signal; return the exit status and all of stderr."""
    began = time.monotonic()
    process.send_signal(number)
    status = process.wait(SECONDS)
    assert time.monotonic() - began < STOPS_WITHIN
    assert process.stdout
    assert process.stderr
    assert process.stdout.read() == b""
    return status, process.stderr.read()


def test_it_tells_its_address_serves_there_and_stops_while_a_stream_runs() -> None:
    with serving("--port", "0", CITESTREAM_PORT="not read", WEB_CONCURRENCY="3") as running:
        process, host, port = running
        assert host == "127.0.0.1"
        plain = HTTPConnection(host, port, timeout=SECONDS)
        plain.request("GET", "/livez")
        answer = plain.getresponse()
        assert (answer.status, answer.getheader("server")) == (200, None)
        answer.read()

        with socket.create_connection((host, port), timeout=SECONDS) as stream:
            line = json.dumps({"type": "delta", "text": "seen"}).encode() + b"\n"
            stream.sendall(
                b"POST /v1/stream HTTP/1.1\r\nHost: [::1]\r\nContent-Type: application/x-ndjson\r\n"
                b"Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n" % (len(line), line)
            )
            received = b""
            while b"seen" not in received:
                received += stream.recv(4096)
            assert stop(process, signal.SIGTERM) == (0, b"")
            while more := stream.recv(4096):
                received += more
        assert received.endswith(b"0\r\n\r\n")
        plain.close()


def test_ctrl_c_stops_it_and_an_open_address_is_said_to_be_open() -> None:
    with serving(CITESTREAM_HOST="0.0.0.0", CITESTREAM_PORT="0") as (process, host, _):
        assert host == "0.0.0.0"
        status, told = stop(process, signal.SIGINT)
    assert status == 0
    assert b"no access control yet: whoever reaches the port can use it\n" in told
    assert told.count(b"\n") == 1


def numbered(events: list[Event]) -> list[int]:
    return [int(event.id) for event in events]


def test_a_stop_lets_followers_go_and_takes_pushes_meanwhile(tmp_path: Path) -> None:
    """Not ready first; then readers are sent away one by one; no turn is interrupted."""
    store = f"sqlite:///{tmp_path}/turns.db"
    kept: dict[str, list[Event]] = {}
    with serving("--port", "0", CITESTREAM_STORE_URL=store, CITESTREAM_DRAIN_SECONDS="2") as found:
        process, _, port = found
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=SECONDS) as client:
            turns = [created(client) for _ in range(2)]
            with ExitStack() as stack:
                readers = [stack.enter_context(following(port, turns[n % 2])) for n in range(8)]
                producer = stack.enter_context(RawClient(port))
                producer.request(f"/v1/turns/{turns[0]}/input?seq=1")
                producer.line(delta("line 1 "))
                pushed(client, turns[1], 1, delta("push 1 "))
                first = [reader.event().value["text"] for reader in readers]
                assert first == ["line 1 ", "push 1 "] * 4

                began = time.monotonic()
                process.send_signal(signal.SIGTERM)
                until(lambda: client.get("/readyz").status_code == 503)
                problem(client.post("/v1/turns", json={}), 503, "not-ready")
                assert client.get("/livez").status_code == 200
                producer.line(delta("line 2 "))
                pushed(client, turns[1], 2, delta("push 2 "))
                second = [reader.event().value["text"] for reader in readers]
                assert second == ["line 2 ", "push 2 "] * 4
                assert time.monotonic() < began + 2

                for reader in readers:
                    assert list(reader.events()) == []
                    assert reader.reader.retry
                assert producer.status() == 503
            assert process.wait(SECONDS) == 0
            assert 2 <= time.monotonic() - began < STOPS_WITHIN
        assert process.stderr
        told = [json.loads(line) for line in process.stderr.read().splitlines()]
        assert [line for line in told if line["level"] != "info"] == []

    with (
        serving("--port", "0", CITESTREAM_STORE_URL=store) as (_, host, port),
        httpx.Client(base_url=f"http://{host}:{port}", timeout=SECONDS) as client,
    ):
        for turn in turns:
            found_next = client.get(f"/v1/turns/{turn}/input").json()
            assert found_next == {"next": 3, "status": "open"}
            pushed(client, turn, 3, END)
            kept[turn] = events(client, turn, 2)
    assert [numbered(found_events) for found_events in kept.values()] == [[3, 4]] * 2


def failed(capfd: pytest.CaptureFixture[str], *arguments: str) -> tuple[object, str]:
    with pytest.raises(SystemExit) as ended:
        main(["serve", *arguments])
    found = capfd.readouterr()
    assert found.out == ""
    return ended.value.code, found.err


@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
def test_a_taken_port_is_one_line(host: str, capfd: pytest.CaptureFixture[str]) -> None:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.create_server((host, 0), family=family) as taken:
        port = str(taken.getsockname()[1])
        found = failed(capfd, "--host", host, "--port", port)
    told = f"cannot listen at port {port} of {host}: Address already in use"
    assert found == (1, f"citestream serve: {told}\n")


def test_a_store_that_another_process_has_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CITESTREAM_STORE_URL", f"sqlite:///{tmp_path}/turns.db")
    held = SqliteLog(tmp_path / "turns.db")
    asyncio.run(held.open())
    try:
        found = failed(capfd, "--port", "0")
    finally:
        asyncio.run(held.close())
    told = "CITESTREAM_STORE_URL: this process has this store open already"
    assert found == (1, f"citestream serve: {told}\n")


@pytest.mark.parametrize("host", ["nobody.invalid", "a" * 64, "256.0.0.1"])
def test_a_host_that_is_none_is_one_line(host: str, capfd: pytest.CaptureFixture[str]) -> None:
    status, told = failed(capfd, "--host", host, "--port", "0")
    assert status == 1
    assert told.startswith(f"citestream serve: cannot listen at port 0 of {host}: ")
    assert told.count("\n") == 1


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("PORT", "65536", "CITESTREAM_PORT: Input should be less than or equal to 65535"),
        ("PORT", "banana", "CITESTREAM_PORT: Input should be a valid integer"),
        ("PING_SECONDS", "0", "CITESTREAM_PING_SECONDS: Input should be greater than 0"),
        ("HOST", "", "CITESTREAM_HOST: must not be empty"),
        ("TARGET_PRESET", "/dev/null", "CITESTREAM_TARGET_PRESET: line 1: the file ends without"),
        ("CONTEXT_SCHEME", "Banana", "CITESTREAM_CONTEXT_SCHEME: scheme: a lower-case letter"),
    ],
)
def test_a_bad_setting_names_its_variable_and_limit_not_its_value(
    name: str,
    value: str,
    told: str,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv(f"CITESTREAM_{name}", value)
    status, found = failed(capfd)
    assert status == 2
    assert found.startswith(f"citestream serve: {told}")
    assert found.count("\n") == 1
    assert "banana" not in found
    assert "65536" not in found
