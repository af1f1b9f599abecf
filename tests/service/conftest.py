from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.service.stored_turns import opened

from citestream.service.stored.turns import StoredTurns


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
async def turns(tmp_path: Path, anyio_backend: str) -> AsyncIterator[StoredTurns]:
    async with opened(tmp_path) as made:
        yield made
