"""Figures of a running process, for Prometheus. Labels are from closed lists; no ids, no text."""

import asyncio
from collections.abc import Callable
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from citestream.turns import Answer

MEDIA_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"
LAG_SECONDS: Final = 0.5
"""How often the lag of the event loop is measured."""


class Metrics:
    """The figures of one application; a second one in the process has its own."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()

        def counter(name: str, meaning: str, *labels: str) -> Counter:
            return Counter(f"citestream_{name}", meaning, labels, registry=self._registry)

        self._created = counter("turns_created", "Stored turns created")
        self._ended = counter("answers_ended", "Answers that ended", "status")
        self._inputs = counter("input_events", "Input events accepted into stored turns")
        self._outputs = counter("output_events", "Output events of stored turns")
        self._dropped = counter("dropped_citations", "Citations dropped", "reason")
        self._invalid = counter("invalid_markers", "Markers that were none")
        self._commit = Histogram(
            "citestream_commit_seconds",
            "From handing a push to the store until it was committed",
            registry=self._registry,
            buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5),
        )
        self._lag = Histogram(
            "citestream_loop_lag_seconds",
            "How late the event loop wakes",
            registry=self._registry,
            buckets=(0.001, 0.005, 0.01, 0.05, 0.1, 0.25, 1),
        )

    def watch(self, name: str, meaning: str, value: Callable[[], float]) -> None:
        """Show a figure that is read when it is asked for."""
        Gauge(f"citestream_{name}", meaning, registry=self._registry).set_function(value)

    def turn_created(self) -> None:
        """A stored turn was created."""
        self._created.inc()

    def pushed(self, inputs: int, outputs: int, seconds: float) -> None:
        """A push was committed, ``seconds`` after it was handed to the store."""
        self._inputs.inc(inputs)
        self._outputs.inc(outputs)
        self._commit.observe(seconds)

    def answered(self, answer: Answer) -> None:
        """An answer ended."""
        self._ended.labels(answer.status).inc()
        self._invalid.inc(answer.invalid_markers)
        for one in answer.dropped:
            self._dropped.labels(one.reason).inc()

    async def measure_lag(self) -> None:
        """Measure how late the event loop wakes, until cancelled."""
        loop = asyncio.get_running_loop()
        while True:
            due = loop.time() + LAG_SECONDS
            await asyncio.sleep(LAG_SECONDS)
            self._lag.observe(max(0.0, loop.time() - due))

    def page(self) -> bytes:
        """Return all figures in Prometheus' text form."""
        return generate_latest(self._registry)
