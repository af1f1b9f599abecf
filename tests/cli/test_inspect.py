"""``citestream verify`` and ``citestream explain`` on a store that a service has left."""

import asyncio
import sqlite3
import time
from pathlib import Path

import pytest

from citestream.citations import EngineOptions
from citestream.cli import main
from citestream.service.stored.turns import StoredTurns
from citestream.stores.sqlite.log import SqliteLog
from citestream.turns import DeltaInput, EndInput, PartInput

RAW = "Hi\ue200cite\ue202p\ue202/a\ue201. \ue200cite\ue202q\ue201 \ue200ci!"


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "turns.db"

    async def fill() -> None:
        log = SqliteLog(path)
        await log.open()
        turns = StoredTurns(log, time.time, iter("st").__next__)
        for turn_id in ("one", "two"):
            await turns.create(turn_id=turn_id, session_id="s", options=EngineOptions())
            events = [PartInput("tool", {"a": 1}, "p"), DeltaInput(RAW), EndInput()]
            await turns.push(turn_id, 1, events)
        await log.close()

    asyncio.run(fill())
    monkeypatch.setenv("CITESTREAM_STORE_URL", f"sqlite:///{path}")
    return path


def test_what_is_stored_is_what_its_input_gives(
    store: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    main(["verify"])
    assert capfd.readouterr().out.splitlines() == [
        "one: as stored",
        "two: as stored",
        "2 turns, no difference",
    ]


def test_a_turn_that_differs_is_told(store: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with sqlite3.connect(store) as database:
        database.execute("UPDATE turns SET status='interrupted' WHERE id='two'")
    with pytest.raises(SystemExit) as ended:
        main(["verify"])
    told = capfd.readouterr()
    assert ended.value.code == 1
    assert told.out.splitlines() == ["one: as stored", "two: a turn's row is damaged"]
    assert told.err == "citestream verify: 1 of 2 turns differ\n"


def test_damage_of_one_turn_does_not_hide_the_others(
    store: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with sqlite3.connect(store) as database:
        database.execute("UPDATE events SET data=x'00' WHERE turn=1 AND n=1")
    with pytest.raises(SystemExit):
        main(["verify"])
    told = capfd.readouterr()
    assert told.out.splitlines() == ["one: a row is missing or damaged", "two: as stored"]
    assert told.err == "citestream verify: 1 of 2 turns differ\n"


def test_a_file_that_is_not_there_is_told_and_not_made(
    store: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CITESTREAM_STORE_URL", f"sqlite:///{store}.typo")
    with pytest.raises(SystemExit) as ended:
        main(["verify"])
    assert ended.value.code == 1
    assert capfd.readouterr().err == (
        "citestream verify: CITESTREAM_STORE_URL: the store's file cannot be opened: "
        "No such file or directory\n"
    )
    assert not store.with_name(store.name + ".typo").exists()


def test_a_turn_is_explained(store: Path, capfd: pytest.CaptureFixture[str]) -> None:
    main(["explain", "one"])
    assert capfd.readouterr().out.splitlines() == [
        "text    'Hi'",
        r"marker  '\ue200cite\ue202p\ue202/a\ue201'",
        "        'p' '/a': citation at 3 (resolved)",
        "text    '. '",
        r"marker  '\ue200cite\ue202q\ue201'",
        "        'q': unknown_part at 4",
        "text    ' '",
        r"failed  '\ue200ci'",
        "        broke off at U+0021",
        "text    '!'",
    ]


@pytest.mark.parametrize("command", ["verify", "explain"])
def test_an_unknown_turn_is_one_clear_line(
    command: str, store: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main([command, "nobody"])
    assert ended.value.code == 1
    assert capfd.readouterr().err == (
        f"citestream {command}: turn_id: there is no turn with this id\n"
    )
