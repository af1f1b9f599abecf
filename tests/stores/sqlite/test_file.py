"""The file: one process has it, by whatever name, and notices when it is no longer there."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from citestream.stores.port import StoreBusyError, StoreError, StoreLostError
from citestream.stores.sqlite.file import DatabaseFile

TAKING = """
import sys
from pathlib import Path
from citestream.stores.port import StoreBusyError
from citestream.stores.sqlite.file import DatabaseFile
try:
    DatabaseFile(Path(sys.argv[1]))
    print("taken")
except StoreBusyError:
    print("busy")
"""


def elsewhere(path: Path) -> str:
    found = subprocess.run(
        [sys.executable, "-c", TAKING, path], capture_output=True, text=True, check=True
    )
    return found.stdout.strip()


def test_no_second_process_takes_it_by_any_name(tmp_path: Path) -> None:
    path, hard, soft = (tmp_path / name for name in ("turns.db", "hard.db", "soft.db"))
    file = DatabaseFile(path)
    os.link(path, hard)
    soft.symlink_to(path)
    for name in (path, hard, soft):
        assert elsewhere(name) == "busy"
        with pytest.raises(StoreBusyError, match="already"):
            DatabaseFile(name)
    assert sorted(one.name for one in tmp_path.iterdir()) == ["hard.db", "soft.db", "turns.db"]
    file.close()
    assert elsewhere(hard) == "taken"


def test_a_file_that_is_removed_or_replaced_is_lost(tmp_path: Path) -> None:
    path, moved = tmp_path / "turns.db", tmp_path / "moved.db"
    file = DatabaseFile(path)
    file.check()
    path.rename(moved)
    with pytest.raises(StoreLostError, match="removed"):
        file.check()
    path.write_bytes(b"")
    with pytest.raises(StoreLostError, match="replaced"):
        file.check()
    moved.replace(path)
    file.check()
    file.close()


def test_what_cannot_be_opened_says_why(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="Is a directory"):
        DatabaseFile(tmp_path)
    with pytest.raises(StoreError, match="No such file"):
        DatabaseFile(tmp_path / "none.db", create=False)
    assert list(tmp_path.iterdir()) == []
    DatabaseFile(tmp_path / "made" / "turns.db").close()
