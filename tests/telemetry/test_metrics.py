"""The figures of a process: what is counted, and that no label is anybody's text."""

import asyncio
from contextlib import suppress

import pytest
from prometheus_client.parser import text_string_to_metric_families

from citestream.telemetry import metrics
from citestream.telemetry.metrics import Metrics
from citestream.turns import Turn, input_event


def figures(found: Metrics) -> dict[str, float]:
    """Every sample by its name and the values of its labels."""
    return {
        " ".join([sample.name.removeprefix("citestream_"), *sample.labels.values()]): sample.value
        for family in text_string_to_metric_families(found.page().decode())
        for sample in family.samples
    }


def test_turns_pushes_and_answers_are_counted() -> None:
    found = Metrics()
    found.turn_created()
    found.pushed(3, 2, 0.002)
    found.pushed(1, 0, 0.2)
    turn = Turn()
    marked = "\ue200cite\ue202nobody\ue201" * 2 + "\ue200cite\ue202user_text_01\ue201\ue200ci"
    for event in ({"type": "delta", "text": "a" + marked}, {"type": "end"}):
        turn.accept(input_event(event))
    found.answered(turn.answer())
    told = figures(found)
    assert told["turns_created_total"] == 1
    assert told["input_events_total"] == 4
    assert told["output_events_total"] == 2
    assert told["commit_seconds_count"] == 2
    assert told["commit_seconds_bucket 0.0025"] == 1
    assert told["answers_ended_total completed"] == 1
    assert told["dropped_citations_total unknown_part"] == 2
    assert told["dropped_citations_total user_origin"] == 1
    assert told["invalid_markers_total"] == 1


def test_a_figure_is_read_when_it_is_asked_for() -> None:
    found = Metrics()
    values = iter([3.0, 4.0])
    found.watch("streams", "Streams open", lambda: next(values))
    assert [figures(found)["streams"] for _ in range(2)] == [3, 4]


def test_two_applications_have_figures_of_their_own() -> None:
    one, other = Metrics(), Metrics()
    one.turn_created()
    assert figures(other)["turns_created_total"] == 0


def test_a_loop_that_is_held_up_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metrics, "LAG_SECONDS", 0.01)
    found = Metrics()

    async def run() -> None:
        task = asyncio.create_task(found.measure_lag())
        while not figures(found)["loop_lag_seconds_count"]:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        asyncio.get_running_loop().call_soon(lambda: __import__("time").sleep(0.3))
        while not _late(found):  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task

    asyncio.run(asyncio.wait_for(run(), 20))


def _late(found: Metrics) -> float:
    told = figures(found)
    return told["loop_lag_seconds_count"] - told["loop_lag_seconds_bucket 0.1"]
