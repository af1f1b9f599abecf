"""Full duplex: each line is answered before the next one is sent."""

import json
import shutil
import subprocess
from itertools import accumulate
from typing import Any

import pytest
from tests.raw_http import NDJSON, RawClient
from tests.serving import DEADLINE, Served
from tests.sse import Event, events_of, text_of
from tests.vectors import rows

from citestream.parts import is_part_id

MARKERS = [row for row in rows("markers.json") if "visible_after" in row]
RECORDED = [row for row in rows("recorded_streams.jsonl") if "visible_after" in row][:6]


def lines_of(row: dict[str, Any]) -> list[dict[str, Any]]:
    """The input events of a row, its deltas last but one."""
    parts = [
        {"tool_name": "tool", "data": None, "id": part} if isinstance(part, str) else part
        for part in row["parts"]
        if not isinstance(part, str) or is_part_id(part)
    ]
    return [
        {"type": "start", "options": row.get("options", {})},
        *({"type": "part", **part} for part in parts),
        *({"type": "delta", "text": delta} for delta in row["deltas"]),
        {"type": "end"},
    ]


def encoded(lines: list[dict[str, Any]]) -> bytes:
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


class Reading:
    """A stream as it is read: what is visible, and that ids have no gap."""

    def __init__(self, raw: RawClient) -> None:
        self.raw = raw
        self.text = ""
        self.events: list[Event] = []

    def event(self) -> Event:
        return self.took(self.raw.event())

    def took(self, event: Event) -> Event:
        self.events.append(event)
        assert event.id == str(len(self.events))
        if event.type == "delta":
            self.text += event.value["text"]
        return event


def mark(number: int) -> dict[str, Any]:
    return {"type": "custom", "name": "mark", "value": number}


@pytest.mark.parametrize("row", [pytest.param(row, id=row["id"]) for row in MARKERS + RECORDED])
def test_after_each_delta_the_reader_has_what_is_visible(
    server: Served, row: dict[str, Any]
) -> None:
    """A custom event behind each delta comes back behind all that the delta let out."""
    *before, end = lines_of(row)
    after = iter(row["visible_after"])
    number = 0
    with RawClient(server.port) as raw:
        raw.request("/v1/stream")
        reading = Reading(raw)
        for line in before:
            raw.line(line)
            if line["type"] == "delta":
                raw.line(mark(number))
                if not number:
                    assert raw.status() == 200
                while reading.event().type != "custom":
                    pass
                assert reading.text == next(after)
                number += 1
        raw.line(end)
        raw.end()
        if not number:
            raw.status()
        for event in raw.events():
            reading.took(event)
    closing = reading.events[-1].value
    if row["expect"].get("status") == "retry_required":
        assert closing["artifact"] == {"parts": []}
    else:
        text = (closing["artifact"]["parts"] or [{"text": ""}])[0]["text"]
        assert text == row["expect"]["text"]
    assert reading.text == row["expect"]["text"]
    assert closing["dropped"] == row["expect"]["dropped"]
    assert reading.events[-2].value["citations"] == row["expect"]["citations"]


def test_the_event_of_a_delta_is_there_before_the_next_is_sent(server: Served) -> None:
    with RawClient(server.port) as raw:
        raw.request("/v1/stream")
        assert raw.status() == 200  # before any of the body
        for number in range(300):
            raw.line({"type": "delta", "text": f"{number} "})
            assert raw.event().value["text"] == f"{number} "
        raw.line({"type": "end", "reason": "length"})
        assert raw.event().type == "citations_summary"
        closing = raw.event()
        assert (closing.type, closing.value["reason"]) == ("artifact", "length")
        assert raw.body() == b""  # the response is over, the request not yet


def test_a_citation_comes_live(server: Served) -> None:
    with RawClient(server.port) as raw:
        raw.request("/v1/stream")
        raw.line({"type": "part", "tool_name": "t", "data": 1, "id": "a"})
        raw.line({"type": "delta", "text": "Fact\ue200cite\ue202a\ue202b\ue201. Next"})
        raw.status()
        first, second = raw.event(), raw.event()
        assert {first.type, second.type} == {"delta", "citation"}
        raw.line({"type": "part", "tool_name": "t", "data": 2, "id": "b"})
        late = raw.event()
        assert late.value["citation"]["data_part_id"] == "b"


ROW = next(row for row in rows("recorded_streams.jsonl"))


def test_how_a_body_is_cut_changes_nothing(server: Served) -> None:
    body = encoded(lines_of(ROW)[-60:])
    answers = []
    for size in (1, 2, 7, 1000, len(body)):
        with RawClient(server.port) as raw:
            raw.request("/v1/stream")
            for at in range(0, len(body), size):
                raw.chunk(body[at : at + size])
            raw.end()
            raw.status()
            answers.append(raw.body())
    assert set(answers) == {answers[0]}
    assert events_of(answers[0])[-1].type == "artifact"


def test_line_ends_and_blank_lines_are_all_one(server: Served) -> None:
    bodies = [
        b'{"type":"delta","text":"a"}\n{"type":"end"}\n',
        b'{"type":"delta","text":"a"}\r\n{"type":"end"}\r\n',
        b'\n\n {"type":"delta","text":"a"} \n\r\n\t\n{"type":"end"}',
        b'{"type":"delta","text":"a"}',  # a body that ends has ended its answer
        b'{"type":"delta","text":"a"}\n{"type":"end"}\n{"type":"delta","text":"b"}\nnonsense\n',
    ]
    assert len({whole(server, body) for body in bodies}) == 1


def whole(server: Served, body: bytes) -> bytes:
    with RawClient(server.port) as raw:
        raw.request("/v1/stream", length=len(body))
        raw.send(body)
        assert raw.status() == 200
        return raw.body()


def test_an_empty_body_is_an_empty_answer(server: Served) -> None:
    for body in (b"", b"\n", b"  \n\n"):
        summary, closing = events_of(whole(server, body))
        assert summary.value["citations"] == []
        assert closing.value["artifact"] == {"parts": []}


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        (b"nonsense", "malformed-json"),
        (b"\xff", "malformed-json"),
        (b'{"type":"delta","text":"x"', "malformed-json"),
        (b'{"type":"delta","text":"x","text":"y"}', "malformed-json"),
        (b"[" * 100_000, "malformed-json"),
        (b'{"type":"delta","text":NaN}', "malformed-json"),
        (b'{"type":"nonsense"}', "invalid-input"),
        (b'{"text":"x"}', "invalid-input"),
        (b"[]", "invalid-input"),
        (b'{"type":"delta"}', "invalid-input"),
        (b'{"type":"delta","text":1}', "invalid-input"),
        (b'{"type":"delta","text":"x","more":1}', "invalid-input"),
        (b'{"type":"end","reason":"because"}', "invalid-input"),
        (b'{"type":"part","tool_name":"t","data":1,"id":" "}', "invalid-input"),
        (b'{"type":"part","tool_name":"t","data":1,"id":"a"}', "part-conflict"),
        (b'{"type":"start"}', "event-order"),
    ],
)
def test_a_bad_line_ends_the_stream_and_is_named(server: Served, line: bytes, kind: str) -> None:
    head = [
        {"type": "start"},
        {"type": "part", "tool_name": "t", "data": 0, "id": "a"},
        {"type": "delta", "text": "good"},
    ]
    *before, last = events_of(whole(server, encoded(head) + b"\n" + line + b"\n" + encoded(head)))
    assert text_of(before) == "good"
    assert last.type == "error"
    assert last.value["error"]["line"] == 5
    assert last.value["error"]["type"] == f"urn:citestream:problem:{kind}"
    assert last.value["error"]["detail"].startswith("line 5: ")
    assert last.id == "2"


def test_a_bad_line_is_told_while_the_body_still_comes(server: Served) -> None:
    with RawClient(server.port) as raw:
        raw.request("/v1/stream")
        raw.line({"type": "delta", "text": "good"})
        raw.status()
        assert raw.event().value["text"] == "good"
        raw.chunk(b"nonsense\n")
        assert raw.event().value["error"]["line"] == 2
        assert raw.body() == b""


def test_many_lines_in_one_body_are_all_answered(server: Served) -> None:
    texts = [f"{number} " for number in range(20_000)]
    body = encoded([{"type": "delta", "text": text} for text in texts])
    events = events_of(whole(server, body))
    assert [event.value.get("text") for event in events[:-2]] == texts


# -- other clients -------------------------------------------------------------------------------

TEXTS = list(accumulate(["a", "b", "c"], lambda old, new: new * (len(old) + 1)))

NODE = """
const [url] = process.argv.slice(1);
const texts = ["a", "bb", "ccc"];
let feed;
const body = new ReadableStream({ start(controller) { feed = controller; } });
const line = (value) => feed.enqueue(new TextEncoder().encode(JSON.stringify(value) + "\\n"));
line({ type: "delta", text: texts[0] });
const answer = await fetch(url, {
  method: "POST", body, duplex: "half", headers: { "content-type": "application/x-ndjson" },
});
const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
let held = "";
const event = async () => {
  while (!held.includes("\\n\\n")) {
    const { value, done } = await reader.read();
    if (done) throw new Error("ended early");
    held += value;
  }
  const frame = held.slice(0, held.indexOf("\\n\\n"));
  held = held.slice(frame.length + 2);
  return JSON.parse(frame.split("data: ")[1]);
};
for (const [index, text] of texts.entries()) {
  if (index) line({ type: "delta", text });
  console.log((await event()).text);
}
line({ type: "end" });
feed.close();
console.log((await event()).type, (await event()).type);
"""


@pytest.mark.skipif(not shutil.which("node"), reason="node is not installed")
def test_fetch_of_node_goes_both_ways_at_once(server: Served) -> None:
    done = subprocess.run(
        ["node", "--input-type=module", "-e", NODE, f"{server.url}/v1/stream"],
        capture_output=True,
        text=True,
        timeout=DEADLINE,
        check=False,
    )
    assert done.stdout == "\n".join([*TEXTS, "citations_summary artifact", ""]), done.stderr


@pytest.mark.skipif(not shutil.which("curl"), reason="curl is not installed")
def test_curl_goes_both_ways_at_once(server: Served) -> None:
    command = ["curl", "-sN", "-X", "POST", "-T", ".", "-H", f"Content-Type: {NDJSON}"]
    with subprocess.Popen(
        [*command, f"{server.url}/v1/stream"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as curl:
        assert curl.stdin
        assert curl.stdout
        for number, text in enumerate(TEXTS, 1):
            curl.stdin.write(encoded([{"type": "delta", "text": text}]))
            curl.stdin.flush()
            frame = [curl.stdout.readline() for _ in range(4)]
            assert frame[0] == b"id: %d\n" % number
            assert json.loads(frame[2].removeprefix(b"data: "))["text"] == text
        curl.stdin.close()
        assert curl.stdout.read().count(b"event: ") == 2
        assert curl.wait(DEADLINE) == 0
