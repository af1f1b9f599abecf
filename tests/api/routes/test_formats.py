"""The table of formats, and vendors' streams through the service over a socket."""

import json

import httpx
import pytest
from tests.sse import events_of
from tests.wire.formats import streams, test_openai_chat_filter, test_openai_responses_filter

from citestream.wire.formats import FORMATS

CASES = {
    name: next(case for case in streams.cases(name) if case["name"] == f"{name}-plain")
    for name, one in FORMATS.items()
    if one.filter
}
SEEN = {
    "openai-chat": test_openai_chat_filter.seen,
    "openai-responses": test_openai_responses_filter.seen,
}
SSE = {"content-type": "text/event-stream"}


def test_the_table(client: httpx.Client) -> None:
    listed = client.get("/v1/formats").json()["formats"]
    assert [one["name"] for one in listed] == list(FORMATS)
    assert {one["name"] for one in listed if one["filter"]} == set(CASES)


@pytest.mark.parametrize("name", CASES)
def test_a_vendor_stream_is_passed_on_clean(client: httpx.Client, name: str) -> None:
    body = streams.stream(CASES[name])
    query = {"from": name, "to": name}
    answer = client.post("/v1/stream", params=query, content=body, headers=SSE)
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/event-stream")
    make = FORMATS[name].filter
    assert make
    assert answer.content == streams.run(make, [body])


@pytest.mark.parametrize("name", CASES)
def test_a_vendor_stream_becomes_our_own(client: httpx.Client, name: str) -> None:
    case = CASES[name]
    body = streams.stream(case)
    answer = client.post("/v1/stream", params={"from": name}, content=body, headers=SSE)
    events = events_of(answer.content)
    text = "".join(event.value["text"] for event in events if event.type == "delta")
    assert text == case["expect"]["texts"]["0/0" if name == "openai-responses" else "0"]
    cited = [event.value["citation"] for event in events if event.type == "citation"]
    assert [one["offset"] for one in cited] == [
        one["offset"] for one in case["expect"]["citations"]
    ]
    assert events[-1].value["status"] == "completed"


@pytest.mark.parametrize("target", ["openai-chat", "openai-responses"])
@pytest.mark.parametrize("name", CASES)
def test_a_stream_becomes_another_vendors(client: httpx.Client, name: str, target: str) -> None:
    if name == target:
        return
    case = CASES[name]
    body, query = streams.stream(case), {"from": name, "to": target}
    answer = client.post("/v1/stream", params=query, content=body, headers=SSE)
    seen = SEEN[target](answer.content)
    [text] = seen.texts.values()
    assert text == case["expect"]["texts"]["0/0" if name == "openai-responses" else "0"]
    [closing] = seen.closing
    assert [one["offset"] for one in closing["citations"]] == [
        one["offset"] for one in case["expect"]["citations"]
    ]
    urls = [one["url"] for one in case["expect"]["citations"] if "url" in one]
    listed = [one.get("url_citation", one) for one in seen.lists[-1][1]]
    assert [one["url"] for one in listed] == urls
    claims = [one["claim"] for one in case["expect"]["citations"] if "url" in one]
    assert [[one["start_index"], one["end_index"]] for one in listed] == claims


def test_our_own_answer_becomes_a_vendors(client: httpx.Client) -> None:
    parts = [{"tool_name": "t", "data": 1, "url": "https://example.org/a"}]
    body = {"text": "One\ue200cite\ue202tool_data_01\ue201.", "parts": parts}
    answer = client.post("/v1/stream", params={"to": "openai-chat"}, json=body)
    seen = test_openai_chat_filter.seen(answer.content)
    assert dict(seen.texts) == {"0": "One."}
    [(_, [annotation])] = seen.lists
    assert annotation["url_citation"]["url"] == "https://example.org/a"
    start = b'{"type":"start"}\n{"type":"delta","text":"One."}\n'
    lines = {"content-type": "application/x-ndjson"}
    answer = client.post("/v1/stream", params={"to": "openai-chat"}, content=start, headers=lines)
    assert dict(test_openai_chat_filter.seen(answer.content).texts) == {"0": "One."}


def test_a_wrong_event_of_ours_ends_our_own_stream_with_an_error(client: httpx.Client) -> None:
    body = b'event: citestream\ndata: {"type":"part"}\n\n' + streams.stream(CASES["openai-chat"])
    answer = client.post("/v1/stream", params={"from": "openai-chat"}, content=body, headers=SSE)
    [event] = events_of(answer.content)
    assert event.type == "error"
    assert event.value["error"]["status"] == 422


def test_a_wrong_event_of_ours_costs_a_filter_nothing_else(client: httpx.Client) -> None:
    wrong = b'event: citestream\ndata: {"type":"delta","text":"x"}\n\n'
    query = {"from": "openai-chat", "to": "openai-chat"}
    body = wrong + streams.stream(CASES["openai-chat"])
    answer = client.post("/v1/stream", params=query, content=body, headers=SSE)
    seen = test_openai_chat_filter.seen(answer.content)
    assert dict(seen.texts) == CASES["openai-chat"]["expect"]["texts"]


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ({"from": "nobody"}, "from"),
        ({"to": "nobody"}, "to"),
        ({"from": "anthropic", "to": "gemini"}, "to"),
        ({"from": "anthropic", "to": "anthropic", "offset_unit": "words"}, "offset_unit"),
        ({"from": "anthropic", "to": "anthropic", "markers": "loud"}, "markers"),
    ],
)
def test_what_is_not_offered_is_refused(
    client: httpx.Client, query: dict[str, str], field: str
) -> None:
    answer = client.post("/v1/stream", params=query, content=b"", headers=SSE)
    assert answer.status_code == 422
    problem = answer.json()
    assert [one["field"] for one in problem["errors"]] == [field]
    if field in ("from", "to"):
        assert "gemini to gemini" in problem["detail"]


def test_a_vendor_stream_is_posted_as_events(client: httpx.Client) -> None:
    query = {"from": "gemini", "to": "gemini"}
    answer = client.post("/v1/stream", params=query, json={})
    assert answer.status_code == 415


def test_offsets_in_another_unit(client: httpx.Client) -> None:
    case = next(one for one in streams.cases("openai-chat") if one["name"].endswith("-wide"))
    query = {"from": "openai-chat", "to": "openai-chat", "offset_unit": "utf16"}
    body = streams.stream(case)
    answer = client.post("/v1/stream", params=query, content=body, headers=SSE)
    listed = dict(test_openai_chat_filter.seen(answer.content).lists)
    text = case["expect"]["texts"]["0"]
    expected = [one for one in streams.ours(case, "0") if "url" in one]
    assert expected
    for made, one in zip(listed["0"], expected, strict=True):
        units = text.encode("utf-16-le")
        place = made["url_citation"]
        covered = units[place["start_index"] * 2 : place["end_index"] * 2].decode("utf-16-le")
        assert covered == text[slice(*one["claim"])]


WRITERS = [name for name, one in FORMATS.items() if one.writer and name != "native"]


def pushed(client: httpx.Client, name: str) -> str:
    """Push a vendor's stream into a stored turn; return its id."""
    turn: str = client.post("/v1/turns", json={}).json()["id"]
    body = streams.stream(CASES[name])
    for _ in range(2):  # the same push again changes nothing
        answer = client.post(
            f"/v1/turns/{turn}/input", params={"from": name, "seq": 1}, content=body, headers=SSE
        )
        assert answer.status_code == 200, answer.text
        assert answer.json()["status"] == "completed"
    return turn


@pytest.mark.parametrize("name", CASES)
def test_a_vendor_stream_is_pushed_into_a_turn(client: httpx.Client, name: str) -> None:
    answer = client.get(f"/v1/turns/{pushed(client, name)}").json()
    expected = CASES[name]["expect"]
    assert answer["text"] == expected["texts"]["0/0" if name == "openai-responses" else "0"]
    assert [(one["data_part_id"], one["offset"]) for one in answer["citations"]] == [
        (one["data_part_id"], one["offset"]) for one in expected["citations"]
    ]


@pytest.mark.parametrize("target", WRITERS)
def test_one_turn_is_followed_in_every_format(client: httpx.Client, target: str) -> None:
    turn = pushed(client, "openai-chat")
    answer = client.get(f"/v1/turns/{turn}/events", params={"to": target})
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"].startswith("text/event-stream")
    assert "\\ue200" not in answer.text
    assert turn in answer.text
    text = CASES["openai-chat"]["expect"]["texts"]["0"]
    assert json.dumps(text[:5])[1:-1] in answer.text
    again = client.get(f"/v1/turns/{turn}/events", params={"to": target})
    assert again.content == answer.content


def test_a_responses_stream_continues_after_a_number(client: httpx.Client) -> None:
    address = f"/v1/turns/{pushed(client, 'openai-chat')}/events"
    query = {"to": "openai-responses"}
    whole = client.get(address, params=query).text.split("\n\n")
    for after in range(4):
        rest = client.get(address, params={**query, "starting_after": str(after)}).text
        assert rest.split("\n\n") == whole[after + 1 :]
    refused = client.get(address, params={**query, "starting_after": "x"})
    assert refused.status_code == 422
    assert refused.json()["errors"][0]["field"] == "starting_after"


@pytest.mark.parametrize("field", ["from", "to"])
def test_what_is_no_format_of_a_turn_is_refused(client: httpx.Client, field: str) -> None:
    turn = client.post("/v1/turns", json={}).json()["id"]
    if field == "to":
        answer = client.get(f"/v1/turns/{turn}/events", params={"to": "gemini"})
    else:
        answer = client.post(
            f"/v1/turns/{turn}/input", params={"from": "vercel-ai"}, content=b"", headers=SSE
        )
    assert answer.status_code == 422
    [problem] = answer.json()["errors"]
    assert problem["field"] == field
    assert "openai-chat" in problem["problem"]
