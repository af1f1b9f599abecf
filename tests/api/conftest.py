"""One server for all tests of a session that only ask it."""

from collections.abc import Iterator

import httpx
import pytest
from tests.serving import DEADLINE, Served, serving

from citestream.settings import Settings


@pytest.fixture(scope="session")
def server() -> Iterator[Served]:
    with serving(Settings()) as served:
        yield served


@pytest.fixture(scope="session")
def client(server: Served) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=server.url, timeout=DEADLINE) as found:
        yield found
