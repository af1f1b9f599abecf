"""The application, built."""

import asyncio

import anyio.to_thread
import pytest

from citestream.main import WORK_THREADS, create_app
from citestream.settings import Settings
from tests.server import with_own_store


def test_each_application_has_its_own_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CITESTREAM_PORT", "1234")
    first, second = create_app(), create_app(Settings(port=5678))
    assert first.state.settings.port == 1234
    assert second.state.settings.port == 5678


def test_long_work_gets_few_threads() -> None:
    async def scene() -> float:
        app = create_app(with_own_store(Settings()))
        async with app.router.lifespan_context(app):
            return anyio.to_thread.current_default_thread_limiter().total_tokens

    assert asyncio.run(scene()) == WORK_THREADS
