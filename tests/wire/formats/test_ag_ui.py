"""AG-UI: a run with one message, citations live and in the message's metadata."""

from tests.wire.formats import streams
from tests.wire.formats.test_vendor_writer import written

from citestream.turns import CustomEvent, ErrorEvent
from citestream.wire.formats.ag_ui import AgUiWriter


def test_the_events_of_a_cited_answer() -> None:
    found = written(AgUiWriter)
    kinds = [one["type"] for one in found]
    assert kinds[:2] == ["RUN_STARTED", "TEXT_MESSAGE_START"]
    assert kinds[-2:] == ["TEXT_MESSAGE_END", "RUN_FINISHED"]
    [value] = [one["value"] for one in found if one["type"] == "CUSTOM"]
    assert (value["start"], value["end"], value["url"]) == (0, 7, "https://example.org/a")
    assert found[-2]["metadata"]["citestream"]["citations"][0]["data_part_id"] == "a"


def test_a_run_begins_even_when_it_fails_at_once() -> None:
    found = list(streams.events(AgUiWriter().encode(ErrorEvent({"title": "Broken"}), 1)))
    assert [one["type"] for one in found] == ["RUN_STARTED", "RUN_ERROR"]


def test_the_applications_own_event_is_carried() -> None:
    found = list(streams.events(AgUiWriter().encode(CustomEvent("n", {"a": 1}), 1)))
    assert found[-1] == {"type": "CUSTOM", "name": "n", "value": {"a": 1}}
