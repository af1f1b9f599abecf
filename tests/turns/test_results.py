"""Results of tools in a turn: ids, numbers and targets, the text for the model, what is kept."""

import json
import math
from importlib.resources import files
from typing import Any

import pytest
from tests.citations.markers import marker

from citestream.parts import IdCounter
from citestream.targets import SHIPPED_PRESET, load_preset
from citestream.turns import (
    CitationEvent,
    CitationsSummary,
    DeltaInput,
    PartInput,
    ResultsInput,
    Turn,
    TurnOverflowError,
    input_event,
)

PRESET = load_preset(files("citestream.targets").joinpath(SHIPPED_PRESET).read_text("utf-8"))
TIDES = {"title": "Tide tables", "url": "https://example.org/tides", "snippet": "High at noon."}
BUOYS = {"title": "Buoys", "url": "https://example.org/buoys"}
CHECKING = "silvia://your-account/checking"
ACCOUNT = {"source": "plaid", "source_account_id": "qK7mVx2RtB9dLw4ZpYc8NjHs3GfAe6UoTi1Dx"}
TYPED = {"kind": "account", "accountId": ACCOUNT["source_account_id"], "provider": "plaid"}


def metadata(turn: Turn) -> Any:
    return turn.answer().artifact().get("metadata")


def test_results_of_a_web_tool_are_numbered_over_the_whole_turn() -> None:
    turn = Turn()
    assert turn.register_results("web_search", [TIDES, BUOYS]) == (
        "[1] Tide tables\n    https://example.org/tides\n    High at noon.\n\n"
        "[2] Buoys\n    https://example.org/buoys"
    )
    page = {"title": "Buoys", "url": " https://example.org/buoys ", "body": "North: 12\nSouth: 3"}
    assert turn.register_results("web_fetch", [page]).startswith(
        "[2] Buoys\nURL: https://example.org/buoys"
    )
    assert turn.register_results(
        "search_web", [{"title": "New", "url": "https://example.org/new"}]
    ) == ("[3] New\n    https://example.org/new")
    assert [part.id for part in turn.parts()] == [f"tool_data_0{n}" for n in (1, 2, 3, 4)]


def test_results_may_come_as_an_event() -> None:
    event = ResultsInput("web_search", (TIDES, BUOYS))
    assert event.as_json() == {
        "type": "results",
        "tool_name": "web_search",
        "results": [TIDES, BUOYS],
        "web": None,
        "unreadable": [],
    }
    turn, other = Turn(), Turn()
    assert turn.accept(event) == []
    other.register_results("web_search", [TIDES, BUOYS])
    assert turn.parts() == other.parts()
    assert [(source.index, source.url) for source in turn.sources()] == [
        (1, TIDES["url"]),
        (2, BUOYS["url"]),
    ]


def test_the_artifact_tells_what_was_gathered_and_what_is_cited() -> None:
    turn = Turn()
    turn.register_results(
        "web_search", [TIDES, BUOYS, {"title": "Third", "url": "https://example.org/3"}]
    )
    turn.feed(f"Noon [3]. Area{marker('tool_data_02')}. `[1]` is code; [9] is nobody.")
    turn.finish()
    assert metadata(turn) == {
        "sources": [
            {"index": 1, "title": "Tide tables", "url": "https://example.org/tides"},
            {"index": 2, "title": "Buoys", "url": "https://example.org/buoys"},
            {"index": 3, "title": "Third", "url": "https://example.org/3"},
        ],
        "cited": [2, 3],
    }


def test_without_web_results_there_is_no_metadata() -> None:
    turn = Turn(preset=PRESET)
    turn.register_results("execute_sql", [{"source": CHECKING, "rows": [ACCOUNT]}])
    turn.feed("Fact [1].")
    turn.finish()
    assert metadata(turn) is None


def test_a_page_is_cited_by_lines_and_a_result_by_pointer() -> None:
    turn = Turn(include=["excerpt"])
    turn.register_results(
        "web_fetch", [{"title": "B", "url": "https://e.org/", "body": "one\ntwo\nthree"}]
    )
    turn.register_results("lookup", [{"title": "T", "url": "https://e.org/t", "snippet": "noon"}])
    turn.feed(marker("tool_data_01", "L2-L3") + marker("tool_data_02", "/snippet"))
    turn.finish()
    shown = [one.as_json()["excerpt"]["text"] for one in turn.answer().citations]
    assert shown == ["two\nthree", "noon"]


def test_other_tools_are_shown_with_ids_and_places() -> None:
    turn = Turn(preset=PRESET)
    assert turn.register_results(
        "execute_sql", [{"source": CHECKING, "rows": [{"balance": 10}]}]
    ) == (f'[tool_data_01] execute_sql\n/source: "{CHECKING}"\n/rows/0/balance: 10')


def test_a_citation_carries_the_target_of_its_result() -> None:
    turn = Turn(preset=PRESET)
    turn.register_results("execute_sql", [{"id": "c", "source": CHECKING, "rows": [ACCOUNT]}])
    turn.register_results("search_web", [{"id": "w", **TIDES}])
    turn.feed(marker("c") + marker("w"))
    turn.finish()
    assert [one.as_json()["target"] for one in turn.answer().citations] == [
        TYPED,
        {"kind": "web", "url": "https://example.org/tides"},
    ]


def test_a_meaning_that_is_lost_in_mid_turn_is_gone_from_the_summary() -> None:
    turn = Turn(preset=PRESET)
    turn.register_results("execute_sql", [{"id": "c", "source": CHECKING, "rows": [ACCOUNT]}])
    live = [one for one in turn.feed(f"10{marker('c')} and") if isinstance(one, CitationEvent)]
    assert [one.citation.target for one in live] == [TYPED]
    turn.register_results("execute_sql", [{"source": CHECKING, "rows": [{"balance": 10}]}])
    summary = next(one for one in turn.finish() if isinstance(one, CitationsSummary))
    assert [one.as_json() for one in summary.citations] == [
        {"data_part_id": "c", "offset": 2, "locator": ""}
    ]
    assert turn.answer().citations == summary.citations


def test_a_parts_own_target_stands() -> None:
    own = {"kind": "market_data", "ticker": "AAPL"}
    turn = Turn(parts=[PartInput("t", 1, "a", target=own)])
    turn.feed(marker("a"))
    turn.finish()
    assert turn.answer().citations[0].as_json()["target"] == own


def test_without_a_table_nothing_is_typed() -> None:
    turn = Turn()
    turn.register_results("search_web", [{"id": "w", **TIDES}])
    turn.feed(marker("w"))
    turn.finish()
    assert "target" not in turn.answer().citations[0].as_json()


def test_a_settled_event_is_told_again_from_its_record_without_a_table() -> None:
    first, again = Turn(preset=PRESET), Turn()
    ids = IdCounter()
    for results in ([TIDES, BUOYS], [{**BUOYS, "body": "North"}]):
        intake = first.intake(lambda origin, data: ids.assign(origin, data, ()))
        event = intake.admit(ResultsInput("search_web", tuple(results))).event
        recorded = input_event(json.loads(json.dumps(event.as_json())))
        assert recorded == event
        first.accept(event)
        again.accept(recorded)
    for turn in (first, again):
        turn.accept(DeltaInput(f"x{marker('tool_data_02')}[1]"))
        turn.finish()
    assert first.answer().as_json() == again.answer().as_json()
    assert first.answer().citations[0].target == {"kind": "web", "url": BUOYS["url"]}


def test_a_snapshot_keeps_numbers_and_meanings() -> None:
    turn = Turn(preset=PRESET)
    turn.register_results("search_web", [{"id": "w", **TIDES}])
    turn.register_results("execute_sql", [{"id": "c", "source": CHECKING, "rows": [ACCOUNT]}])
    turn = Turn.restore(json.loads(json.dumps(turn.snapshot())), preset=PRESET)
    assert turn.register_results("search_web", [{"id": "w2", **TIDES}]).startswith("[1] ")
    turn.feed(marker("w2") + marker("c"))
    turn.finish()
    assert metadata(turn)["cited"] == [1]
    assert [one.as_json()["target"]["kind"] for one in turn.answer().citations] == [
        "web",
        "account",
    ]


def test_an_answer_to_be_brought_again_has_no_metadata() -> None:
    turn = Turn()
    turn.register_results("web_search", [TIDES])
    turn.feed(marker("user_text_01"))
    turn.finish()
    assert turn.answer().artifact() == {"parts": []}


def test_an_id_that_a_result_may_not_have_gives_way_to_an_assigned_one() -> None:
    turn = Turn(parts=[PartInput("t", 1, "tool_data_01")])
    turn.register_results("t", [{"id": "a", "x": 1}, {"id": "a", "x": 1}, {"id": "a", "x": 2}])
    turn.register_results("t", [{"id": "a", "x": 3}, {"id": "tool_data_01"}, {"x": 4}])
    turn.register_results("t", [{"id": "a b"}, {"id": 7}, {"id": "user_data_01"}, {"id": "\ud83d"}])
    assert [(part.id, part.data) for part in turn.parts()][1:] == [
        ("a", {"x": 1}),
        ("tool_data_02", {"x": 2}),
        ("tool_data_03", {"x": 3}),
        ("tool_data_04", {}),
        ("tool_data_05", {"x": 4}),
        ("tool_data_06", {"id": "a b"}),
        ("tool_data_07", {"id": 7}),
        ("tool_data_08", {"id": "user_data_01"}),
        ("tool_data_09", {"id": "\ufffd"}),
    ]


def test_an_assigned_id_is_none_that_another_result_of_the_event_brought() -> None:
    turn = Turn()
    turn.register_results("t", [{"id": "tool_data_01", "x": 1}, {"x": 2}, {"id": "tool_data_03"}])
    assert [part.id for part in turn.parts()] == ["tool_data_01", "tool_data_02", "tool_data_03"]


@pytest.mark.parametrize("known", [True, False])
def test_a_known_address_takes_no_place(known: bool) -> None:
    turn = Turn(parts=[PartInput("t", n) for n in range(1998)])
    turn.register_results("web_search", [TIDES, TIDES, {**TIDES, "snippet": "other"}])
    more = [{**TIDES, "n": n} for n in range(500)] + [BUOYS]
    turn.register_results("web_search", more)
    turn = Turn.restore(json.loads(json.dumps(turn.snapshot())))
    if known:
        turn.register_results("web_search", [{**BUOYS, "n": n} for n in range(50)])
        assert len(turn.parts()) == 1998 + 3 + 501 + 50
        assert len(turn.sources()) == 2
    else:
        with pytest.raises(TurnOverflowError, match=r"^parts: at most 2000 in a turn$"):
            turn.register_results("web_search", [{"title": "n", "url": "https://example.org/n"}])


def test_the_caller_says_which_results_are_of_the_web() -> None:
    turn = Turn(web_tools=frozenset({"tavily"}))
    assert turn.register_results("tavily", [TIDES]).startswith("[1] Tide tables\n")
    assert turn.register_results("web_search", [BUOYS]).startswith("[tool_data_02] web_search\n")
    assert turn.register_results("other", [BUOYS], web=True).startswith("[2] Buoys\n")
    assert turn.register_results("tavily", [BUOYS], web=False).startswith("[tool_data_04] tavily\n")


def test_one_that_cannot_be_held_is_named_and_the_others_are_taken() -> None:
    deep: Any = 0
    for _ in range(65):
        deep = [deep]
    turn = Turn()
    event = ResultsInput(
        "t", ({"a": 1}, None, {"b": deep}, {"c": math.inf}, "x"), None, ((1, "why"),)
    )
    turn.accept(event)
    assert [part.data for part in turn.parts()] == [{"a": 1}, "x"]
    assert [one.as_json() for one in turn.refused()] == [
        {"id": None, "tool_name": "t", "problem": "results[1]: why"},
        {"id": None, "tool_name": "t", "problem": "results[2]: nested more than 64 deep"},
        {"id": None, "tool_name": "t", "problem": "results[3]: numbers must be finite"},
    ]
    assert turn.answer().as_json()["refused"] == [one.as_json() for one in turn.refused()]


def test_a_part_that_cannot_be_held_is_named_and_uses_up_no_id() -> None:
    turn = Turn(include=["registered"])
    assert turn.accept(PartInput("t", None, unreadable="why"))[0].as_json() == {
        "type": "registered",
        "parts": [],
        "tool_output": [],
        "refused": [{"id": None, "tool_name": "t", "problem": "data: why"}],
    }
    turn.accept(PartInput("t", {"a": math.nan}, "x"))
    assert [part.id for part in turn.parts()] == []
    assert turn.register(tool_name="t", data=1) == "tool_data_01"
    assert [one.problem for one in turn.refused()] == ["data: why", "data: numbers must be finite"]
    for _ in range(30):
        turn.accept(PartInput("t", None, unreadable="why"))
    restored = Turn.restore(json.loads(json.dumps(turn.snapshot())))
    assert len(turn.refused()) == 20
    assert restored.refused() == turn.refused()


def test_events_say_what_was_registered_where_they_are_asked_for() -> None:
    turn = Turn(include=["registered", "sources"])
    turn.feed(marker("tool_data_01"))
    said = [one.as_json() for one in turn.accept(ResultsInput("web_search", (TIDES, TIDES)))]
    assert said[:2] == [
        {"type": "source", "index": 1, "title": TIDES["title"], "url": TIDES["url"]},
        {
            "type": "registered",
            "parts": [
                {"id": "tool_data_01", "tool_name": "web_search"},
                {"id": "tool_data_02", "tool_name": "web_search"},
            ],
            "tool_output": [{"tool_name": "web_search", "text": said[1]["tool_output"][0]["text"]}],
        },
    ]
    assert [one["type"] for one in said] == ["source", "registered"]
    assert said[1]["tool_output"][0]["text"].startswith("[1] Tide tables")
    assert [one.type for one in turn.accept(PartInput("t", 1))] == ["registered"]
    assert turn.accept(ResultsInput("web_search", (TIDES,)))[0].type == "registered"


def test_what_was_registered_by_hand_is_said_with_the_next_output() -> None:
    turn = Turn(include=["registered", "sources"], parts=[PartInput("t", 1)])
    turn.register_results("web_search", [TIDES])
    turn = Turn.restore(json.loads(json.dumps(turn.snapshot())))
    assert [one.type for one in turn.feed("a")] == ["registered", "source", "registered", "delta"]
    assert [one.type for one in turn.feed("b")] == ["delta"]


def test_without_being_asked_for_there_are_no_such_events() -> None:
    turn = Turn(parts=[PartInput("t", 1)])
    assert turn.accept(ResultsInput("web_search", (TIDES,))) == []
    assert turn.accept(PartInput("t", None, unreadable="why")) == []
