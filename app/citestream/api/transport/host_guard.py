"""Requests that a browser was tricked into sending are refused before anything reads them.

Lives here: which ``Host`` names this service has, and which pages may call it. Must not know what a
request asks for, but for the few addresses that any page may open.

A service on a loopback address trusts whoever reaches it, and every page in a browser on the same
machine reaches it: by a name of its own that it lets point to 127.0.0.1 (DNS rebinding), by a form,
or by a link. The name is refused with 421 (RFC 9110 section 15.5.20), the rest with 403.
"""

from collections.abc import Iterable
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

from starlette.types import ASGIApp, Receive, Scope, Send

from citestream.api.transport.problems import respond
from citestream.service.problems import BAD_REQUEST, FORBIDDEN, MISDIRECTED, Problem

ANY: Final = "*"
IS_HEAD: Final = "citestream.head"
"""Set in the scope of a HEAD request, which is served as GET; the server leaves its body out."""

PROBES: Final = frozenset({"/livez", "/readyz"})
"""What orchestrators ask by whatever address they have."""
PAGES: Final = frozenset({"/", "/docs", "/openapi.json", "/favicon.ico"})
PAGE_FILES: Final = ("/docs/", "/assets/")
"""What a link on any page may open: it shows nothing that is kept here."""

_WILDCARDS: Final = frozenset({"", "0.0.0.0", "::"})  # noqa: S104 - compared with, not bound
_FORWARDED: Final = b"x-forwarded-"


class HostGuard:
    """Passes on the requests that this service's own clients send.

    ``bound`` is the address the service listens at; at a wildcard the address that a client reached
    is the machine's own. ``machine`` is the machine's name, ``hosts`` are further names (``*``: any
    name is taken), ``origins`` the origins whose pages may call, ``proxies`` the addresses whose
    ``Forwarded`` and ``X-Forwarded-`` fields are expected.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        bound: str,
        machine: str = "",
        hosts: Iterable[str] = (),
        origins: Iterable[str] = (),
        proxies: Iterable[str] = (),
    ) -> None:
        self._app = app
        named = {name.lower().rstrip(".") for name in hosts}
        self._any_host = ANY in named
        self._wildcard = bound in _WILDCARDS
        self._hosts = named | {"localhost", bound.lower()}
        if self._wildcard and machine:
            self._hosts.add(machine.lower())
        self._origins = frozenset(origins)
        self._proxies = frozenset(proxies)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request, or refuse it."""
        if scope["type"] == "http":
            refusal = self._refusal(scope)
            if refusal is not None:
                await respond(refusal)(scope, receive, send)
                return
            if scope["method"] == "HEAD":
                scope = {**scope, "method": "GET", IS_HEAD: True}
        await self._app(scope, receive, send)

    def _refusal(self, scope: Scope) -> Problem | None:
        hosts: list[bytes] = []
        origin = site = b""
        forwarded = False
        for name, value in scope["headers"]:
            if name == b"host":
                hosts.append(value)
            elif name == b"origin":
                origin = value
            elif name == b"sec-fetch-site":
                site = value
            elif name == b"forwarded" or name.startswith(_FORWARDED):
                forwarded = True
        path = scope["path"]
        if len(hosts) > 1 or (not hosts and not _may_lack_host(scope)):
            return Problem(BAD_REQUEST, "host: must be sent exactly once")
        if path in PROBES:
            return None
        host = hosts[0].decode("latin-1").lower() if hosts else ""
        if not self._is_ours(host, scope):
            return Problem(
                MISDIRECTED, "host: not a name of this service; CITESTREAM_ALLOWED_HOSTS adds names"
            )
        if forwarded and (scope.get("client") or ("",))[0] not in self._proxies:
            return Problem(
                FORBIDDEN,
                "forwarded: the request came through a proxy that CITESTREAM_TRUSTED_PROXIES does "
                "not name",
            )
        if path in PAGES or path.startswith(PAGE_FILES):
            return None
        return self._foreign_page(origin.decode("latin-1"), site, host)

    def _is_ours(self, host: str, scope: Scope) -> bool:
        if self._any_host:
            return True
        name = _name_of(host)
        if name in self._hosts or _is_loopback(name):
            return True
        return self._wildcard and name == (scope.get("server") or ("",))[0]

    def _foreign_page(self, origin: str, site: bytes, host: str) -> Problem | None:
        if origin in self._origins:
            return None
        if origin and not _is_own(origin, host):
            return Problem(
                FORBIDDEN, "origin: this page may not call; CITESTREAM_CORS_ORIGINS adds origins"
            )
        if site == b"cross-site":
            return Problem(FORBIDDEN, "sec-fetch-site: pages of other sites may not call")
        return None


def _may_lack_host(scope: Scope) -> bool:
    """HTTP/1.0 has no such field, and some balancers probe by it."""
    return scope["http_version"] == "1.0" and scope["path"] in PROBES


def _name_of(host: str) -> str:
    """Return the host of ``host[:port]``, without the brackets of an IPv6 address."""
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.partition(":")[0].rstrip(".")


def _is_loopback(name: str) -> bool:
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return False


def _is_own(origin: str, host: str) -> bool:
    """Tell whether a page of ``origin`` was loaded from the address that it now calls."""
    try:
        page, port = urlsplit(origin), urlsplit(f"//{host}").port
        page_port = page.port
    except ValueError:
        return False
    usual = {"http": 80, "https": 443}.get(page.scheme)
    if usual is None or page.hostname is None:
        return False
    return page.hostname == _name_of(host) and (page_port or usual) == (port or usual)
