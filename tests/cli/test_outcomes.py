"""Bytes to descriptors, and lines to a person who may have gone."""

import os
import threading

import pytest

from citestream.cli import outcomes
from citestream.cli.outcomes import FAILED, Failure, complain, write


def test_all_is_written_however_little_the_pipe_takes() -> None:
    content = bytes(range(256)) * 4096
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb") as reader:
        found: list[bytes] = []
        thread = threading.Thread(target=lambda: found.append(reader.read()))
        thread.start()
        write(writing, content)
        os.close(writing)
        thread.join()
    assert found == [content]


def test_nothing_to_write_is_written_nowhere() -> None:
    write(-1, b"")
    with pytest.raises(OSError, match="Bad file descriptor"):
        write(-1, b"a")


def test_a_complaint_is_a_line_of_its_own(capfd: pytest.CaptureFixture[str]) -> None:
    complain("half a \ud83d")
    assert capfd.readouterr().err == "half a \\ud83d\n"


def test_a_complaint_that_nobody_can_read_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outcomes, "STDERR", -1)
    complain("lost")


def test_a_failure_has_a_status() -> None:
    failure = Failure(FAILED, "the place and the limit")
    assert (failure.status, str(failure)) == (1, "the place and the limit")
