"""Bodies, read by hand from an ASGI request."""

import asyncio
from typing import Any

import pytest
from starlette.requests import ClientDisconnect, Request

from citestream.api.schemas.prompts import PromptBody
from citestream.api.transport import body
from citestream.api.transport.body import incoming, media_type, read_bytes, read_json
from citestream.api.transport.problems import STATUSES
from citestream.service.problems import Problem
from citestream.wire.input.errors import InputError
from citestream.wire.input.reading import read_as
from citestream.wire.json_text import JsonInputError


def request(*chunks: bytes, gone: bool = False, **headers: str) -> Request:
    messages: list[dict[str, Any]] = [
        {"type": "http.request", "body": chunk, "more_body": True} for chunk in chunks
    ]
    messages.append(
        {"type": "http.disconnect"}
        if gone
        else {"type": "http.request", "body": b"", "more_body": False}
    )
    waiting = iter(messages)

    async def receive() -> dict[str, Any]:
        return next(waiting)

    raw = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    return Request({"type": "http", "method": "POST", "headers": raw}, receive)


def read(found: Request, limit: int = 10) -> bytes:
    return asyncio.run(read_bytes(found, limit))


def test_chunks_are_joined() -> None:
    assert read(request(b"ab", b"", b"c")) == b"abc"
    assert read(request()) == b""


@pytest.mark.parametrize("size", [9, 10, 11])
@pytest.mark.parametrize("declared", ["", "none", "-1", "³", "1"])
def test_what_comes_is_counted_whatever_was_declared(size: int, declared: str) -> None:
    headers = {"content_length": declared} if declared else {}
    found = request(*[b"x"] * size, **headers)
    if size > 10:
        with pytest.raises(Problem, match="at most 10 bytes"):
            read(found)
    else:
        assert read(found) == b"x" * size


@pytest.mark.parametrize("declared", ["11", "9" * 5000])
def test_a_declared_excess_is_refused_before_it_comes(declared: str) -> None:
    with pytest.raises(Problem) as refused:
        read(request(gone=True, content_length=declared))
    assert STATUSES[refused.value.type] == 413


def test_a_client_that_goes_in_its_body() -> None:
    with pytest.raises(ClientDisconnect):
        read(request(b"a", gone=True))


def test_only_json_is_read_as_json() -> None:
    found = request(b"{}", content_type="application/json; charset=UTF-8")
    assert asyncio.run(read_json(found, 10)) == b"{}"
    with pytest.raises(Problem) as refused:
        asyncio.run(read_json(request(b"{}", content_type="text/json"), 10))
    assert STATUSES[refused.value.type] == 415


@pytest.mark.parametrize(
    "headers",
    [
        {"content_type": "application/json; charset=latin-1"},
        {"content_type": "application/json; a=b; CharSet=ascii"},
        {"content_type": "application/json", "content_encoding": "br"},
        {"content_type": "application/json", "content_encoding": "identity, gzip"},
    ],
    ids=str,
)
def test_other_encodings_are_refused(headers: dict[str, str]) -> None:
    with pytest.raises(Problem) as refused:
        media_type(request(**headers))
    assert STATUSES[refused.value.type] == 415


def test_every_line_that_names_an_encoding_counts() -> None:
    twice = [(b"content-encoding", b"identity"), (b"content-encoding", b"gzip")]
    with pytest.raises(Problem) as refused:
        media_type(Request({"type": "http", "method": "POST", "headers": twice}))
    assert STATUSES[refused.value.type] == 415


def test_identity_is_no_encoding() -> None:
    found = request(content_type=" Application/X-NDJSON ;a=b", content_encoding="Identity")
    assert media_type(found) == "application/x-ndjson"


def test_a_body_becomes_its_model() -> None:
    assert read_as(b'{"style":"markers"}', PromptBody) == PromptBody()
    with pytest.raises(JsonInputError):
        read_as(b"{", PromptBody)
    with pytest.raises(InputError, match="style"):
        read_as(b'{"style":1}', PromptBody)


def waiting(*chunks: bytes, pause: float = 60) -> Request:
    messages = iter([{"type": "http.request", "body": one, "more_body": True} for one in chunks])

    async def receive() -> dict[str, Any]:
        for message in messages:
            await asyncio.sleep(0.02)
            return message
        await asyncio.sleep(pause)
        raise AssertionError

    return Request({"type": "http", "method": "POST", "headers": []}, receive)


def test_a_body_that_drips_is_refused_at_its_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(body, "BODY_SECONDS", 0.1)
    with pytest.raises(Problem) as refused:
        read(waiting(*[b""] * 1000))
    assert STATUSES[refused.value.type] == 408
    assert refused.value.headers == {"Connection": "close"}


def test_chunks_may_take_long_but_not_pause_for_long() -> None:
    async def chunks() -> list[bytes]:
        found = []
        with pytest.raises(Problem) as refused:  # noqa: PT012 - it is raised in between
            body = incoming(waiting(*[b"x"] * 20), 100, 0.3)
            while chunk := await body.read():
                found.append(chunk)
        assert STATUSES[refused.value.type] == 408
        return found

    assert asyncio.run(chunks()) == [b"x"] * 20
