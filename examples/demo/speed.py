"""Microseconds per token, measured when asked, on the machine it runs on."""

import time
from collections.abc import Callable
from typing import Any

from examples.demo.answers import ShownAnswer
from examples.demo.service import LiveAnswer

from citestream import Engine, Turn

SECONDS = 0.2
"""How long each measurement takes."""


def engine_microseconds(tokens: list[str]) -> float:
    """Text and entries alone: the engine."""

    def run() -> None:
        engine = Engine()
        for token in tokens:
            engine.feed(token)
        engine.finish()
        engine.take()

    return _per_token(run, len(tokens))


def turn_microseconds(tokens: list[str], parts: list[dict[str, Any]]) -> float:
    """The whole library: parts registered, events made, answer and artifact at the end."""

    def run() -> None:
        turn = Turn()
        for part in parts:
            turn.register(**part)
        for token in tokens:
            turn.feed(token)
        turn.finish()

    return _per_token(run, len(tokens))


def round_trip_microseconds(port: int, answer: ShownAnswer) -> float:
    """The service: from a token sent until its events have come back, one at a time."""

    def run() -> None:
        live = LiveAnswer(port, {"options": answer.options}, answer.parts)
        for token in answer.tokens:
            live.say(token)
        live.finish(answer.end)

    return _per_token(run, len(answer.tokens))


def _per_token(run: Callable[[], None], tokens: int) -> float:
    """Return the fastest of many runs: what else the machine does only ever adds."""
    best = float("inf")
    end = time.perf_counter() + SECONDS
    while (began := time.perf_counter()) < end:
        run()
        best = min(best, time.perf_counter() - began)
    return best / tokens * 1e6
