"""The filter of chat streams: all transcripts, every cut, the places of citations."""

from typing import Any

import pytest
from tests.wire.formats import streams
from tests.wire.formats.streams import Object, Seen

from citestream.wire.formats.openai_chat_filter import ChatFilter

CASES = streams.cases("openai-chat")


def text_of(content: Any) -> str:
    if isinstance(content, list):
        return "".join(one["text"] for one in content if one.get("type") == "text")
    return content or ""


def seen(body: bytes) -> Seen:
    found = Seen()
    for event in streams.events(body):
        if "citestream" in event:
            found.closing.append(event["citestream"])
        for choice in event.get("choices") or []:
            delta, key = choice.get("delta") or {}, str(choice["index"])
            found.texts[key] += text_of(delta.get("content"))
            if "annotations" in delta:
                found.lists.append((key, delta["annotations"]))
            says = {**choice, "delta": delta or None, "index": None}
            if "delta" in choice and not any(says.values()) and choice["delta"] is not None:
                found.empty.append(event)
    return found


@pytest.mark.parametrize("case", [pytest.param(case, id=case["name"]) for case in CASES])
def test_a_transcript(case: Object) -> None:
    streams.check(case, ChatFilter, seen, "index")
    if not case["expect"]["complete"]:
        return
    found = seen(streams.run(ChatFilter, [streams.stream(case)]))
    for key in case["expect"]["texts"]:
        expected = streams.vendor_lists(case, key) + [
            {
                "type": "url_citation",
                "url_citation": {
                    "start_index": one["claim"][0],
                    "end_index": one["claim"][1],
                    "url": one["url"],
                },
            }
            for one in streams.ours(case, key)
            if "url" in one
        ]
        lists = [listed for index, listed in found.lists if index == key]
        assert len(lists) == bool(expected)
        for made, wanted in zip([one for listed in lists for one in listed], expected, strict=True):
            assert {**made["url_citation"], **wanted["url_citation"]} == made["url_citation"]
