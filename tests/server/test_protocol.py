"""Heads that are slow, large or no HTTP; over sockets, for the server may never hang."""

import json
import socket
import time
from collections.abc import Iterator
from typing import Any

import pytest
from tests.raw_http import RawClient
from tests.serving import DEADLINE, Served, serving, until

from citestream.server import protocol
from citestream.server.protocol import MAX_FIELDS, MAX_HEAD, MAX_WAITING

GET = b"GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n"


@pytest.fixture(scope="module")
def server() -> Iterator[Served]:
    with serving() as served:
        yield served


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    """A server that waits half a second where others wait long."""
    monkeypatch.setattr(protocol, "HEAD_SECONDS", 0.5)
    monkeypatch.setattr(protocol, "LINGER_SECONDS", 0.5)
    with serving(timeout_keep_alive=1) as served:
        yield served


def all_of(raw: RawClient) -> bytes:
    """Everything the server sends until it closes."""
    received = b""
    try:
        while data := raw.socket.recv(1 << 16):
            received += data
    except ConnectionError:
        pass
    return received


def refusal(answer: bytes) -> tuple[int, dict[str, Any]]:
    """The one response that ``answer`` is."""
    head, _, body = answer.partition(b"\r\n\r\n")
    status, *fields = head.decode().split("\r\n")
    assert "content-type: application/problem+json" in fields
    assert "connection: close" in fields
    assert f"content-length: {len(body)}" in fields
    problem: dict[str, Any] = json.loads(body)
    assert status.split()[1] == str(problem["status"])
    return problem["status"], problem


def asked(port: int, *pieces: bytes) -> bytes:
    with RawClient(port) as raw:
        for piece in pieces:
            try:
                raw.send(piece)
            except ConnectionError:
                break
            time.sleep(0)
        return all_of(raw)


def head_of(size: int, fields: int = 1) -> bytes:
    """A head of so many bytes, from the method to its last line end."""
    lines = [b"GET /livez HTTP/1.1", b"Host: localhost"]
    lines += [b"f%02d: " % number for number in range(fields - 1)]
    begun = b"\r\n".join([*lines, b"pad: "])
    return begun + b"x" * (size - len(begun) - 4) + b"\r\n\r\n"


@pytest.mark.parametrize("begun", [b"", b"GET /li", b"GET /livez HTTP/1.1\r\nHost: localhost\r\n"])
def test_a_head_that_does_not_come_is_refused(hasty: Served, begun: bytes) -> None:
    status, problem = refusal(asked(hasty.port, begun))
    assert (status, problem["type"]) == (408, "urn:citestream:problem:head-timeout")


def test_dripping_does_not_buy_time(hasty: Served) -> None:
    began = time.monotonic()
    with RawClient(hasty.port) as raw:
        raw.send(b"GET /livez HTTP/1.1\r\nx: ")
        try:
            while time.monotonic() < began + DEADLINE:
                raw.send(b"x")
                time.sleep(0.05)
        except ConnectionError:
            pass
    assert time.monotonic() < began + 5
    until(hasty.idle)


@pytest.mark.parametrize("begun", [b"", b"\r\n", b"GET /livez HT"])
def test_a_second_head_that_does_not_come_ends_the_connection(hasty: Served, begun: bytes) -> None:
    with RawClient(hasty.port) as raw:
        raw.send(GET)
        assert raw.status() == 200
        raw.body()
        raw.send(begun)
        rest = all_of(raw)
    assert refusal(rest)[0] == 408 if begun else rest == b""


@pytest.mark.parametrize(
    ("size", "pieces"), [(MAX_HEAD - 1, 1), (MAX_HEAD, 1), (MAX_HEAD, 40), (MAX_HEAD, MAX_HEAD)]
)
def test_a_large_head_is_taken(server: Served, size: int, pieces: int) -> None:
    head = head_of(size)
    step = -(-len(head) // pieces)
    with RawClient(server.port) as raw:
        for at in range(0, len(head), step):
            raw.send(head[at : at + step])
        assert raw.status() == 200


@pytest.mark.parametrize("pieces", [1, 2, 40])
@pytest.mark.parametrize("size", [MAX_HEAD + 1, MAX_HEAD + 5000])
def test_a_larger_head_is_refused(server: Served, size: int, pieces: int) -> None:
    head = head_of(size)
    step = -(-len(head) // pieces)
    status, problem = refusal(
        asked(server.port, *(head[at : at + step] for at in range(0, len(head), step)))
    )
    assert (status, problem["detail"]) == (431, "head: at most 16384 bytes")


def test_a_head_without_end_is_refused_before_its_deadline(server: Served) -> None:
    began = time.monotonic()
    assert refusal(asked(server.port, b"GET /livez HTTP/1.1\r\nx: " + b"x" * 40_000))[0] == 431
    assert time.monotonic() < began + protocol.HEAD_SECONDS


def test_fields_are_counted(server: Served) -> None:
    with RawClient(server.port) as raw:
        raw.send(head_of(4000, MAX_FIELDS - 1))
        assert raw.status() == 200
    status, problem = refusal(asked(server.port, head_of(4000, MAX_FIELDS)))
    assert (status, problem["detail"]) == (431, "head: at most 64 fields")


@pytest.mark.parametrize(
    "garbage",
    [
        b"hello\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(200),
        b"GET /livez HTTP/9.9\r\n\r\n",
        "GET /é HTTP/1.1\r\nHost: localhost\r\n\r\n".encode(),
        b"GET /livez HTTP/1.1\r\nHost: localhost\r\nno colon\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
        b"POST /v1/extract HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
        b"POST /v1/extract HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n"
        b"Content-Length: 3\r\n\r\nabc",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"CONNECT x:443 HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET http://x HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"\0" * 100,
    ],
)
def test_garbage_is_refused_and_not_repeated(server: Served, garbage: bytes) -> None:
    status, problem = refusal(asked(server.port, garbage))
    assert (status, problem["type"]) == (400, "urn:citestream:problem:bad-request")
    assert problem["detail"] == "the request is not HTTP/1.1"


def test_nothing_is_done_behind_a_refused_head(server: Served) -> None:
    """Whoever shares the connection may not find an answer to something else there."""
    answer = asked(server.port, head_of(MAX_HEAD + 1) + GET)
    assert refusal(answer)[0] == 431


def test_a_refusal_never_stands_inside_another_answer(server: Served) -> None:
    with RawClient(server.port) as raw:
        raw.request("/v1/stream")
        raw.line({"type": "delta", "text": "seen"})
        assert raw.status() == 200
        assert raw.event().value["text"] == "seen"
        raw.send(b"no chunk size\r\n")
        assert b"HTTP/1.1" not in all_of(raw)


@pytest.mark.parametrize("pieces", [1, 7])
def test_pipelined_requests_are_answered_in_order(server: Served, pieces: int) -> None:
    body = b'{"text":"' + b"x" * 30_000 + b'"}'
    post = (
        b"POST /v1/extract HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        b"Content-Length: %d\r\n\r\n%s" % (len(body), body)
    )
    sent = GET + post + post + GET
    step = -(-len(sent) // pieces)
    with RawClient(server.port) as raw:
        for at in range(0, len(sent), step):
            raw.send(sent[at : at + step])
        sizes = []
        for _ in range(4):
            assert raw.status() == 200
            sizes.append(len(raw.body()))
    assert sizes[0] == sizes[3] < 100
    assert sizes[1] == sizes[2] > 30_000


def test_a_head_that_begins_behind_a_body_is_not_charged_for_it(server: Served) -> None:
    body = b'{"text":"' + b"x" * 40_000 + b'"}'
    post = (
        b"POST /v1/extract HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        b"Content-Length: %d\r\n\r\n" % len(body)
    )
    with RawClient(server.port) as raw:
        raw.send(post)
        raw.send(body + GET[:10])
        assert raw.status() == 200
        raw.body()
        raw.send(GET[10:])
        assert raw.status() == 200


def test_a_connection_is_used_again_and_again(server: Served) -> None:
    with RawClient(server.port) as raw:
        for _ in range(50):
            raw.send(GET)
            assert raw.status() == 200
            raw.body()


@pytest.mark.parametrize("upgrade", ["h2c", "websocket"])
def test_an_offer_to_upgrade_is_passed_over(server: Served, upgrade: str) -> None:
    with RawClient(server.port) as raw:
        raw.send(
            b"GET /livez HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade, HTTP2-Settings\r\n"
            b"Upgrade: %s\r\nHTTP2-Settings: AAMAAABkAARAAAAA\r\n\r\n" % upgrade.encode()
        )
        assert raw.status() == 200


@pytest.mark.parametrize("line", [b"GET /livez\r\n\r\n", b"GET /livez\r\nHost: localhost\r\n\r\n"])
def test_a_request_line_without_a_version_is_refused(server: Served, line: bytes) -> None:
    assert refusal(asked(server.port, line))[0] == 400


@pytest.mark.parametrize("coding", [b"foo, chunked", b"chunked, chunked", b"gzip, chunked"])
def test_a_coding_that_nobody_decodes_is_refused(server: Served, coding: bytes) -> None:
    head = b"POST /v1/extract HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: " + coding
    status, problem = refusal(asked(server.port, head + b"\r\n\r\n0\r\n\r\n"))
    assert (status, problem["type"]) == (400, "urn:citestream:problem:bad-request")


def test_more_requests_than_may_wait_end_the_connection(server: Served) -> None:
    """The answer that is under way cannot carry a refusal, so the connection just ends."""
    with RawClient(server.port) as raw:
        raw.post("/v1/turns", {"turn_id": "crowd"})
        assert raw.status() in (201, 409)
        raw.body()
        raw.send(b"GET /v1/turns/crowd/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert raw.status() == 200
        raw.send(GET * MAX_WAITING)
        time.sleep(0.1)
        assert server.connections
        raw.send(GET)
        assert b"HTTP/1.1 200" not in all_of(raw)
    until(server.idle)


def test_a_client_that_goes_while_requests_wait_is_noticed(server: Served) -> None:
    with RawClient(server.port) as raw:
        raw.post("/v1/turns", {"turn_id": "left"})
        assert raw.status() in (201, 409)
        raw.body()
        raw.send(b"GET /v1/turns/left/events HTTP/1.1\r\nHost: localhost\r\n\r\n" + GET * 3)
        assert raw.status() == 200
    until(server.idle, 5)


def test_who_goes_on_sending_behind_the_answer_is_cut(hasty: Served) -> None:
    """An answer that did not need the body leaves no connection that is sent into for ever."""
    began = time.monotonic()
    with RawClient(hasty.port) as raw:
        raw.request("/v1/nothing")
        assert raw.status() == 404
        raw.body()
        with pytest.raises(ConnectionError):  # noqa: PT012 - which send meets the end is not known
            while time.monotonic() < began + DEADLINE:
                raw.chunk(b"x" * 100)
                time.sleep(0.02)
    assert time.monotonic() < began + 5
    until(hasty.idle)


def test_who_ends_the_body_behind_the_answer_is_served_on(hasty: Served) -> None:
    with RawClient(hasty.port) as raw:
        raw.request("/v1/nothing")
        assert raw.status() == 404
        raw.body()
        raw.end()
        raw.send(GET)
        assert raw.status() == 200
        raw.body()
        assert all_of(raw) == b""
    until(hasty.idle)


def test_many_half_heads_hinder_nobody(hasty: Served) -> None:
    sockets = [socket.create_connection(("127.0.0.1", hasty.port)) for _ in range(300)]
    try:
        for one in sockets:
            one.sendall(b"GET /livez HTTP/1.1\r\nx: ")
        assert b" 200 " in asked(hasty.port, GET.replace(b"Host", b"Connection: close\r\nHost"))
        until(hasty.idle)
    finally:
        for one in sockets:
            one.close()


def test_a_client_that_waits_to_be_asked_for_its_lines_is_asked() -> None:
    with serving() as server, socket.create_connection(("127.0.0.1", server.port), 10) as raw:
        raw.sendall(
            b"POST /v1/stream HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-ndjson\r\n"
            b"Expect: 100-continue\r\nTransfer-Encoding: chunked\r\n\r\n"
        )
        came = b""
        while b"text/event-stream" not in came:
            came += raw.recv(4096)
        assert came.startswith(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n")
        raw.sendall(b"0\r\n\r\n")
        while b"event: artifact" not in came:
            came += raw.recv(4096)


ASKS = b"POST /v1/stream HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n"
CHUNKED = b"Transfer-Encoding: chunked\r\n\r\n"


@pytest.mark.parametrize("kind", [b"application/x-ndjson; charset=utf-8", b"Application/X-NDJSON"])
def test_whatever_way_it_names_its_lines_it_is_asked(server: Served, kind: bytes) -> None:
    with RawClient(server.port) as raw:
        raw.send(ASKS + b"Content-Type: " + kind + b"\r\n" + CHUNKED)
        assert raw.socket.recv(25, socket.MSG_WAITALL) == b"HTTP/1.1 100 Continue\r\n\r\n"


def test_nobody_is_asked_inside_another_answer(server: Served) -> None:
    with RawClient(server.port) as raw:
        raw.request("/v1/stream")
        assert raw.status() == 200
        raw.line({"type": "delta", "text": "a"})
        raw.line({"type": "end"})
        raw.end()
        raw.send(ASKS + b"Content-Type: application/x-ndjson\r\n" + CHUNKED)
        assert [event.type for event in raw.events()][-1] == "artifact"


@pytest.mark.parametrize(
    "framing",
    [
        b"0\r\n" + b"x: y\r\n" * 100_000,
        b"0\r\nx: " + b"y" * 600_000,
        b"5;" + b"y" * 600_000,
    ],
    ids=["trailers", "a trailer", "an extension"],
)
def test_a_body_may_not_go_on_without_a_body(server: Served, framing: bytes) -> None:
    head = (
        b"POST /v1/extract HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        + CHUNKED
    )
    cut = [framing[at : at + 10_000] for at in range(0, len(framing), 10_000)]
    answer = asked(server.port, head + b'c\r\n{"text":"a"}\r\n', *cut)
    if answer:  # who still sends when the connection is closed may lose it
        status, problem = refusal(answer)
        assert (status, problem["detail"]) == (431, "body: at most 16384 bytes of trailers")
    until(server.idle)


@pytest.mark.parametrize("connection", ["close", "keep-alive"])
@pytest.mark.parametrize("size", [3_000_000, 17 * 1024 * 1024])
def test_who_sends_too_much_gets_to_read_the_answer(
    server: Served, connection: str, size: int
) -> None:
    for _ in range(3):
        with RawClient(server.port) as raw:
            raw.request("/v1/extract", kind="text/plain", length=size, Connection=connection)
            raw.send(b"x" * size)
            assert raw.status() in (413, 415)
            raw.body()
            if connection == "close":
                assert all_of(raw) == b""
    until(server.idle)


@pytest.mark.parametrize("pieces", [1, 2])
def test_a_trailer_is_no_field_of_the_head(server: Served, pieces: int) -> None:
    head = b"POST /v1/extract HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" + CHUNKED
    rest = b'c\r\n{"text":"a"}\r\n0\r\nContent-Type: application/json\r\n\r\n'
    sent = [head + rest] if pieces == 1 else [head, rest]
    assert asked(server.port, *sent).startswith(b"HTTP/1.1 415 ")


def test_a_body_that_is_no_http_is_refused(server: Served) -> None:
    head = (
        b"POST /v1/extract HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        + CHUNKED
    )
    answer = asked(server.port, head + b'c\r\n{"text":"a"}\r\nzz\r\n')
    assert refusal(answer)[0] == 400
    until(server.idle)


def test_a_reader_that_leaves_a_long_answer_lying_loses_its_socket(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(protocol, "WRITE_SECONDS", 0.3)
    body = json.dumps({"text": "x" * 4_000_000}).encode()
    head = (
        "POST /v1/extract HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    with serving(send_buffer=16384) as server, socket.socket() as raw:
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        raw.connect(("127.0.0.1", server.port))
        raw.sendall(head.encode() + body)
        until(lambda: server.connections)
        until(server.idle)
