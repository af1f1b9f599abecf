"""Requests that offer another protocol: read as they are framed, however their bytes are cut."""

import json
import shutil
import subprocess
from collections.abc import Iterator
from itertools import product

import httptools
import pytest
from tests.raw_http import RawClient
from tests.serving import Served, serving

from citestream.server.framing import FramedParser

OFFERS = {
    "none": b"",
    "curl": b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n",
    "java": b"Upgrade: h2c\r\nHTTP2-Settings: AAEAAEAA\r\nConnection: Upgrade, HTTP2-Settings\r\n",
    "websocket": b"Connection: keep-alive, upgrade\r\nUpgrade: websocket\r\n",
}
FRAMINGS = {
    "nothing": (b"", b"", b""),
    "empty": (b"Content-Length: 0\r\n", b"", b""),
    "length": (b"Content-Length: 5\r\n", b"hello", b"hello"),
    "chunks": (
        b"Transfer-Encoding: chunked\r\n",
        b"2\r\nhe\r\n3;x=y\r\nllo\r\n0\r\nTrailer-Field: t\r\n\r\n",
        b"hello",
    ),
}


class Heard:
    """Writes down what the parser finds."""

    def __init__(self) -> None:
        self.parser = FramedParser(self)
        self.requests: list[tuple[bytes, bytes, bytes, bool]] = []

    def on_message_begin(self) -> None:
        self.url = self.body = b""
        self.fields: list[tuple[bytes, bytes]] = []

    def on_url(self, url: bytes) -> None:
        self.url += url

    def on_header(self, name: bytes, value: bytes) -> None:
        self.fields.append((name, value))

    def on_headers_complete(self) -> None:
        self.method = self.parser.get_method()
        assert self.parser.get_http_version() == "1.1"
        assert not self.parser.should_upgrade()

    def on_body(self, body: bytes) -> None:
        self.body += body

    def on_message_complete(self) -> None:
        named = [name.lower() for name, _ in self.fields]
        offered = b"upgrade" in named
        assert named.count(b"host") == 1
        self.requests.append((self.method, self.url, self.body, offered))


def request(method: bytes, url: bytes, offer: bytes, framing: str) -> bytes:
    head, body, _ = FRAMINGS[framing]
    return method + b" " + url + b" HTTP/1.1\r\nHost: h\r\n" + offer + head + b"\r\n" + body


@pytest.mark.parametrize(("first", "second"), list(product(FRAMINGS, FRAMINGS)))
@pytest.mark.parametrize("offer", OFFERS)
def test_every_cut_gives_the_same_requests(offer: str, first: str, second: str) -> None:
    sent = request(b"PUT", b"/one", OFFERS[offer], first)
    sent += request(b"POST", b"/two", OFFERS[offer], second)
    sent += request(b"GET", b"/three", b"", "nothing")
    offered = offer != "none"
    expected = [
        (b"PUT", b"/one", FRAMINGS[first][2], offered),
        (b"POST", b"/two", FRAMINGS[second][2], offered),
        (b"GET", b"/three", b"", False),
    ]
    for cuts in ([[at] for at in range(len(sent))], [list(range(1, len(sent)))]):
        for cut in cuts:
            heard = Heard()
            for start, end in zip([0, *cut], [*cut, len(sent)], strict=True):
                heard.parser.feed_data(sent[start:end])
            assert heard.requests == expected


@pytest.mark.parametrize("body", [b"zz\r\n", b"-1\r\n"])
def test_a_body_that_is_not_framed_after_an_offer_is_an_error(body: bytes) -> None:
    heard = Heard()
    head = b"POST / HTTP/1.1\r\nHost: h\r\n" + OFFERS["curl"] + FRAMINGS["chunks"][0] + b"\r\n"
    with pytest.raises(httptools.HttpParserError):
        heard.parser.feed_data(head + body)


@pytest.fixture(scope="module")
def server() -> Iterator[Served]:
    with serving() as served:
        yield served


@pytest.mark.parametrize("packets", [1, 2])
@pytest.mark.parametrize("offer", ["curl", "java", "websocket"])
def test_a_push_of_lines_with_an_offer_keeps_its_lines(
    server: Served, offer: str, packets: int
) -> None:
    turn = f"{offer}-{packets}"
    line = b'{"type":"delta","text":"kept"}\n'
    head = (
        f"POST /v1/turns/{turn}/input?seq=1 HTTP/1.1\r\nHost: localhost\r\n"
        "Content-Type: application/x-ndjson\r\n"
    ).encode()
    head += OFFERS[offer] + b"Content-Length: %d\r\n\r\n" % len(line)
    with RawClient(server.port) as raw:
        raw.post("/v1/turns", {"turn_id": turn})
        assert raw.status() == 201
        raw.body()
        for piece in [head + line] if packets == 1 else [head, line]:
            raw.send(piece)
        assert raw.status() == 200
        assert json.loads(raw.body())["next"] == 2


def test_curl_offers_http_2_and_is_answered(server: Served) -> None:
    curl = shutil.which("curl")
    if curl is None:
        pytest.skip("no curl here")
    command = [curl, "-sS", "--max-time", "20", "--http2", f"{server.url}/v1/extract"]
    command += ["-H", "Content-Type: application/json", "-d", '{"text":"over curl"}']
    done = subprocess.run(command, check=True, capture_output=True, timeout=30)
    assert json.loads(done.stdout)["text"] == "over curl"
