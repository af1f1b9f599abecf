"""A reader links each ``[n]`` while the answer streams; a rendered answer has the same numbers."""

import json
from typing import Any

import httpx
from tests.serving import serving
from tests.sse import events_of, text_of

from citestream.settings import Settings

PAGES = [
    {"title": "Tide tables", "url": "https://example.org/tides", "snippet": "Noon."},
    {"title": "Moon", "url": "https://example.org/moon", "snippet": "Full."},
]
DELTAS = ["High water is at noon [", "1", "]. The moon is full [2", "].", " Both: [1, 2]. Not [9]."]


def lines() -> bytes:
    events: list[dict[str, Any]] = [
        {"type": "start", "options": {"dialect": ["guide", "numbers"]}, "include": ["sources"]},
        {"type": "results", "tool_name": "web_search", "results": PAGES},
        *({"type": "delta", "text": text} for text in DELTAS),
        {"type": "end"},
    ]
    return b"".join(json.dumps(event).encode() + b"\n" for event in events)


def test_numbers_are_linked_live_and_rendered_alike() -> None:
    with serving(Settings()) as server, httpx.Client(base_url=server.url) as client:
        headers = {"content-type": "application/x-ndjson"}
        events = events_of(client.post("/v1/stream", content=lines(), headers=headers).content)
        known: dict[int, str] = {}
        text, linked = "", []
        for event in events:
            if event.type == "source":
                known[event.value["index"]] = event.value["url"]
            elif event.type == "delta":
                text += event.value["text"]
            elif event.type == "citation":
                # By then the bracket is in the reader's text, and its page is known.
                offset = event.value["citation"]["offset"]
                assert text[:offset].rstrip(".")[-1] == "]"
                linked.append(event.value["citation"]["data_part_id"])
        assert known == {n: page["url"] for n, page in enumerate(PAGES, 1)}
        assert text == text_of(events) == "".join(DELTAS)
        assert linked == ["tool_data_01", "tool_data_02", "tool_data_01", "tool_data_02"]
        sources = [{"index": n, **page} for n, page in enumerate(PAGES, 1)]
        for one in sources:
            del one["snippet"]
        body = {"text": text, "citations": [], "sources": sources, "to": "markdown"}
        rendered = client.post("/v1/render", json=body).json()
    assert rendered["cited"] == [1, 2]
    shown = rendered["text"].replace("\\", "")
    for number, address in known.items():
        assert f"noon [[¹]]({known[1]})" in shown
        assert f"- [[{number}]]({address})" in shown
    assert "Not [9]" in shown
