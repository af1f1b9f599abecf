"""From an address to a store."""

import os
from pathlib import Path

import pytest

from citestream.stores.memory import MemoryLog
from citestream.stores.opening import store_at
from citestream.stores.port import StoreError
from citestream.stores.sqlite.log import SqliteLog

pytestmark = pytest.mark.anyio


def test_each_scheme_has_its_store() -> None:
    assert isinstance(store_at("memory:"), MemoryLog)
    assert isinstance(store_at("sqlite:///turns.db"), SqliteLog)


@pytest.mark.parametrize("url", ["", "sqlite:///", "sqlite://turns.db", "mysql://host", "memory:x"])
def test_other_addresses_are_refused_with_the_schemes(url: str) -> None:
    with pytest.raises(ValueError, match="sqlite:///, memory:"):
        store_at(url)


async def test_a_store_that_is_not_there_is_not_made_unless_asked_for(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/turns.db"
    with pytest.raises(StoreError, match="cannot be opened"):
        await store_at(url, create=False).open()
    assert os.listdir(tmp_path) == []  # noqa: PTH208 - a folder of the test
    log = store_at(url)
    await log.open()
    await log.close()
    log = store_at(url, create=False)
    await log.open()
    await log.close()
