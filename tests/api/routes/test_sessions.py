"""Sessions over a real socket: user messages and turns in order, for a reader and for a model."""

import json
import re
from itertools import pairwise
from typing import Any

import httpx
import pytest
from tests.api.turning import (
    END,
    created,
    delta,
    following,
    marker,
    part,
    problem,
    pushed,
    told,
)
from tests.serving import Served

MESSAGE = "/v1/sessions/{}/messages"


def said(client: httpx.Client, session: str, text: str, **more: Any) -> dict[str, Any]:
    answer = client.post(MESSAGE.format(session), json={"text": text, **more})
    assert answer.status_code == 201, answer.text
    found: dict[str, Any] = answer.json()
    return found


def answered(client: httpx.Client, session: str, *events: dict[str, Any]) -> str:
    turn = created(client, session_id=session)
    pushed(client, turn, 1, *events, END)
    return turn


@pytest.fixture
def talk(client: httpx.Client, request: pytest.FixtureRequest) -> str:
    """A session of two questions and two answers; the second cites what only the first knows."""
    session = re.sub("[^a-z0-9]", "-", f"talk-{request.node.name}")
    said(client, session, "When do tides turn?")
    page = part(None, {"a": 1}, title="Tide tables", url="https://example.org/tides")
    answered(client, session, page, part(None), delta("At six" + marker("tool_data_01") + "."))
    said(client, session, "Is it safe?")
    answered(
        client,
        session,
        part(None, "No."),
        delta(f"No{marker('tool_data_03')}, see above{marker('tool_data_01')}."),
    )
    return session


HALVES = ["\ud800", "a\udc00b"]


@pytest.mark.parametrize("half", HALVES)
def test_half_a_character_in_a_message_is_shown_as_a_replacement(
    client: httpx.Client, half: str
) -> None:
    session = f"halves-{HALVES.index(half)}"
    body = {"text": half, "context": {half: [half]}}
    answer = client.post(
        MESSAGE.format(session),
        content=json.dumps(body),
        headers={"Content-Type": "application/json"},
    )
    assert answer.status_code == 201
    whole = half.replace("\ud800", "\ufffd").replace("\udc00", "\ufffd")
    (item,) = client.get(f"/v1/sessions/{session}").json()["items"]
    assert item["text"] == whole
    assert item["context"] == {whole: [whole]}
    assert client.get(f"/v1/sessions/{session}/history").status_code == 200


@pytest.mark.parametrize("limit", [1, 2, 3, 4, 5])
def test_a_next_page_is_named_only_where_there_is_one(
    client: httpx.Client, talk: str, limit: int
) -> None:
    found = client.get(f"/v1/sessions/{talk}?limit={limit}").json()
    assert len(found["items"]) == min(limit, 4)
    assert found["next"] == (limit if limit < 4 else None)


@pytest.mark.parametrize("markers", ["clean", "raw", "restore"])
def test_an_answer_without_text_is_in_no_history(client: httpx.Client, markers: str) -> None:
    session = f"empty-{markers}"
    turn = created(client, session_id=session)
    only_theirs = delta(marker("user_data_01"))
    pushed(client, turn, 1, part("user_data_01", "mine", origin="user"), only_theirs, END)
    pushed(client, turn, 4, only_theirs, END)
    assert client.get(f"/v1/turns/{turn}").json()["status"] == "retry_required"
    found = client.get(f"/v1/sessions/{session}/history?markers={markers}").json()
    assert found["messages"] == []


def test_messages_and_turns_are_in_order(client: httpx.Client, talk: str) -> None:
    found = client.get(f"/v1/sessions/{talk}").json()
    assert found.keys() == {"id", "created", "items", "next"}
    assert (found["id"], found["next"]) == (talk, None)
    items = found["items"]
    assert [item["type"] for item in items] == ["message", "turn", "message", "turn"]
    assert [item["position"] for item in items] == [1, 2, 3, 4]
    assert all(one["created"] <= other["created"] for one, other in pairwise(items))
    assert items[0].keys() == {
        "type",
        "position",
        "id",
        "created",
        "text",
        "attachments",
        "context",
        "unavailable",
    }
    assert (items[0]["text"], items[0]["context"]) == ("When do tides turn?", None)


def test_an_answer_shows_its_sources_and_its_markers(client: httpx.Client, talk: str) -> None:
    first = client.get(f"/v1/sessions/{talk}").json()["items"][1]
    assert first["text"] == "At six."
    (source,) = first["citations"]
    assert source["data_part_id"] == "tool_data_01"
    assert source["title"] == "Tide tables"
    assert source["url"] == "https://example.org/tides"
    (inline,) = first["inline_citations"]
    assert (inline["data_part_id"], inline["offset"]) == ("tool_data_01", 7)
    turn = client.get(f"/v1/turns/{first['id']}").json()
    assert first["inline_citations"] == turn["citations"]
    assert (first["status"], first["reason"]) == ("completed", "complete")


def test_an_answer_cites_each_source_once_in_order_of_first_citation(client: httpx.Client) -> None:
    session = "order"
    text = "".join(f"{id_}{marker(id_)} " for id_ in ("b", "a", "b", "c", "a"))
    answered(client, session, part("a"), part("b", 1), part("c", 2), part("d", 3), delta(text))
    (item,) = client.get(f"/v1/sessions/{session}").json()["items"]
    assert [one["data_part_id"] for one in item["citations"]] == ["b", "a", "c"]
    assert [one["data_part_id"] for one in item["inline_citations"]] == ["b", "a", "b", "c", "a"]


def test_a_marker_copied_from_an_earlier_turn_cites_nothing(
    client: httpx.Client, talk: str
) -> None:
    """Assigned ids count over the session and are never used twice."""
    second = client.get(f"/v1/sessions/{talk}").json()["items"][3]
    assert second["text"] == "No, see above."
    assert [one["data_part_id"] for one in second["inline_citations"]] == ["tool_data_03"]
    dropped = client.get(f"/v1/turns/{second['id']}").json()["dropped"]
    assert [(one["data_part_id"], one["reason"]) for one in dropped] == [
        ("tool_data_01", "unknown_part")
    ]


def test_removed_turns_give_no_id_back(client: httpx.Client) -> None:
    turn = created(client, session_id="gone")
    assert pushed(client, turn, 1, part(None))["parts"][0]["id"] == "tool_data_01"
    client.delete(f"/v1/turns/{turn}")
    turn = created(client, session_id="gone")
    assert pushed(client, turn, 1, part(None))["parts"][0]["id"] == "tool_data_02"


def test_pages_hold_every_item_once(client: httpx.Client) -> None:
    for number in range(7):
        said(client, "paged", str(number))
        told(client, session_id="paged")
    whole = client.get("/v1/sessions/paged").json()["items"]
    assert len(whole) == 14
    for limit in (1, 3, 7, 13, 14, 200):
        got, after = [], 0
        while after is not None:
            page = client.get("/v1/sessions/paged", params={"after": after, "limit": limit}).json()
            assert len(page["items"]) <= limit
            got += page["items"]
            after = page["next"]
        assert got == whole
    assert client.get("/v1/sessions/paged?after=99").json()["items"] == []


@pytest.mark.parametrize("query", ["limit=0", "limit=201", "after=-1", "limit=x", "after=1.5"])
def test_a_page_that_cannot_be_is_refused(client: httpx.Client, query: str) -> None:
    said(client, "refused", "a")
    problem(client.get(f"/v1/sessions/refused?{query}"), 422, "invalid-input")


@pytest.mark.parametrize(
    "context",
    [
        None,
        1,
        "text",
        [1, [2, {"a": None}]],
        {"version": 1, "records": [{"contextId": "\0\u2028"}]},
    ],
)
def test_context_is_kept_as_it_came(client: httpx.Client, context: Any) -> None:
    session = f"context-{json.dumps(context).encode().hex()[:40]}"
    text = "\ue200cite\ue202x\ue201 is mine \0"
    found = said(client, session, text, id="m.1", context=context)
    assert found == {"id": "m.1", "position": 1, "unavailable": []}
    (item,) = client.get(f"/v1/sessions/{session}").json()["items"]
    assert (item["id"], item["text"], item["context"]) == ("m.1", text, context)


@pytest.mark.parametrize(
    "body", [{}, {"text": None}, {"text": 1}, {"id": ".a", "text": "a"}, {"text": "a", "x": 1}]
)
def test_a_message_that_is_none_is_refused(client: httpx.Client, body: Any) -> None:
    problem(client.post(MESSAGE.format("bad"), json=body), 422, "invalid-input")
    problem(client.get("/v1/sessions/bad"), 404, "not-found")


@pytest.mark.parametrize("provider", [None, "openai", "anthropic"])
def test_history_is_clean_unless_asked(client: httpx.Client, talk: str, provider: Any) -> None:
    params = {"for": provider} if provider else {}
    clean = client.get(f"/v1/sessions/{talk}/history", params=params).json()
    assert clean == {
        "messages": [
            {"role": "user", "content": "When do tides turn?"},
            {"role": "assistant", "content": "At six."},
            {"role": "user", "content": "Is it safe?"},
            {"role": "assistant", "content": "No, see above."},
        ],
        "text": None,
    }
    params["markers"] = "raw"
    raw = client.get(f"/v1/sessions/{talk}/history", params=params).json()
    assert raw["messages"][1]["content"] == f"At six{marker('tool_data_01')}."
    assert raw["messages"][0] == clean["messages"][0]


def test_history_as_one_text(client: httpx.Client, talk: str) -> None:
    found = client.get(f"/v1/sessions/{talk}/history?for=text").json()
    assert found["text"] == (
        "User: When do tides turn?\n\nAssistant: At six.\n\n"
        "User: Is it safe?\n\nAssistant: No, see above."
    )


def test_history_leaves_out_what_has_not_been_said_in_full(client: httpx.Client) -> None:
    said(client, "part", "Q")
    pushed(client, created(client, session_id="part"), 1, delta("so far"))
    found = client.get("/v1/sessions/part/history").json()["messages"]
    assert found == [{"role": "user", "content": "Q"}]


@pytest.mark.parametrize("query", ["for=mistral", "markers=both", "for="])
def test_a_form_that_is_none_is_refused(client: httpx.Client, talk: str, query: str) -> None:
    problem(client.get(f"/v1/sessions/{talk}/history?{query}"), 422, "invalid-input")


def test_a_session_goes_with_all_that_is_its(server: Served, client: httpx.Client) -> None:
    said(client, "over", "Q")
    ended = told(client, session_id="over")
    running = created(client, session_id="over")
    other = told(client, session_id="stays")
    with following(server.port, running) as reader:
        assert client.delete("/v1/sessions/over").status_code == 204
        assert list(reader.events()) == []
    for turn in (ended, running):
        problem(client.get(f"/v1/turns/{turn}"), 404, "not-found")
    assert client.get(f"/v1/turns/{other}").status_code == 200
    problem(client.get("/v1/sessions/over"), 404, "not-found")
    assert said(client, "over", "again")["position"] == 1


@pytest.mark.parametrize(("method", "rest"), [("GET", ""), ("GET", "/history"), ("DELETE", "")])
def test_an_unknown_session_and_a_removed_one_look_the_same(
    client: httpx.Client, method: str, rest: str
) -> None:
    said(client, "was", "a")
    client.delete("/v1/sessions/was")
    never, was = (client.request(method, f"/v1/sessions/{one}{rest}") for one in ("never", "was"))
    problem(never, 404, "not-found")
    assert never.content == was.content


@pytest.mark.parametrize("session", ["x" * 129, ".a", "a%20b", "%00"])
def test_an_id_that_can_be_none_is_refused(client: httpx.Client, session: str) -> None:
    for answer in (
        client.get(f"/v1/sessions/{session}"),
        client.post(f"/v1/sessions/{session}/messages", json={"text": "a"}),
        client.delete(f"/v1/sessions/{session}"),
    ):
        problem(answer, 422, "invalid-input")


CHART = {"version": 1, "contextId": "c", "kind": "chart", "label": "C", "payload": 1}
CHART_LINK = "[C](t3-context://v1/chart/c)"


@pytest.mark.parametrize(
    "payload",
    [
        *(b"[" * levels + b"]" * levels for levels in (66, 200, 100_000)),
        *(b"1e999", b"9" * 5_000, b"NaN"),
    ],
    ids=["66", "200", "100,000", "1e999", "5,000 digits", "NaN"],
)
def test_a_record_that_cannot_be_read_costs_itself_alone(
    client: httpx.Client, payload: bytes, request: pytest.FixtureRequest
) -> None:
    session = re.sub("[^a-z0-9]", "-", request.node.name.lower())[:60]
    records = [CHART | {"payload": "HERE"}, CHART | {"contextId": "d"}]
    body = {"id": "m", "text": CHART_LINK, "context": {"version": 1, "records": records}}
    answer = client.post(
        MESSAGE.format(session),
        content=json.dumps(body).encode().replace(b'"HERE"', payload),
        headers={"Content-Type": "application/json"},
    )
    assert answer.status_code == 201
    assert answer.json() == {"id": "m", "position": 1, "unavailable": ["c"]}
    (item,) = client.get(f"/v1/sessions/{session}").json()["items"]
    assert item["unavailable"] == ["c"]
    assert item["context"]["records"] == [CHART | {"contextId": "d"}]
    history = client.get(f"/v1/sessions/{session}/history").json()["messages"]
    assert '<context kind="chart" id="c" unavailable="true"/>' in history[0]["content"]


def test_more_records_than_may_be_are_refused_with_the_limit(client: httpx.Client) -> None:
    records = [CHART | {"contextId": f"c{number}"} for number in range(201)]
    body = {"text": CHART_LINK, "context": {"version": 1, "records": records}}
    answer = client.post(MESSAGE.format("many-records"), json=body)
    (error,) = problem(answer, 422, "invalid-input")["errors"]
    assert error["field"] == "context.records"
    assert "at most 200 records" in error.values()
    assert client.get("/v1/sessions/many-records").status_code == 404
    body["context"]["records"] = records[:200]
    assert client.post(MESSAGE.format("many-records"), json=body).status_code == 201


def test_a_message_sent_twice_is_one_message(client: httpx.Client) -> None:
    session = "sent-twice"
    context = {"version": 1, "records": [CHART]}
    first = said(client, session, CHART_LINK, id="m", context=context)
    assert said(client, session, CHART_LINK, id="m", context=context) == first
    answer = client.post(MESSAGE.format(session), json={"id": "m", "text": "other"})
    problem(answer, 409, "message-conflict")
    assert len(client.get(f"/v1/sessions/{session}").json()["items"]) == 1
