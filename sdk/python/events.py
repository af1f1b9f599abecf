"""A stream as typed events while it runs; the generated call reads a body to its end first."""

from collections.abc import AsyncIterator, Iterator
from typing import Any, Final

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
    TextDelta,
)
from .types import UNSET, Unset

StreamEvent = (
    TextDelta | CitationEvent | CustomEvent | CitationsSummary | ArtifactEvent | ErrorEvent
)

_KINDS: Final[dict[str, type[StreamEvent]]] = {
    "delta": TextDelta,
    "citation": CitationEvent,
    "custom": CustomEvent,
    "citations_summary": CitationsSummary,
    "artifact": ArtifactEvent,
    "error": ErrorEvent,
}


class RefusedError(Exception):
    """The service did not begin to stream; ``problem`` says why."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.detail)
        self.problem = problem


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


def _events(client: AuthenticatedClient | Client, request: dict[str, Any]) -> Iterator[StreamEvent]:
    with client.get_httpx_client().stream(**request) as response:
        if response.is_error:
            response.read()
        if _streams(response):
            for sent in EventSource(response).iter_sse():
                if event := _event(sent):
                    yield event


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
        raise RefusedError(Problem.from_dict(response.json()))
    return response.status_code != httpx.codes.NO_CONTENT


def _event(sent: ServerSentEvent) -> StreamEvent | None:
    # Kinds that are not known yet are to be ignored.
    kind = _KINDS.get(sent.event)
    return kind.from_dict(sent.json()) if kind and sent.data else None
