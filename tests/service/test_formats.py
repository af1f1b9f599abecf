"""Pairs of formats, and the pipe of a filter."""

import pytest
from tests.chat_streams import DONE, finish, piece
from tests.wire.formats.streams import make_turn

from citestream.service.formats import FilterPipe, chosen, options_for, reader_of, table, view_of
from citestream.service.problems import Problem
from citestream.wire.formats import FORMATS, NATIVE
from citestream.wire.formats.openai_chat_filter import ChatFilter


def test_native_is_the_default() -> None:
    assert chosen({}) == (NATIVE, NATIVE)


def test_each_entry_of_the_table_may_be_chosen_as_it_says() -> None:
    for entry in table():
        name = entry["name"]
        if entry["reader"]:
            assert chosen({"from": name}) == (FORMATS[name], NATIVE)
            assert reader_of(FORMATS[name])
        if entry["filter"]:
            assert chosen({"from": name, "to": name}) == (FORMATS[name], FORMATS[name])
            assert options_for(FORMATS[name]).invalid_markers == "drop"


@pytest.mark.parametrize(
    "query", [{"from": "x"}, {"to": "x"}, {"from": "anthropic", "to": "gemini"}]
)
def test_what_is_not_offered_lists_what_is(query: dict[str, str]) -> None:
    with pytest.raises(Problem, match="gemini to native"):
        chosen(query)


def test_a_view_has_the_unit_that_was_asked_for() -> None:
    assert view_of({}, None).offset_unit is None
    assert view_of({"offset_unit": "utf8"}, None).offset_unit == "utf8"
    with pytest.raises(Problem, match="offset_unit"):
        view_of({"offset_unit": "byte"}, None)


def test_a_pipe_ends_with_its_bytes() -> None:
    pipe = FilterPipe(ChatFilter(make_turn))
    assert pipe.feed(piece("a")) == piece("a")
    assert pipe.feed(b"data: ") == b""
    assert pipe.unread == len(piece("a")) + len(b"data: ")
    assert not pipe.ended
    assert pipe.finish() == b"data: "
    assert pipe.ended


def test_silence_invents_no_end() -> None:
    pipe = FilterPipe(ChatFilter(make_turn))
    body = piece("a") + finish("stop") + DONE
    assert pipe.feed(body[:-20]) + pipe.end("timeout") == body[:-20]
    assert pipe.ended
