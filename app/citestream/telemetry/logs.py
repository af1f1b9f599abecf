"""Logs: one JSON line an event, ids and counts only.

Lives here: what an event may say, and the form of a line. No text of an answer, no locator, no
header and no message of an exception ever becomes part of a line, for they may carry what readers
and models wrote.
"""

import json
import logging
import sys
import threading
import time
import traceback
from typing import Any, Final, TextIO

from citestream.turns import Answer

log: Final = logging.getLogger("citestream")

_EXTRA: Final = "counts"


def log_event(event: str, **counts: int | float | str) -> None:
    """Log an event of our own: a fixed name, ids and counts."""
    log.info(event, extra={_EXTRA: counts})


def log_failure(event: str, error: BaseException) -> None:
    """Log that something failed here: a fixed name and the kind of the error."""
    log.error(event, extra={_EXTRA: {"error": type(error).__name__}})


def log_answer(answer: Answer, **ids: str) -> None:
    """Log that an answer has ended, and how much was dropped from it (S1 "logged")."""
    dropped: dict[str, int] = {}
    for one in answer.dropped:
        dropped[f"dropped_{one.reason}"] = dropped.get(f"dropped_{one.reason}", 0) + 1
    log_event(
        "answer",
        status=answer.status,
        reason=answer.reason or "",
        characters=len(answer.text),
        citations=len(answer.citations),
        invalid_markers=answer.invalid_markers,
        **dropped,
        **ids,
    )


def log_filter(problem: str) -> None:
    """Log why a vendor's stream could not be read whole; ``problem`` repeats nothing of it."""
    log.warning("filter", extra={_EXTRA: {"problem": problem}})


class JsonLines(logging.Formatter):
    """Writes a record as one line of JSON.

    Of a record of ours the name and the counts; of the server's only its constant template, since
    its arguments may be anybody's text; of any other library's nothing but where it was written,
    since some format a value into the message itself. Of an exception the kind and the places in
    the code.
    """

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        line: dict[str, Any] = {
            "time": time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
            + f".{int(record.msecs):03d}Z",
            "level": record.levelname.lower(),
            "logger": record.name,
            "event": _event(record),
            **getattr(record, _EXTRA, {}),
        }
        if record.exc_info and record.exc_info[0]:
            line["error"] = record.exc_info[0].__name__
            line["at"] = [
                f"{frame.filename.rpartition('/')[2]}:{frame.lineno}"
                for frame in traceback.extract_tb(record.exc_info[2])[-8:]
            ]
        return json.dumps(line)


def _event(record: logging.LogRecord) -> str:
    if record.name.partition(".")[0] in (log.name, "uvicorn"):
        return str(record.msg).rstrip("\n")
    return f"{record.module}:{record.lineno}"


def _tell_thread(failed: threading.ExceptHookArgs) -> None:
    error = failed.exc_value or failed.exc_type()
    log.error("thread_failed", exc_info=(failed.exc_type, error, failed.exc_traceback))


def _tell_unraisable(failed: "sys.UnraisableHookArgs") -> None:
    error = failed.exc_value or failed.exc_type()
    log.error("error_ignored", exc_info=(failed.exc_type, error, failed.exc_traceback))


def configure(stream: TextIO = sys.stderr) -> None:
    """Let every logger of the process write JSON lines to ``stream``, and what else it may say.

    An exception that nobody caught would be shown whole, message and all.
    """
    threading.excepthook = _tell_thread
    sys.unraisablehook = _tell_unraisable
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonLines())
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(logging.WARNING)
    log.setLevel(logging.INFO)
    for name in ("uvicorn", "uvicorn.error", "uvicorn.access"):
        logger = logging.getLogger(name)
        logger.handlers = []
        logger.propagate = name != "uvicorn.access"
