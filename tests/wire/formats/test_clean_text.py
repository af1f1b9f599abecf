"""One text and the texts of a stream: what they share, and what the field says of them."""

import pytest
from tests.wire.formats.streams import make_turn

from citestream.turns import CustomInput, DeltaInput, PartInput, StartInput, TurnOrderError
from citestream.wire.formats.clean_text import CleanTexts, View

MARKER = "\ue200cite\ue202a\ue201"
PART = PartInput("search engine", {"value": "x"}, "a")


def texts(view: View | None = None) -> CleanTexts:
    return CleanTexts(make_turn, view or View(), "rune")


def test_each_text_may_cite_what_was_said_before_and_while_it_ran() -> None:
    shared = texts()
    first = shared.open(index=0)
    first.feed(f"One{MARKER}. ")
    shared.accept(PART)
    second = shared.open(index=1)
    assert second.feed(f"Two{MARKER}. ") + second.finish() == "Two. "
    assert first.finish() == ""
    field = shared.field()
    assert field
    assert [(one["index"], one["offset"]) for one in field["citations"]] == [(0, 4), (1, 4)]
    assert [one["metadata"]["dataPartId"] for one in field["parts"]] == ["a"]
    assert set(field["citations"][0]) == {"data_part_id", "offset", "locator", "index"}


def test_the_field_is_left_out_when_there_is_nothing_to_say() -> None:
    shared = texts()
    text = shared.open(index=0)
    text.feed("Plain.")
    text.finish()
    assert shared.field() is None


def test_what_was_asked_for_stays_in_the_field() -> None:
    shared = texts()
    shared.accept(StartInput(include=frozenset(["claim"])))
    shared.accept(PART)
    text = shared.open(index=0)
    text.feed(f"A fact{MARKER}.")
    text.finish()
    field = shared.field()
    assert field
    assert field["citations"][0]["claim"] == {"start": 0, "end": 7}


def test_events_that_have_no_place_in_a_vendors_stream_are_refused() -> None:
    shared = texts()
    with pytest.raises(TurnOrderError):
        shared.accept(DeltaInput("a"))
    shared.accept(CustomInput("n", 1))
    shared.accept(PART)
    with pytest.raises(TurnOrderError):
        shared.accept(StartInput())


def test_ranges_of_empty_claims_follow_each_other() -> None:
    shared = texts()
    shared.accept(PART)
    text = shared.open(index=0)
    text.feed(f"{MARKER}One{MARKER}. ")
    text.finish()
    assert [(one.start, one.end) for one in text.fresh()] == [(0, 0), (0, 4)]


def test_an_address_is_made_of_the_template() -> None:
    view = View(part_url="https://x/{turn_id}/{part_id}?at={locator}&by={tool_name}", turn_id="t 1")
    shared = texts(view)
    shared.accept(PART)
    text = shared.open(index=0)
    text.feed("A\ue200cite\ue202a\ue202/b/0\ue201.")
    text.finish()
    [cited] = text.fresh()
    assert cited.url == "https://x/t%201/a?at=%2Fb%2F0&by=search%20engine"
