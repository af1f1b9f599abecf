"""What others made, at every entry: it never fails an answer, and what is left out is named."""

import json
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.api.turning import NDJSON, created, marker, push_lines
from tests.sse import events_of

ODD = ("1e999", "-1E400", "9" * 5000, "[" * 100 + "]" * 100, '{"a":' * 70 + "1" + "}" * 70)
PROBLEMS = ("a number is too large", "a number has too many digits", "nested more than 64 deep")
JSON = {"Content-Type": "application/json"}
TEXT = json.dumps("Kept" + marker("kept") + marker("odd") + ".")

Entry = Callable[[httpx.Client, str], dict[str, Any]]
"""Sends events, JSON objects by commas, and an answer that cites them; returns what it came to."""


def extract(client: httpx.Client, events: str) -> dict[str, Any]:
    parts, results = _split(events)
    body = f'{{"parts": [{parts}], "results": [{results}], "text": {TEXT}}}'
    answer = client.post("/v1/extract", content=body.encode(), headers=JSON)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def stream(client: httpx.Client, events: str) -> dict[str, Any]:
    parts, results = _split(events)
    body = f'{{"parts": [{parts}], "results": [{results}], "text": {TEXT}}}'
    return _closing(client.post("/v1/stream", content=body.encode(), headers=JSON))


def _split(events: str) -> tuple[str, str]:
    """Give the parts and the results of a body: they have no type there."""
    marked = [f"{{{one}" for one in events.split('{"type": ')[1:]]
    kinds: dict[str, list[str]] = {"part": [], "results": []}
    for one in marked:
        kind = "part" if one.startswith('{"part"') else "results"
        kinds[kind].append("{" + one.removeprefix(f'{{"{kind}", ').rstrip(", "))
    return ", ".join(kinds["part"]), ", ".join(kinds["results"])


def lines(client: httpx.Client, events: str) -> dict[str, Any]:
    return _closing(client.post("/v1/stream", content=_lines(events), headers=NDJSON))


def _lines(events: str) -> bytes:
    one_each = events.replace(', {"type": ', '\n{"type": ')
    return f'{one_each}\n{{"type": "delta", "text": {TEXT}}}\n{{"type": "end"}}\n'.encode()


def _closing(answer: httpx.Response) -> dict[str, Any]:
    assert answer.status_code == 200, answer.text
    last = events_of(answer.content)[-1].value
    assert last["type"] == "artifact", last
    return _answer(last)


def _answer(closing: dict[str, Any]) -> dict[str, Any]:
    [text, *_] = closing["artifact"]["parts"]
    return {**closing, "text": text["text"], "citations": text["metadata"]["citations"]}


def push(client: httpx.Client, events: str) -> dict[str, Any]:
    turn = created(client)
    ending = f'{{"type": "delta", "text": {TEXT}}}, {{"type": "end"}}'
    body = f'{{"seq": 1, "events": [{events}, {ending}]}}'
    for _ in range(2):  # the same again is answered as before
        answer = client.post(f"/v1/turns/{turn}/input", content=body.encode(), headers=JSON)
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = client.get(f"/v1/turns/{turn}").json()
        assert answer.json().get("refused") == found.get("refused")
    return found


def pushed_lines(client: httpx.Client, events: str) -> dict[str, Any]:
    turn = created(client)
    answer = push_lines(client, turn, 1, _lines(events))
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = client.get(f"/v1/turns/{turn}").json()
    assert answer.json().get("refused") == found.get("refused")
    return found


ENTRIES = (extract, stream, lines, push, pushed_lines)
KEPT = '{"type": "part", "tool_name": "t", "id": "kept", "data": [1]}'


@pytest.mark.parametrize("entry", ENTRIES)
@pytest.mark.parametrize("data", ODD, ids=lambda data: data[:9])
def test_a_part_that_cannot_be_held_is_left_out_by_name(
    client: httpx.Client, entry: Entry, data: str
) -> None:
    odd = f'{{"type": "part", "tool_name": "odd_tool", "id": "odd", "data": {{"a": {data}}}}}'
    answer = entry(client, f"{KEPT}, {odd}")
    assert answer["text"] == "Kept."
    assert [one["data_part_id"] for one in answer["citations"]] == ["kept"]
    assert [(one["data_part_id"], one["reason"]) for one in answer["dropped"]] == [
        ("odd", "unknown_part")
    ]
    [refused] = answer["refused"]
    assert (refused["id"], refused["tool_name"]) == ("odd", "odd_tool")
    assert refused["problem"] in [f"data: {problem}" for problem in PROBLEMS]


@pytest.mark.parametrize("entry", ENTRIES)
@pytest.mark.parametrize("data", ODD, ids=lambda data: data[:9])
def test_a_result_that_cannot_be_held_is_left_out_by_name(
    client: httpx.Client, entry: Entry, data: str
) -> None:
    items = f'{{"id": "kept", "n": 1}}, {{"id": "odd", "n": {data}}}, "text"'
    event = f'{{"type": "results", "tool_name": "t", "results": [{items}]}}'
    answer = entry(client, event)
    assert [one["data_part_id"] for one in answer["citations"]] == ["kept"]
    [refused] = answer["refused"]
    assert refused["problem"] in [f"results[1]: {problem}" for problem in PROBLEMS]


@pytest.mark.parametrize("entry", ENTRIES)
def test_the_last_of_a_key_given_twice_counts(client: httpx.Client, entry: Entry) -> None:
    data = '{"a": 1, "b": {"c": 1, "c": 2}, "a": 3}'
    part = f'{{"type": "part", "tool_name": "t", "id": "kept", "data": {data}}}'
    results = f'{{"type": "results", "tool_name": "t", "results": [{{"id": "odd", "x": {data}}}]}}'
    answer = entry(client, f"{part}, {results}")
    assert [one["data"]["value"] for one in answer["artifact"]["parts"][1:]] == [
        {"a": 3, "b": {"c": 2}},
        {"x": {"a": 3, "b": {"c": 2}}},
    ]
    assert "refused" not in answer


@pytest.mark.parametrize("entry", ENTRIES)
@pytest.mark.parametrize(
    "item",
    [
        *('{"url": null}', '{"title": "T", "url": "u", "score": 1, "content": "c"}', "null", "5"),
        *('{"title": 5, "url": [], "body": {}, "links": "x", "rows": {}}', '"text"', "[[]]"),
        *('{"title": "\\ud83d", "url": "\\ud83d", "body": "\\ud83d", "\\ud83d": "\\udc00"}', "{}"),
        '{"source": "\\ud83d://x", "rows": [{"account_id": "\\ud83d"}], "snippet": "\\ud83d"}',
    ],
)
def test_whatever_a_result_is_it_is_taken(client: httpx.Client, entry: Entry, item: str) -> None:
    event = f'{{"type": "results", "tool_name": "web_search", "results": [{item}]}}'
    assert "refused" not in entry(client, f"{KEPT}, {event}")


@pytest.mark.parametrize("entry", ENTRIES)
def test_halves_of_surrogate_pairs_are_replaced_in_every_text(
    client: httpx.Client, entry: Entry
) -> None:
    names = '"tool_name": "n\\ud83d", "title": "t\\ud83d", "url": "u\\ud83d"'
    part = f'{{"type": "part", "id": "kept", "data": {{"k\\ud83d": "d\\ud83d"}}, {names}}}'
    [_, shown] = entry(client, part)["artifact"]["parts"]
    assert shown["data"]["value"] == {"k\ufffd": "d\ufffd"}
    assert shown["metadata"]["toolName"] == "n\ufffd"


@pytest.mark.parametrize("entry", ENTRIES)
def test_our_own_objects_stay_strict(client: httpx.Client, entry: Entry) -> None:
    twice = '{"type": "part", "tool_name": "t", "id": "kept", "data": 1, "data": 2}'
    with pytest.raises(AssertionError, match="malformed-json"):
        entry(client, twice)


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec=None))
    | st.sampled_from(["\ue200cite\ue202a\ue201", "[1]", "\ud83d"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["id", "title", "url", "snippet", "body", "links", "source", "rows"])
            | st.text(max_size=4),
            inner,
            max_size=4,
        )
    ),
    max_leaves=10,
)


@pytest.mark.parametrize("entry", [extract, push])
@settings(
    max_examples=1000, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=VALUES, results=st.lists(VALUES, max_size=3))
def test_any_json_is_answered(
    client: httpx.Client, entry: Entry, data: Any, results: list[Any]
) -> None:
    turn = created(client)
    events = [
        {"type": "part", "tool_name": "t", "data": data},
        {"type": "results", "tool_name": "web_search", "results": results},
        {"type": "delta", "text": "a"},
    ]
    if entry is extract:
        body = {"parts": [{"tool_name": "t", "data": data}], "text": "a"}
        body["results"] = [{"tool_name": "web_search", "results": results}]
        answer = client.post("/v1/extract", content=json.dumps(body).encode(), headers=JSON)
    else:
        body = {"seq": 1, "events": events}
        address = f"/v1/turns/{turn}/input"
        answer = client.post(address, content=json.dumps(body).encode(), headers=JSON)
    assert answer.status_code == 200, answer.text
    assert "refused" not in answer.json()


# -- byte order marks, web tools, events, the prompt of a turn -------------------------------------

MARK = b"\xef\xbb\xbf"


def test_a_byte_order_mark_is_skipped(client: httpx.Client) -> None:
    body = MARK + b'{"text": "a"}'
    assert client.post("/v1/extract", content=body, headers=JSON).json()["text"] == "a"
    lines_ = MARK + b'{"type":"delta","text":"a"}\n{"type":"end"}\n'
    assert _closing(client.post("/v1/stream", content=lines_, headers=NDJSON))["text"] == "a"
    turn = created(client)
    assert push_lines(client, turn, 1, lines_).json()["status"] == "completed"


TIDES = {"title": "Tides", "url": "https://example.org/tides"}


def started(*include: str) -> list[dict[str, Any]]:
    return [
        {"type": "start", "include": list(include)},
        {"type": "part", "tool_name": "t", "data": 1},
        {"type": "results", "tool_name": "tavily", "web": True, "results": [TIDES, TIDES]},
        {"type": "delta", "text": "a"},
        {"type": "end"},
    ]


def events_by(client: httpx.Client, way: str, *include: str) -> list[dict[str, Any]]:
    given = started(*include)
    body = b"".join(json.dumps(one).encode() + b"\n" for one in given)
    if way == "lines":
        content = client.post("/v1/stream", content=body, headers=NDJSON).content
    elif way == "json":
        _, part, results, delta, _ = (
            {name: value for name, value in one.items() if name != "type"} for one in given
        )
        whole = {"parts": [part], "results": [results], "text": delta["text"], "include": include}
        content = client.post("/v1/stream", json=whole).content
    else:
        turn = created(client)
        assert push_lines(client, turn, 1, body).status_code == 200
        content = client.get(f"/v1/turns/{turn}/events").content
    return [event.value for event in events_of(content)]


@pytest.mark.parametrize("way", ["lines", "json", "stored"])
def test_events_say_what_was_registered_where_they_are_asked_for(
    client: httpx.Client, way: str
) -> None:
    kinds = [one["type"] for one in events_by(client, way)]
    assert kinds == ["delta", "citations_summary", "artifact"]
    first, source, second, *_ = events_by(client, way, "registered", "sources")
    assert first == {
        "type": "registered",
        "parts": [{"id": "tool_data_01", "tool_name": "t"}],
        "tool_output": [],
    }
    assert source == {"type": "source", "index": 1, **TIDES}
    assert [one["id"] for one in second["parts"]] == ["tool_data_02", "tool_data_03"]
    assert second["tool_output"][0]["text"].startswith("[1] Tides\n")
    assert events_by(client, way, "sources")[0]["type"] == "source"


def test_the_prompt_of_a_turn_has_the_ids_that_the_turn_knows(client: httpx.Client) -> None:
    first = created(client)
    session = client.get(f"/v1/turns/{first}").json()["session_id"]
    part = {"type": "part", "tool_name": "t", "data": {"a": 1}}
    assert client.post(f"/v1/turns/{first}/input", json={"seq": 1, "events": [part]}).is_success
    second = created(client, session_id=session)
    results = {"type": "results", "tool_name": "web_search", "results": [TIDES]}
    answer = client.post(f"/v1/turns/{second}/input", json={"seq": 1, "events": [part, results]})
    address = answer.json()["prompt"]
    assert address == f"/v1/turns/{second}/prompt"
    shown = client.get(address).json()
    assert [one["id"] for one in shown["parts"]] == ["tool_data_02", "tool_data_03"]
    assert shown["parts"][0]["text"] == "[tool_data_02] t\n/a: 1"
    assert client.get(address, params={"part_id": ["tool_data_03"]}).json() == {
        "instructions": shown["instructions"],
        "parts": shown["parts"][1:],
    }
    numbered = client.get(address, params={"style": "numbers"}).json()["parts"][1]["text"]
    assert numbered.startswith("[1] is the number")
    text = f"One{marker('tool_data_02', '/a')}."
    ending = [{"type": "delta", "text": text}, {"type": "end"}]
    client.post(f"/v1/turns/{second}/input", json={"seq": 3, "events": ending})
    assert len(client.get(f"/v1/turns/{second}").json()["citations"]) == 1
    assert client.get(address).json() == shown
    for wrong in ({"part_id": ["tool_data_01"]}, {"part_id": ["tool_data_02", "x"]}):
        assert client.get(address, params=wrong).status_code == 404
    assert client.get(address, params={"style": "letters"}).status_code == 422
    assert client.get("/v1/turns/none/prompt").status_code == 404


@pytest.mark.parametrize(
    ("path", "body", "problem"),
    [
        (
            "/v1/extract",
            {"text": "a", "options": {"dialects": 1}},
            "options: unknown field; known fields: invalid_markers, whitespace",
        ),
        (
            "/v1/extract",
            {"text": "a", "parts": [{"tool_name": "t", "data": 1, "name": "n"}]},
            "parts[0]: unknown field; known fields: "
            "id, tool_name, data, origin, title, url, target",
        ),
        ("/v1/prompt", {"part": []}, "body: unknown field; known fields: parts, style"),
        (
            "/v1/context/parse",
            {"text": "a", "canary": 1},
            "body: unknown field; known fields: text",
        ),
    ],
)
def test_an_unknown_field_is_answered_with_the_known_ones(
    client: httpx.Client, path: str, body: dict[str, Any], problem: str
) -> None:
    answer = client.post(path, json=body)
    assert answer.status_code == 422
    assert answer.json()["detail"].startswith(problem)
