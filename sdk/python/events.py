"""A stream as typed events while it runs; the generated call reads a body to its end first."""

import time
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from typing import Any, Final, NamedTuple

import httpx
from httpx_sse import EventSource, ServerSentEvent

from .api.answers import stream
from .api.turns import turns_events
from .client import AuthenticatedClient, Client
from .models import (
    AnswerBody,
    ArtifactEvent,
    CitationEvent,
    CitationsSummary,
    CustomEvent,
    ErrorEvent,
    Problem,
    RegisteredEvent,
    SourceEvent,
    TextDelta,
)
from .types import UNSET, Unset

StreamEvent = (
    TextDelta
    | CitationEvent
    | CustomEvent
    | RegisteredEvent
    | SourceEvent
    | CitationsSummary
    | ArtifactEvent
    | ErrorEvent
)

FIRST_PAUSE: Final = 0.5
LAST_PAUSE: Final = 10.0
"""Seconds before a follower connects again: at first, and at most."""
COME_BACK: Final = (429, 502, 503, 504)

_KINDS: Final[dict[str, type[StreamEvent]]] = {
    "delta": TextDelta,
    "citation": CitationEvent,
    "custom": CustomEvent,
    "registered": RegisteredEvent,
    "source": SourceEvent,
    "citations_summary": CitationsSummary,
    "artifact": ArtifactEvent,
    "error": ErrorEvent,
}


class RefusedError(Exception):
    """The service did not begin to stream; ``problem`` says why."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.detail)
        self.problem = problem


class _ComeBackError(RefusedError):
    """The service, or the proxy in front of it, has no room now."""


def stream_events(
    client: AuthenticatedClient | Client, body: AnswerBody, last_event_id: str | Unset = UNSET
) -> Iterator[StreamEvent]:
    """Yield each event as it comes. Raises :class:`RefusedError`, and what httpx raises."""
    return _events(client, stream._get_kwargs(body=body, last_event_id=last_event_id))  # noqa: SLF001


def stream_events_async(
    client: AuthenticatedClient | Client, body: AnswerBody, last_event_id: str | Unset = UNSET
) -> AsyncIterator[StreamEvent]:
    """Do as :func:`stream_events` without blocking."""
    return _events_async(client, stream._get_kwargs(body=body, last_event_id=last_event_id))  # noqa: SLF001


def turn_events(
    client: AuthenticatedClient | Client, turn_id: str, last_event_id: str | Unset = UNSET
) -> Iterator[StreamEvent]:
    """Yield each event of a stored turn. Raises as :func:`stream_events`."""
    return _events(client, turns_events._get_kwargs(turn_id, last_event_id_header=last_event_id))  # noqa: SLF001


def turn_events_async(
    client: AuthenticatedClient | Client, turn_id: str, last_event_id: str | Unset = UNSET
) -> AsyncIterator[StreamEvent]:
    """Do as :func:`turn_events` without blocking."""
    return _events_async(
        client,
        turns_events._get_kwargs(turn_id, last_event_id_header=last_event_id),  # noqa: SLF001
    )


class Followed(NamedTuple):
    """An event of a stored turn, with the id to resume after it."""

    id: str
    event: StreamEvent


def follow_turn(
    client: AuthenticatedClient | Client, turn_id: str, last_event_id: str | Unset = UNSET
) -> Iterator[Followed]:
    """Yield each event of a stored turn once, to its end, however often the connection breaks.

    Waits from 0.5 to 10 seconds before it connects again, longer each time without a new event.
    Raises :class:`RefusedError` for a refusal that is final (4xx).
    """
    pause = FIRST_PAUSE
    while True:
        request = turns_events._get_kwargs(turn_id, last_event_id_header=last_event_id)  # noqa: SLF001
        with suppress(httpx.TransportError, _ComeBackError):
            for sent in _sent(client, request):
                last_event_id, pause = sent.id, FIRST_PAUSE
                if event := _event(sent):
                    yield Followed(sent.id, event)
                if isinstance(event, ArtifactEvent | ErrorEvent):
                    return
        time.sleep(pause)
        pause = min(2 * pause, LAST_PAUSE)


def _events(client: AuthenticatedClient | Client, request: dict[str, Any]) -> Iterator[StreamEvent]:
    return (event for sent in _sent(client, request) if (event := _event(sent)))


def _sent(
    client: AuthenticatedClient | Client, request: dict[str, Any]
) -> Iterator[ServerSentEvent]:
    with client.get_httpx_client().stream(**request) as response:
        if response.is_error:
            response.read()
        if _streams(response):
            yield from EventSource(response).iter_sse()


async def _events_async(
    client: AuthenticatedClient | Client, request: dict[str, Any]
) -> AsyncIterator[StreamEvent]:
    async with client.get_async_httpx_client().stream(**request) as response:
        if response.is_error:
            await response.aread()
        if _streams(response):
            async for sent in EventSource(response).aiter_sse():
                if event := _event(sent):
                    yield event


def _streams(response: httpx.Response) -> bool:
    if response.is_error:
        if response.status_code in COME_BACK:
            raise _ComeBackError(_problem(response))
        raise RefusedError(_problem(response))
    return response.status_code != httpx.codes.NO_CONTENT


def _problem(response: httpx.Response) -> Problem:
    try:
        return Problem.from_dict(response.json())
    except (ValueError, KeyError):  # a proxy has answered
        reason = response.reason_phrase
        return Problem("about:blank", reason, response.status_code, reason)


def _event(sent: ServerSentEvent) -> StreamEvent | None:
    # Kinds that are not known yet are to be ignored.
    kind = _KINDS.get(sent.event)
    return kind.from_dict(sent.json()) if kind and sent.data else None
