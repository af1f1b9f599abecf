"""What routes find of the process they run in, with its types.

Lives here: the one place where the application's state is named. Must not know how it is made:
``main`` does that.
"""

from collections.abc import Callable
from typing import Protocol, cast

from fastapi import FastAPI, Request

from citestream.api.transport.admission import Admission
from citestream.context import ContextSettings
from citestream.service.history import Histories
from citestream.service.sessions import Conversations
from citestream.service.stored.turns import StoredTurns
from citestream.targets import Preset
from citestream.telemetry.metrics import Metrics


class StreamSettings(Protocol):
    """The settings that routes read, times in seconds."""

    @property
    def part_url(self) -> str | None:
        """The template of the address of a part that has none."""

    @property
    def silence_seconds(self) -> float:
        """How long a producer may send nothing."""

    @property
    def follow_seconds(self) -> float:
        """How long a follower is served before it is asked to come back."""

    @property
    def ping_seconds(self) -> float:
        """After how long without an event a stream gets a comment."""

    @property
    def send_seconds(self) -> float:
        """How long a reader of a stream may take nothing."""


class AppState(Protocol):
    """What lives as long as the application."""

    settings: StreamSettings
    new_id: Callable[[], str]
    """Gives random ids that nobody can guess."""
    preset: Preset
    web_tools: frozenset[str]
    """The tools whose results are numbered sources."""
    context_settings: ContextSettings
    streams: Admission
    metrics: Metrics
    turns: StoredTurns
    conversations: Conversations
    histories: Histories


def app_state(app: FastAPI) -> AppState:
    """Return the state of an application."""
    return cast("AppState", app.state)


def state_of(request: Request) -> AppState:
    """Return the state of the application that serves a request."""
    return cast("AppState", request.app.state)
