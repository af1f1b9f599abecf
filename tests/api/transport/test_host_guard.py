"""Who may call: names, pages and proxies, asked over sockets and by the application alone."""

import asyncio
import json
from typing import Any

import pytest
from starlette.types import Message, Receive, Scope, Send
from tests.raw_http import RawClient
from tests.serving import serving

from citestream.api.transport.host_guard import IS_HEAD, HostGuard
from citestream.settings import Settings

PAGE = "https://app.example.org"


def status(
    fields: list[tuple[str, str]],
    *,
    path: str = "/v1/turns/t",
    method: str = "GET",
    version: str = "1.1",
    bound: str = "127.0.0.1",
    **options: Any,
) -> int:
    """Return the status of a refusal, or 0 when the request is passed on."""
    scope: Scope = {
        "type": "http",
        "method": method,
        "path": path,
        "http_version": version,
        "client": ("192.0.2.7", 40000),
        "server": ("192.0.2.1", 8321),
        "headers": [(name.encode(), value.encode()) for name, value in fields],
    }
    found: list[int] = []

    async def app(passed: Scope, _: Receive, __: Send) -> None:
        assert passed["path"] == path
        assert (IS_HEAD in passed) == (method == "HEAD")
        found.append(0)

    async def send(message: Message) -> None:
        if message["type"] == "http.response.start":
            found.append(message["status"])
        else:
            body = message["body"].decode()
            assert json.loads(body)["type"].startswith("urn:citestream:problem:")
            assert "evil" not in body

    async def receive() -> Message:
        raise AssertionError

    guard = HostGuard(app, bound=bound, **options)
    asyncio.run(guard(scope, receive, send))  # type: ignore[func-returns-value]
    [answer] = found
    return answer


def host(name: str) -> list[tuple[str, str]]:
    return [("host", name)]


@pytest.mark.parametrize(
    "name",
    [
        "localhost",
        "LOCALHOST:8321",
        "localhost.",
        "127.0.0.1:1",
        "127.8.8.8",
        "[::1]:8321",
        "[::1]",
    ],
)
def test_the_names_of_this_machine_are_taken(name: str) -> None:
    assert status(host(name)) == 0


@pytest.mark.parametrize(
    "name",
    [
        "evil.example",
        "evil.example:8321",
        "localhost.evil.example",
        "192.0.2.1",
        "[evil",
        "",
        "0.0.0.0",
        "evil@localhost",
        "127.0.0.1.evil.example",
    ],
)
def test_another_name_is_misdirected(name: str) -> None:
    assert status(host(name)) == 421


def test_names_can_be_added() -> None:
    assert status(host("cite.example:443"), hosts=["Cite.Example"]) == 0
    assert status(host("evil.example"), hosts=["cite.example"]) == 421
    assert status(host("evil.example"), hosts=["*"]) == 0


@pytest.mark.parametrize("bound", ["0.0.0.0", "::"])
def test_at_a_wildcard_the_machine_has_its_own_names(bound: str) -> None:
    assert status(host("192.0.2.1:8321"), bound=bound) == 0  # the address that was reached
    assert status(host("box:8321"), bound=bound, machine="Box") == 0
    assert status(host("evil.example"), bound=bound, machine="box") == 421
    assert status(host("192.0.2.9"), bound=bound) == 421


def test_the_address_bound_is_a_name() -> None:
    assert status(host("192.0.2.1"), bound="192.0.2.1") == 0


@pytest.mark.parametrize("fields", [[], [*host("localhost"), *host("localhost")]])
def test_a_host_is_sent_exactly_once(fields: list[tuple[str, str]]) -> None:
    assert status(fields) == 400
    assert status(fields, version="1.0") == 400


@pytest.mark.parametrize("path", ["/livez", "/readyz"])
def test_a_probe_may_call_by_any_name(path: str) -> None:
    assert status(host("10.0.0.7:8321"), path=path) == 0
    assert status([], path=path, version="1.0") == 0
    assert status([], path=path) == 400
    assert status([*host("a"), *host("b")], path=path) == 400


FOREIGN = [
    [("origin", "https://evil.example")],
    [("origin", "null")],
    [("origin", "http://localhost:3000")],
    [("origin", "file://")],
    [("origin", "http://[evil")],
    [("origin", f"{PAGE}.evil.example")],
    [("sec-fetch-site", "cross-site")],
    [("sec-fetch-site", "cross-site"), ("origin", "http://localhost:8321")],
]


@pytest.mark.parametrize("fields", FOREIGN)
@pytest.mark.parametrize("method", ["GET", "POST", "DELETE", "OPTIONS", "HEAD"])
def test_a_page_of_another_site_may_not_call(fields: list[tuple[str, str]], method: str) -> None:
    refused = status([*host("localhost:8321"), *fields], method=method, origins=[PAGE])
    assert refused == 403


@pytest.mark.parametrize(
    "fields",
    [
        [("origin", PAGE), ("sec-fetch-site", "cross-site")],
        [("origin", "http://localhost:8321"), ("sec-fetch-site", "same-origin")],
        [("sec-fetch-site", "none")],
        [("sec-fetch-site", "same-origin")],
        [],
    ],
)
def test_a_page_that_is_allowed_may(fields: list[tuple[str, str]]) -> None:
    assert status([*host("localhost:8321"), *fields], origins=[PAGE]) == 0
    assert status([*host("localhost:8321"), *fields], origins=[PAGE], method="HEAD") == 0


def test_an_own_page_may_behind_tls() -> None:
    fields = [("host", "cite.example"), ("origin", "https://cite.example")]
    assert status(fields, hosts=["cite.example"]) == 0
    assert (
        status([fields[0], ("origin", "https://cite.example:444")], hosts=["cite.example"]) == 403
    )


@pytest.mark.parametrize("path", ["/", "/docs", "/docs/x.js", "/openapi.json", "/assets/x.js"])
def test_a_link_on_any_page_may_open_the_pages(path: str) -> None:
    assert status([*host("localhost"), ("sec-fetch-site", "cross-site")], path=path) == 0
    assert status(host("evil.example"), path=path) == 421


@pytest.mark.parametrize("name", ["forwarded", "x-forwarded-for", "x-forwarded-host"])
def test_a_proxy_has_to_be_named(name: str) -> None:
    fields = [*host("localhost"), (name, "for=192.0.2.60")]
    assert status(fields) == 403
    assert status(fields, proxies=["192.0.2.7"]) == 0


def test_the_service_refuses_before_it_reads_the_body() -> None:
    with serving() as server, RawClient(server.port) as raw:
        raw.send(
            b"DELETE /v1/turns/t HTTP/1.1\r\nHost: localhost\r\nOrigin: https://evil.example\r\n"
            b"Content-Length: 1000000\r\n\r\n"
        )
        assert raw.status() == 403
        assert raw.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("origin", [PAGE, "https://evil.example"])
def test_a_refused_head_can_be_read_by_an_allowed_page(origin: str) -> None:
    from citestream.server.protocol import MAX_HEAD, GuardedProtocol

    settings = Settings(cors_origins=[PAGE])
    http = GuardedProtocol.for_origins(settings.cors_origins)
    with serving(settings, http=http) as server, RawClient(server.port) as raw:
        head = f"GET /livez HTTP/1.1\r\nHost: localhost\r\nOrigin: {origin}\r\npad: "
        raw.send(head.encode() + b"x" * MAX_HEAD + b"\r\n\r\n")
        assert raw.status() == 431
        shown = raw.headers.get("access-control-allow-origin")
        assert shown == (PAGE if origin == PAGE else None)
