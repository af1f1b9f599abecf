"""The application, built: the only place that knows all rooms.

``create_app`` is the one builder; whoever wants a second service in one process calls it twice.
"""

from citestream.extras import require_service

require_service()

import asyncio
import secrets
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from socket import gethostname
from typing import Final

import anyio.to_thread
from fastapi import FastAPI
from starlette.types import ASGIApp

from citestream._version import __version__
from citestream.api.application import Application
from citestream.api.dependencies import app_state
from citestream.api.routes import (
    answers,
    context,
    docs,
    formats,
    health,
    markers,
    prompts,
    rendering,
    sessions,
    sources,
    targets,
    turns,
)
from citestream.api.transport import problems as errors
from citestream.api.transport.admission import Admission
from citestream.api.transport.cors import Cors
from citestream.api.transport.host_guard import HostGuard
from citestream.context import ContextError, ContextSettings
from citestream.service.history import Histories
from citestream.service.sessions import Conversations
from citestream.service.stored.expiry import expire
from citestream.service.stored.turns import StoredTurns
from citestream.settings import Settings
from citestream.stores.failpoints import Failpoint, arm, no_op
from citestream.stores.opening import store_at
from citestream.stores.port import TurnLog
from citestream.targets import Preset, PresetError, load_preset, shipped_preset
from citestream.telemetry.metrics import Metrics
from citestream.turns import WEB_TOOLS

ID_BYTES: Final = 16
"""Random bytes of an id: 128 bits."""
ROUTERS: Final = (
    answers,
    formats,
    turns,
    sessions,
    prompts,
    rendering,
    sources,
    targets,
    context,
    markers,
    health,
    docs,
)
"""The modules of routes, in the order of the document."""
WORK_THREADS: Final = 4
"""Threads for large inputs. Each more makes the event loop wait longer for its turn."""
DRAIN_SPREAD_SECONDS: Final = 4.0
"""When stopping: streams close at moments spread over so long.

With the default of ``drain_seconds`` (3 s) and the server's own end (2 s) a stop takes at most 9 s;
``docker stop`` kills after 10 s.
"""


def new_id() -> str:
    """Return a random id that nobody can guess."""
    return secrets.token_urlsafe(ID_BYTES)


def store_of(settings: Settings, *, create: bool = True, failpoint: Failpoint = no_op) -> TurnLog:
    """Return the store that the settings name, not yet opened. Raises :class:`SettingError`."""
    try:
        return store_at(
            settings.store_url,
            durable=settings.store_durable,
            create=create,
            failpoint=failpoint,
        )
    except ValueError as error:
        raise SettingError("store_url", error) from None


class SettingError(ValueError):
    """What a setting says or names cannot be used; the message begins with the variable."""

    def __init__(self, name: str, problem: object) -> None:
        super().__init__(f"CITESTREAM_{name.upper()}: {problem}")


def preset_of(settings: Settings) -> Preset:
    """Return the preset that the settings name, or the shipped one; raises `SettingError`."""
    if settings.target_preset is None:
        return shipped_preset()
    try:
        return load_preset(settings.target_preset.read_text(encoding="utf-8"))
    except OSError as error:
        raise SettingError("target_preset", error.strerror) from None
    except UnicodeDecodeError:
        raise SettingError("target_preset", "the file is not UTF-8") from None
    except PresetError as error:
        raise SettingError("target_preset", error) from None


def _context_settings(settings: Settings) -> ContextSettings:
    try:
        return ContextSettings(
            settings.context_scheme,
            settings.context_quote_scheme,
            settings.context_envelope,
            settings.context_fragment_type,
            settings.context_text_limit,
        )
    except ContextError as error:
        raise SettingError(f"context_{error.field}", error) from None


def _build_state(app: FastAPI, settings: Settings, log: TurnLog, failpoint: Failpoint) -> None:
    """Build what lives as long as the application."""
    state = app_state(app)
    state.settings = settings
    state.new_id = new_id
    state.preset = preset_of(settings)
    state.web_tools = WEB_TOOLS if settings.web_tools is None else frozenset(settings.web_tools)
    state.context_settings = _context_settings(settings)
    state.streams = streams = Admission(
        settings.max_streams, grace=settings.drain_seconds, spread=DRAIN_SPREAD_SECONDS
    )
    state.metrics = metrics = Metrics()
    state.turns = turns = StoredTurns(
        log,
        time.time,
        new_id,
        failpoint,
        preset=state.preset,
        web_tools=state.web_tools,
        metrics=metrics,
    )
    state.conversations = conversations = Conversations(turns, state.context_settings)
    state.histories = Histories(conversations, turns.reader, state.context_settings, state.preset)
    metrics.watch("streams", "Streams open", lambda: streams.count)
    metrics.watch("followers", "Followers of stored turns", turns.feeds.followers)
    metrics.watch(
        "held_characters", "Characters that stored turns in memory hold back", turns.live.held
    )


def _around(settings: Settings) -> list[Callable[[ASGIApp], ASGIApp]]:
    """Return what wraps the application: who may call is asked first."""
    guard = partial(
        HostGuard,
        bound=settings.host,
        machine=gethostname(),
        hosts=settings.allowed_hosts,
        origins=settings.cors_origins,
        proxies=settings.trusted_proxies,
    )
    cors = [partial(Cors, origins=settings.cors_origins)] if settings.cors_origins else []
    return [*cors, guard]


def create_app(settings: Settings | None = None) -> FastAPI:
    """Return the ASGI application; without ``settings``, those of the environment.

    Raises :class:`SettingError`.
    """
    settings = settings or Settings()
    failpoint = arm(settings.failpoint)
    log = store_of(settings, failpoint=failpoint)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        anyio.to_thread.current_default_thread_limiter().total_tokens = WORK_THREADS
        await log.open()
        state = app_state(app)
        tasks = [
            asyncio.create_task(
                expire(state.turns, settings.silence_seconds, settings.retention_seconds)
            ),
            asyncio.create_task(state.metrics.measure_lag()),
        ]
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await log.close()

    app = Application(
        title="citestream",
        version=__version__,
        docs_url=None,  # ours needs nothing from elsewhere
        redoc_url=None,
        redirect_slashes=False,  # a redirect repeats the Host header of whoever asks
        lifespan=lifespan,
        around=_around(settings),
    )
    _build_state(app, settings, log, failpoint)
    for routes in ROUTERS:
        app.include_router(routes.router)
    errors.install(app)
    return app
