"""Where long work runs: in the event loop, beside it in a thread, or in a process of its own, so
that the other requests go on.

The caller states what the work costs; only the caller knows, for the size of an input says little
of it. Must not know what the work is.
"""

import gc
import threading
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, TypeVar, cast

import anyio
import anyio.from_thread
import anyio.to_process
from anyio.lowlevel import RunVar

LOOP_COST: Final = 16 * 1024
"""Work up to this cost is done in the loop itself. A unit is what reading one byte of input costs,
about a microsecond at the slowest; so this is at most some 20 ms."""
LARGE_COST: Final = 1024 * 1024
"""Work above this cost is done one at a time: it takes seconds and much memory, and may not take
all the threads that smaller work waits for."""

APART_SIZE: Final = 512 * 1024
"""Pure work on more bytes of input is done in a process of its own. A thread does not protect the
loop from the interpreter's garbage collector: on half a megabyte of Markdown that is nothing but
markup it stops all threads for 10 to 45 ms (measured), and longer on more."""

PIECE: Final = 4 * 1024 * 1024
"""Bytes that are copied to or from that process in one step of the loop: some 5 ms (measured)."""

Result = TypeVar("Result")

_one_large: Final[RunVar[anyio.CapacityLimiter]] = RunVar("citestream_one_large")


async def offload(work: Callable[[], Result], *, cost: int) -> Result:
    """Run ``work`` in the loop when its ``cost`` is small, else in a thread; return its result.

    If the caller is cancelled, the cancellation is delivered after the thread finishes.
    """
    if cost <= LOOP_COST:
        return work()
    if cost <= LARGE_COST:
        return await anyio.to_thread.run_sync(work)
    async with _large():
        with _uncollected():
            return await anyio.to_thread.run_sync(_as_large, work)


@contextmanager
def _uncollected() -> Iterator[None]:
    """Let the garbage collector wait: it stops all threads, and goes through what the work has
    made so far again and again (0.1 s at a time for the end of an answer of 8 MiB, measured).
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


async def offload_apart(
    work: Callable[..., Result], *args: Any, body: Sequence[bytes], weight: int
) -> Result | list[bytes]:
    """Run pure work on a body as `offload` does, but on a large one in a process of its own.

    ``body`` is in chunks. ``work`` is a function of a module, called with ``args`` and the whole
    body, of which each byte costs ``weight``; it raises nothing that its caller expects. It,
    ``args`` and its result can be pickled; many bytes are returned in pieces. One such process runs
    at a time. It is kept for the next work, and is stopped when the caller is cancelled.
    """
    size = sum(map(len, body))
    if size <= APART_SIZE:
        return await offload(partial(work, *args, b"".join(body)), cost=size * weight)
    async with _large():
        result = await _work_apart(work, args, body)
        if not isinstance(result, _Left):
            return cast("Result", result)
        return [await _apart(_get, number) for number in range(result.pieces)]


def _pieces_of(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield chunks joined to pieces of about :data:`PIECE` bytes, a longer one cut."""
    waiting, size = list[bytes](), 0
    for chunk in chunks:
        for start in range(0, len(chunk), PIECE):
            waiting.append(chunk[start : start + PIECE])
            size += len(waiting[-1])
            if size >= PIECE:
                yield b"".join(waiting)
                waiting, size = [], 0
    if waiting:
        yield b"".join(waiting)


async def _apart(function: Callable[..., Any], *args: Any) -> Any:
    return await anyio.to_process.run_sync(function, *args, cancellable=True)


def work_apart(work: Callable[..., Result], *args: Any, body: bytes) -> Result:
    """Run pure work on a body in that process, from large work that is itself in a thread.

    Elsewhere, and for a small body, it runs here: only such a thread holds the one place for large
    work, and with it the process.
    """
    if len(body) <= APART_SIZE or not getattr(_thread, "large", False):
        return work(*args, body)
    return cast("Result", anyio.from_thread.run(_work_apart, work, args, [body]))


async def _work_apart(
    work: Callable[..., Any], args: tuple[Any, ...], body: Iterable[bytes]
) -> Any:
    sent = 0
    for piece in _pieces_of(body):
        await _apart(_put, piece, sent == 0)
        sent += len(piece)
    return await _apart(_work, work, args, sent)


_thread: Final = threading.local()
"""``large`` is set in a thread while it does large work."""


def _as_large(work: Callable[[], Result]) -> Result:
    _thread.large = True
    try:
        return work()
    except BaseException as error:
        # What the work has made goes here, not with the first collection in the loop.
        cause: BaseException | None = error
        while cause:
            traceback.clear_frames(cause.__traceback__)
            cause = cause.__context__
        raise
    finally:
        _thread.large = False


# -- in the process of its own ------------------------------------------------------------------

_pieces: Final[list[bytes]] = []
"""The pieces of a body, or of a result: one at a time crosses, so that none takes long to copy."""


@dataclass(frozen=True, slots=True)
class _Left:
    """A large result is to be fetched in so many pieces."""

    pieces: int


def _put(piece: bytes, first: bool) -> None:
    """Take a piece of a body; the first one follows whatever a cancelled caller left."""
    if first:
        _pieces.clear()
    _pieces.append(piece)


def _work(work: Callable[..., Any], args: tuple[Any, ...], size: int) -> Any:
    body = b"".join(_pieces)
    _pieces.clear()
    if len(body) != size:
        raise RuntimeError("the process that had the body has ended")
    result = work(*args, body)
    if not isinstance(result, bytes) or len(result) <= PIECE:
        return result
    _pieces.extend(result[start : start + PIECE] for start in range(0, len(result), PIECE))
    return _Left(len(_pieces))


def _get(number: int) -> bytes:
    return _pieces[number]


# -- one at a time ------------------------------------------------------------------------------


def _large() -> anyio.CapacityLimiter:
    """Return the limiter of the running loop."""
    limiter = _one_large.get(None)
    if limiter is None:
        limiter = anyio.CapacityLimiter(1)
        _one_large.set(limiter)
    return limiter
