"""Extract and stream over a real socket: the vectors, the stream's form, resuming."""

import json
from typing import Any

import httpx
import httpx_sse
import pytest
from tests.raw_http import RawClient
from tests.serving import Served
from tests.sse import Event, Reader, events_of, text_of
from tests.vectors import marker_rows

import citestream
from citestream.api.schemas.answers import Answer
from citestream.api.schemas.events import StreamEvent
from citestream.parts import is_part_id

ROWS = [pytest.param(row, id=row["id"]) for row in marker_rows()]
LINE_ENDS = "a\rb\nc\r\nd\u0085e\u2028f\u2029g\x0bh\x0ci\x1cj\x1dk\x1el\x00m\x1fn\x7fo\tp\ufeffq"
CITED = "Fact\ue200cite\ue202tool_data_01\ue201. And \ue200cite\ue202nobody\ue201more."
PARTS = [{"tool_name": "search", "data": {"value": "one\ntwo"}, "title": "T", "url": "https://x"}]


def body_of(row: dict[str, Any]) -> dict[str, Any]:
    parts = [
        {"tool_name": "tool", "data": None, "id": part} if isinstance(part, str) else part
        for part in row["parts"]
        if not isinstance(part, str) or is_part_id(part)
    ]
    return {"deltas": row["deltas"], "parts": parts, "options": row.get("options", {})}


def post(client: httpx.Client, path: str, body: Any, **headers: str) -> httpx.Response:
    # By hand: httpx's own encoder refuses halves of surrogate pairs, which tokens have.
    return client.post(
        path,
        content=json.dumps(body).encode(),
        headers={"content-type": "application/json", **headers},
    )


def streamed(client: httpx.Client, body: Any, **headers: str) -> list[Event]:
    answer = post(client, "/v1/stream", body, **headers)
    assert answer.status_code == 200
    return events_of(answer.content)


# -- what an answer says -------------------------------------------------------------------------


def told_by(answer: dict[str, Any], row: dict[str, Any]) -> dict[str, Any]:
    """Return of an answer what the row says of it."""
    expected = row["expect"]
    found = {key: answer[key] for key in expected if key in answer}
    if "artifact_parts" in expected:
        found["artifact_parts"] = answer["artifact"]["parts"][1:]
    if "excerpts" in expected:
        added = ("resolution", "excerpt")
        found["excerpts"] = [{key: one[key] for key in added} for one in found["citations"]]
        found["citations"] = [
            {key: one[key] for key in one if key not in added} for one in found["citations"]
        ]
    return found


@pytest.mark.parametrize("row", ROWS)
def test_the_streamed_answer_is_the_plain_one(client: httpx.Client, row: dict[str, Any]) -> None:
    body = body_of(row)
    if "excerpts" in row["expect"]:
        body["include"] = ["excerpt"]
    answer = post(client, "/v1/extract", body)
    assert answer.status_code == 200
    plain = answer.json()
    assert told_by(plain, row) == row["expect"]
    Answer.model_validate(plain, strict=True)

    events = streamed(client, body)
    assert [event.id for event in events] == [str(n + 1) for n in range(len(events))]
    for event in events:
        assert StreamEvent.model_validate(event.value, strict=True).root.type == event.type
    *shown, summary, last = events
    assert {event.type for event in shown} <= {"delta", "citation"}
    assert text_of(shown) == plain["text"]
    live = [event.value["citation"] for event in shown if event.type == "citation"]
    assert summary.type == "citations_summary"
    assert sorted(live, key=lambda one: one["offset"]) == plain["citations"]
    assert summary.value["citations"] == plain["citations"]
    assert last.type == "artifact"
    closing = {"type": "artifact", **plain}
    del closing["text"], closing["citations"]
    assert last.value == closing


def test_every_field_that_include_adds_is_the_schema_s(client: httpx.Client) -> None:
    body = {
        "text": CITED,
        "parts": PARTS,
        "include": ["excerpt", "offsets", "source", "diagnostics"],
    }
    plain = post(client, "/v1/extract", body).json()
    assert (
        Answer.model_validate(plain, strict=True).model_dump(by_alias=True, exclude_unset=True)
        == plain
    )
    assert plain["citations"] == [
        {
            "data_part_id": "tool_data_01",
            "offset": 5,
            "locator": "",
            "resolution": "whole",
            "excerpt": {"text": "one\ntwo", "truncated": False},
            "offsets": {"rune": 5, "utf16": 5, "utf8": 5},
            "source": {"tool_name": "search", "title": "T", "url": "https://x"},
        }
    ]
    events = streamed(client, body)
    for event in events:
        model = StreamEvent.model_validate(event.value, strict=True)
        assert model.model_dump(by_alias=True, exclude_unset=True) == event.value
    assert events[-1].value["diagnostics"] == plain["diagnostics"]


def test_extract_says_what_the_library_says(client: httpx.Client) -> None:
    plain = post(client, "/v1/extract", {"text": CITED, "parts": PARTS}).json()
    parts = [citestream.PartInput(**part) for part in PARTS]
    assert plain == citestream.parse(CITED, parts).as_json()


# -- the form of a stream ------------------------------------------------------------------------


def test_the_headers_of_a_stream(client: httpx.Client) -> None:
    answer = post(client, "/v1/stream", {"text": "a"})
    assert answer.headers["content-type"] == "text/event-stream; charset=utf-8"
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["x-accel-buffering"] == "no"
    assert "content-encoding" not in answer.headers


def test_every_event_is_three_lines_and_a_blank_one(client: httpx.Client) -> None:
    body = {"deltas": list(LINE_ENDS + CITED), "parts": PARTS}
    stream = post(client, "/v1/stream", body).content
    for number, frame in enumerate(stream.removesuffix(b"\n\n").split(b"\n\n"), 1):
        first, second, third = frame.split(b"\n")
        assert first == b"id: %d" % number
        assert second.startswith(b"event: ")
        assert third.startswith(b"data: {")
        assert min(frame.replace(b"\n", b"")) >= 0x20


@pytest.mark.parametrize("cut", ["whole", "one by one"])
def test_all_readers_read_the_same_events(client: httpx.Client, cut: str) -> None:
    text = LINE_ENDS + CITED + LINE_ENDS
    data = {"value": {LINE_ENDS: [LINE_ENDS]}}
    body = {
        "deltas": [text] if cut == "whole" else list(text),
        "parts": [{"tool_name": LINE_ENDS, "data": data, "id": "tool_data_01"}],
    }
    answer = post(client, "/v1/stream", body)
    ours = events_of(answer.content)
    assert text_of(ours) == LINE_ENDS + "Fact. And more." + LINE_ENDS
    shown = ours[-1].value["artifact"]["parts"]
    assert shown[0]["text"] == text_of(ours)
    assert shown[1]["data"] == data

    theirs = [
        Event(event.event, event.data, event.id)
        for event in httpx_sse.EventSource(answer).iter_sse()
    ]
    assert theirs == ours

    split = Reader()
    lines = post(client, "/v1/stream", body).iter_lines()
    assert [event for line in lines for event in split.feed(line.encode() + b"\n")] == ours


def test_no_marker_sign_leaves_in_any_event(client: httpx.Client) -> None:
    signs = "\ue200\ue201\ue202"
    parts = [{"tool_name": signs, "data": {signs: signs}, "title": signs, "id": "a"}]
    text = f"Fact\ue200cite\ue202a\ue202/{'x' * 9}\ue201."
    answer = post(
        client, "/v1/stream", {"text": text, "parts": parts, "include": ["excerpt", "source"]}
    )
    assert not set(signs) & set(answer.text)
    assert "\\ue20" not in answer.text


def test_a_long_frame_arrives_whole(client: httpx.Client) -> None:
    text = "é\u2028" * 200_000
    events = streamed(client, {"text": text})
    assert [event.type for event in events] == ["delta", "citations_summary", "artifact"]
    assert text_of(events) == text


# -- resuming ------------------------------------------------------------------------------------

MANY = {"deltas": list("Some text. " + CITED), "parts": PARTS}
#: More than one send, and worked on in a thread.
LARGE = {"deltas": [f"{number:04d} " * 10 for number in range(700)]}


@pytest.mark.parametrize("body", [MANY, LARGE], ids=["small", "large"])
def test_a_stream_goes_on_behind_every_event(client: httpx.Client, body: dict[str, Any]) -> None:
    whole = streamed(client, body)
    step = 1 if len(whole) < 100 else 97
    for last in range(0, len(whole), step):
        assert streamed(client, body, **{"last-event-id": str(last)}) == whole[last:]
    over = post(client, "/v1/stream", body, **{"last-event-id": str(len(whole))})
    assert (over.status_code, over.content) == (204, b"")
    ahead = post(client, "/v1/stream", body, **{"last-event-id": str(len(whole) + 1)})
    assert ahead.status_code == 409
    assert ahead.json()["type"] == "urn:citestream:problem:cursor-ahead"
    assert str(len(whole)) in ahead.json()["detail"]


@pytest.mark.parametrize(
    "cursor", ["-1", "+1", "1.0", "1 1", "0x1", "a", "1_0", "٣", "9" * 16, "9" * 5000]
)
def test_a_malformed_cursor_is_refused(server: Served, cursor: str) -> None:
    with RawClient(server.port) as raw:
        raw.post("/v1/stream", MANY, Last_Event_ID=cursor)
        assert raw.status() == 400
        problem = json.loads(raw.body())
    assert problem["type"] == "urn:citestream:problem:bad-cursor"


@pytest.mark.parametrize("cursor", ["", "0", "00"])
def test_a_cursor_before_the_first_event_starts_there(client: httpx.Client, cursor: str) -> None:
    assert streamed(client, MANY, **{"last-event-id": cursor}) == streamed(client, MANY)


def test_a_cursor_holds_for_lines_too(client: httpx.Client) -> None:
    lines = "".join(json.dumps({"type": "delta", "text": text}) + "\n" for text in "abcdef")

    def ask(cursor: int) -> list[Event]:
        answer = client.post(
            "/v1/stream",
            content=lines,
            headers={"content-type": "application/x-ndjson", "last-event-id": str(cursor)},
        )
        return events_of(answer.content)

    whole = ask(0)
    assert len(whole) == 8
    for last in range(9):
        assert ask(last) == whole[last:]
