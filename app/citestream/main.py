"""The application, built: the only place that knows all rooms.

``create_app`` is the one builder; whoever wants a second service in one process calls it twice.
"""

from fastapi import FastAPI

from citestream._version import __version__
from citestream.api import answers, document, errors, operation, prompts
from citestream.settings import Settings


def create_app(settings: Settings | None = None) -> FastAPI:
    """Return the ASGI application; without ``settings``, those of the environment."""
    app = FastAPI(title="citestream", version=__version__, redoc_url=None)
    app.state.settings = settings or Settings()
    for router in (answers.router, prompts.router, operation.router):
        app.include_router(router)
    errors.install(app)
    document.install(app)
    return app
