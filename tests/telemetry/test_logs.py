"""What a line of the log may say: names, ids, counts and places in the code."""

import asyncio
import gc
import io
import json
import logging
import sys
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from citestream.telemetry.logs import configure, log_answer, log_event, log_failure
from citestream.turns import Turn, input_event

CANARY = "hunter2"


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> Iterator[io.StringIO]:
    """What is logged while the process is configured to log lines."""
    monkeypatch.setattr(threading, "excepthook", threading.excepthook)
    monkeypatch.setattr(sys, "unraisablehook", sys.unraisablehook)
    names = ("", "citestream", "uvicorn", "uvicorn.error", "uvicorn.access")
    loggers = [logging.getLogger(name) for name in names]
    before = [(one.handlers, one.level, one.propagate) for one in loggers]
    stream = io.StringIO()
    configure(stream)
    yield stream
    for one, (handlers, level, propagate) in zip(loggers, before, strict=True):
        one.handlers, one.propagate = handlers, propagate
        one.setLevel(level)


def lines(stream: io.StringIO) -> list[dict[str, Any]]:
    text = stream.getvalue()
    assert CANARY not in text
    assert text.endswith("\n") or not text
    return [json.loads(line) for line in text.splitlines()]


def test_an_event_is_one_line_of_name_ids_and_counts(written: io.StringIO) -> None:
    log_event("turns_trimmed", turns=3, turn="t\n\u2028\x1b[1m")
    (line,) = lines(written)
    assert line.pop("time").endswith("Z")
    assert line == {
        "level": "info",
        "logger": "citestream",
        "event": "turns_trimmed",
        "turns": 3,
        "turn": "t\n\u2028\x1b[1m",
    }
    assert written.getvalue().isascii()


def test_an_answer_is_told_without_its_words(written: io.StringIO) -> None:
    turn = Turn()
    for event in (
        {"type": "part", "id": "p", "tool_name": CANARY, "data": CANARY},
        {
            "type": "delta",
            "text": f"{CANARY}\ue200cite\ue202{CANARY}\ue202/{CANARY}\ue201. \ue200ci",
        },
        {"type": "delta", "text": "\ue200cite\ue202p\ue201\ue200cite\ue202user_data_01\ue201"},
        {"type": "end", "reason": "length"},
    ):
        turn.accept(input_event(event))
    log_answer(turn.answer(), turn="t1")
    (line,) = lines(written)
    del line["time"]
    assert line == {
        "level": "info",
        "logger": "citestream",
        "event": "answer",
        "turn": "t1",
        "status": "completed",
        "reason": "length",
        "characters": len(turn.answer().text),
        "citations": 1,
        "invalid_markers": 1,
        "dropped_unknown_part": 1,
        "dropped_user_origin": 1,
    }


def test_a_failure_is_told_by_its_kind(written: io.StringIO) -> None:
    log_failure("store_failed", ValueError(CANARY))
    (line,) = lines(written)
    assert (line["event"], line["error"], line["level"]) == ("store_failed", "ValueError", "error")


def test_an_exception_is_told_by_kind_and_place(written: io.StringIO) -> None:
    try:
        try:
            {}[CANARY]
        except KeyError as error:
            raise ValueError(CANARY) from error
    except ValueError:
        logging.getLogger("uvicorn.error").exception("Exception in ASGI application\n")
    (line,) = lines(written)
    assert line["event"] == "Exception in ASGI application"
    assert line["error"] == "ValueError"
    assert line["at"][-1].startswith("test_logs.py:")


def test_others_are_told_by_template_or_by_place(written: io.StringIO) -> None:
    logging.getLogger("uvicorn.error").warning("Cannot serve %s", CANARY)
    logging.getLogger("uvicorn.access").warning("%s", CANARY)
    logging.getLogger("some.library").warning(f"failed with {CANARY}")
    logging.getLogger("some.library").info("nothing of interest")
    first, second = lines(written)
    assert first["event"] == "Cannot serve %s"
    assert second["event"].startswith("test_logs:")


def test_what_a_loop_complains_of_is_told_without_values(written: io.StringIO) -> None:
    def fails(value: str) -> None:
        raise ValueError(value)

    async def run() -> None:
        asyncio.get_running_loop().call_soon(fails, CANARY)
        await asyncio.sleep(0.01)

    asyncio.run(run())
    (line,) = lines(written)
    assert (line["logger"], line["error"]) == ("asyncio", "ValueError")


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_thread_that_dies_is_told_without_values(written: io.StringIO) -> None:
    def fails() -> None:
        raise ValueError(CANARY)

    thread = threading.Thread(target=fails, name=CANARY)
    thread.start()
    thread.join()
    (line,) = lines(written)
    assert (line["event"], line["error"]) == ("thread_failed", "ValueError")


def test_what_python_ignores_is_told_without_values(written: io.StringIO) -> None:
    class Broken:
        def __del__(self) -> None:
            raise ValueError(CANARY)

    broken = [Broken()]
    broken.clear()
    gc.collect()
    (line,) = lines(written)
    assert (line["event"], line["error"]) == ("error_ignored", "ValueError")
