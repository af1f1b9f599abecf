"""The application, built: the only place that knows all rooms.

``create_app`` is the one builder; whoever wants a second service in one process calls it twice.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

import anyio.to_thread
from fastapi import FastAPI

from citestream._version import __version__
from citestream.api import answers, document, errors, operation, prompts
from citestream.settings import Settings

WORK_THREADS: Final = 4
"""Threads for large inputs. Each more makes the event loop wait longer for its turn."""


@asynccontextmanager
async def _lifespan(_: FastAPI) -> AsyncIterator[None]:
    anyio.to_thread.current_default_thread_limiter().total_tokens = WORK_THREADS
    yield


def create_app(settings: Settings | None = None) -> FastAPI:
    """Return the ASGI application; without ``settings``, those of the environment."""
    app = FastAPI(
        title="citestream",
        version=__version__,
        redoc_url=None,
        redirect_slashes=False,  # a redirect repeats the Host header of whoever asks
        lifespan=_lifespan,
    )
    app.state.settings = settings or Settings()
    for router in (answers.router, prompts.router, operation.router):
        app.include_router(router)
    errors.install(app)
    document.install(app)
    return app
