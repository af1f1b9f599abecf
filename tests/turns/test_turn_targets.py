"""What parts point at in a turn: one rule for every way in, one address everywhere."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.citations.markers import marker

from citestream import parse
from citestream.parts import PartError
from citestream.targets import load_preset, shipped_preset
from citestream.turns import (
    InputEvent,
    PartInput,
    PresetMismatchError,
    ResultsInput,
    SettledResults,
    Turn,
    input_event,
)

SHIPPED = shipped_preset()
DESK = load_preset(
    'scheme = "desk"\n[kind.mail]\nmessageId = "string"\nthread = "string?"\n[kind.event]\n'
    'calendar = "string"\neventId = "string"\nurl = "url?"\n[read_mail]\n'
    '"mail/<messageId>" = "mail"\n[read_calendar]\n"calendar/<calendar>/<eventId>" = "event"\n'
    '"index" = "analysis"\n[search_web]\n"<url>" = "web"\n'
)
DOWNLOAD = "https://www.ecfr.gov/api/versioner/v1/full/current/title-26.xml?part=1"
PAGE = "https://www.ecfr.gov/current/title-26/part-1"
MAIL = {"kind": "mail", "messageId": "m-17", "thread": None}
ACCOUNT_ID = "qK7mVx2RtB9dLw4ZpYc8NjHs3GfAe6UoTi1Dx"


def cited(turn: Turn, *part_ids: str) -> list[dict[str, Any]]:
    turn.feed("".join(map(marker, part_ids)))
    turn.finish()
    return [one.as_json() for one in turn.answer().citations]


def replayed(event: InputEvent) -> InputEvent:
    return input_event(json.loads(json.dumps(event.as_json())))


def reopened(turn: Turn, preset: Any = None) -> Turn:
    return Turn.restore(json.loads(json.dumps(turn.snapshot())), preset=preset)


# -- a part's own target ---------------------------------------------------------------------------


def ways_in(target: Any, url: str | None = None) -> list[Turn]:
    """Turns with one part, each registered in another way."""
    part = PartInput("t", 1, "a", url=url, target=target)
    registered, accepted, recorded = Turn(preset=DESK), Turn(preset=DESK), Turn()
    registered.register(tool_name="t", data=1, id="a", url=url, target=target)
    accepted.accept(part)
    recorded.accept(replayed(Turn(preset=DESK).intake().admit(part).event))
    fresh = Turn(preset=DESK, parts=[part])
    return [registered, accepted, fresh, recorded, reopened(registered, DESK), reopened(recorded)]


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ({**MAIL, "subject": "Berth"}, MAIL),
        ({"kind": "mail", "messageId": "m-17"}, MAIL),
        ({"kind": "analysis", "mail": 1}, {"kind": "analysis"}),
        (
            {"kind": "account", "accountId": "a", "provider": "mx"},
            {"kind": "account", "accountId": "a", "provider": None},
        ),
        ({"kind": "tax_reference", "url": DOWNLOAD}, {"kind": "tax_reference", "url": PAGE}),
        (None, None),
    ],
)
def test_a_part_s_own_target_is_the_same_at_every_way_in(target: Any, expected: Any) -> None:
    for turn in ways_in(target):
        assert cited(turn, "a")[0].get("target") == expected
    answer = parse(marker("a"), [PartInput("t", 1, "a", target=target)], preset=DESK)
    assert answer.citations[0].target == expected


@pytest.mark.parametrize(
    "target", [{"kind": "patient"}, {}, {"kind": "mail"}, {"kind": "web", "url": "javascript:1"}]
)
def test_a_target_of_no_known_kind_is_refused_and_changes_nothing(target: Any) -> None:
    turn = Turn(preset=DESK)
    part = PartInput("t", 1, "a", target=target)
    ways: list[Callable[[], object]] = [
        lambda: turn.register(tool_name="t", data=1, id="a", target=target),
        lambda: turn.accept(part),
        lambda: Turn(preset=DESK, parts=[part]),
        lambda: parse("x", [part], preset=DESK),
    ]
    for way in ways:
        with pytest.raises(PartError, match=r"^(parts\[0\]\.)?target: must be") as caught:
            way()
        assert "patient" not in str(caught.value)
    assert turn.parts() == ()


def test_a_kind_that_is_not_declared_is_refused() -> None:
    for turn in (Turn(preset=SHIPPED), Turn()):
        with pytest.raises(PartError, match=r"^target: "):
            turn.register(tool_name="t", data=1, target=MAIL)


@pytest.mark.parametrize(
    ("target", "url", "shown"),
    [
        ({"kind": "tax_reference", "url": DOWNLOAD}, DOWNLOAD, PAGE),
        ({"kind": "tax_reference", "url": PAGE}, DOWNLOAD, PAGE),
        ({"kind": "tax_reference", "url": PAGE}, None, PAGE),
        (None, DOWNLOAD, DOWNLOAD),
    ],
)
def test_a_part_and_its_target_have_one_address(target: Any, url: Any, shown: str) -> None:
    for turn in ways_in(target, url):
        (part,) = turn.parts()
        assert part.url == shown
        assert target is None or part.target["url"] == shown


# -- results ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "item",
    [
        {"source": "silvia://tax-authority/cfr/26.xml", "url": DOWNLOAD, "title": "26 CFR"},
        {"source": DOWNLOAD, "title": "26 CFR"},
        {"title": "26 CFR", "url": DOWNLOAD, "snippet": "Part 1"},
        {"title": "26 CFR", "url": DOWNLOAD, "body": "Part 1"},
    ],
)
def test_a_document_has_one_address_everywhere(item: dict[str, Any]) -> None:
    turn = Turn(preset=SHIPPED, include=["source"])
    turn.register_results("read_tax_authority", [{"id": "a", **item}])
    (citation,) = cited(turn, "a")
    assert citation["target"] == {"kind": "tax_reference", "url": PAGE}
    assert citation["source"]["url"] == PAGE
    assert citation["source"].get("source", PAGE) == PAGE
    assert turn.parts()[0].url == PAGE


def test_a_web_result_keeps_the_address_that_it_was_found_at() -> None:
    turn = Turn(preset=SHIPPED, include=["source"])
    turn.register_results("search_web", [{"id": "a", "source": DOWNLOAD, "url": PAGE}])
    (citation,) = cited(turn, "a")
    assert citation["target"] == {"kind": "web", "url": DOWNLOAD}
    assert citation["source"]["url"] == turn.sources()[0].url == DOWNLOAD


def test_what_its_tool_calls_a_part_is_on_the_citation_beside_the_title() -> None:
    turn = Turn(preset=SHIPPED, include=["source"])
    live, analysis = "silvia://market-data/finnhub", "silvia://analysis"
    results = [
        {"id": "live", "source": live, "title": "Prices"},
        {"id": "sum", "source": analysis, "title": "Sum"},
    ]
    turn.register_results("execute_python", results)
    turn.register_results("search_web", [{"id": "w", "title": "W", "url": PAGE}])
    citations = cited(turn, "live", "sum", "w")
    tool = {"tool_name": "execute_python", "url": None}
    assert [one["source"] for one in citations] == [
        {**tool, "title": "Prices", "source": live},
        {**tool, "title": "Sum", "source": analysis},
        {"tool_name": "search_web", "title": "W", "url": PAGE},
    ]
    assert [one["target"]["kind"] for one in citations] == ["analysis", "analysis", "web"]
    untyped = Turn(include=["source"])
    untyped.register_results("execute_python", results)
    assert cited(untyped, "sum")[0]["source"]["source"] == analysis


def test_a_result_that_names_a_source_may_have_rows_and_a_body() -> None:
    turn = Turn(preset=SHIPPED, include=["excerpt"])
    row = {"account_id": ACCOUNT_ID, "balance": 10}
    source = "silvia://your-account/checking"
    turn.register_results(
        "execute_sql",
        [
            {"id": "both", "source": source, "body": "One row.\nBalance: 10", "rows": [row]},
            {"id": "body", "source": "silvia://your-portfolio", "body": "First\nSecond"},
        ],
    )
    turn.feed(marker("both", "L2") + marker("both", "/rows/0/balance") + marker("body", "L2"))
    turn.finish()
    citations = [one.as_json() for one in turn.answer().citations]
    shown = [(one["resolution"], one["excerpt"]["text"]) for one in citations]
    assert shown == [("resolved", "Balance: 10"), ("resolved", "10"), ("resolved", "Second")]
    assert citations[0]["target"]["accountId"] == ACCOUNT_ID


def test_an_excerpt_of_a_whole_result_leaves_out_what_was_read_to_type_it() -> None:
    rows = [
        {"source": "plaid", "source_account_id": ACCOUNT_ID, "eur": 1},
        {"account_id": ACCOUNT_ID, "eur": 2},
    ]
    turn = Turn(preset=SHIPPED, include=["excerpt"])
    item = {"id": "a", "source": "silvia://your-account/checking", "rows": rows}
    turn.register_results("execute_sql", [item])
    turn.register_results("execute_sql", [{**item, "id": "b", "source": "silvia://your-portfolio"}])
    turn = reopened(turn, SHIPPED)
    for locator in ("", "/nowhere", "/rows/0/eur", "/rows/1"):
        turn.feed(marker("a", locator) if locator else marker("a"))
    turn.feed(marker("b"))
    turn.finish()
    shown = [one.excerpt.text for one in turn.answer().citations if one.excerpt]
    whole = '{"source":"silvia://your-account/checking","rows":[{"eur":1},{"eur":2}]}'
    assert shown[:3] == [whole, whole, "1"]
    assert json.loads(shown[3]) == rows[1]
    assert json.loads(shown[4])["rows"] == rows
    assert turn.parts()[0].data["rows"] == rows


def test_a_declared_kind_lives_through_record_and_snapshot() -> None:
    item = {"id": "a", "source": "desk://mail/m-17", "body": "Hello", "thread": "t-3"}
    settled = Turn(preset=DESK).intake().admit(ResultsInput("read_mail", (item,))).event
    assert isinstance(settled, SettledResults)
    assert replayed(settled) == settled
    recorded = Turn()  # what is replayed needs no table
    recorded.accept(replayed(settled))
    for turn in (reopened(recorded), recorded):
        assert cited(turn, "a")[0]["target"] == {**MAIL, "thread": "t-3"}


# -- snapshots -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kept", "other"), [(DESK, None), (None, DESK), (DESK, SHIPPED), (SHIPPED, DESK)]
)
def test_a_snapshot_is_restored_with_its_preset_alone(kept: Any, other: Any) -> None:
    snapshot = Turn(preset=kept).snapshot()
    with pytest.raises(PresetMismatchError, match=r"^preset: "):
        Turn.restore(snapshot, preset=other)
    assert Turn.restore(snapshot, preset=kept).snapshot() == snapshot


def test_a_snapshot_keeps_which_tools_are_web_tools() -> None:
    turn = reopened(Turn(web_tools=frozenset({"browse"})))
    turn.register_results("browse", [{"title": "A", "url": "https://example.org/a"}])
    turn.register_results("web_search", [{"title": "B", "url": "https://example.org/b"}])
    assert [source.title for source in turn.sources()] == ["A"]


# -- the law ---------------------------------------------------------------------------------------

items = st.fixed_dictionaries(
    {
        "source": st.sampled_from(
            [
                "desk://mail/m-1",
                "desk://mail/m%2F2",
                "desk://calendar/a/b",
                "desk://calendar/a",
                "desk://index",
                "https://example.org/p",
            ]
        )
    },
    optional={
        "thread": st.sampled_from([None, "t-1", "", 7]),
        "url": st.sampled_from([None, "https://example.org/p", "ftp://example.org/"]),
        "body": st.just("Hello"),
    },
)
calls_of_a_turn = st.lists(
    st.tuples(
        st.sampled_from(["read_mail", "read_calendar", "search_web"]),
        st.lists(items, min_size=1, max_size=3),
    ),
    min_size=1,
    max_size=4,
)


@settings(max_examples=2000, deadline=None)
@given(calls=calls_of_a_turn, cut=st.integers(0, 4))
def test_a_target_is_the_same_live_recorded_and_restored(
    calls: list[tuple[str, list[dict[str, Any]]]], cut: int
) -> None:
    live, recorded = Turn(preset=DESK), Turn()
    for at, (tool, results) in enumerate(calls):
        settled = live.intake().admit(ResultsInput(tool, tuple(results))).event
        live.accept(settled)
        recorded.accept(replayed(settled))
        if at == cut:
            live, recorded = reopened(live, DESK), reopened(recorded)
    ids = [part.id for part in live.parts()]
    found = cited(live, *ids)
    assert cited(recorded, *ids) == found
    for part, citation in zip(live.parts(), found, strict=True):
        url = (citation.get("target") or {}).get("url")
        assert url is None or part.url == url
