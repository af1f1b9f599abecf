"""The filter of Gemini's streams: all transcripts, every cut, the one grounding of a candidate."""

import pytest
from tests.wire.formats import streams
from tests.wire.formats.streams import Object, Seen

from citestream.wire.formats.gemini_filter import GeminiFilter

CASES = streams.cases("gemini")


def seen(body: bytes) -> Seen:
    found = Seen()
    for event in streams.events(body):
        if "citestream" in event:
            found.closing.append(event["citestream"])
        says = [name for name in event if name not in ("modelVersion", "responseId")]
        if says == ["candidates"] and not event["candidates"]:
            found.empty.append(event)
        for one in event.get("candidates", ()):
            key = str(one.get("index", 0))
            parts = (one.get("content") or {}).get("parts") or []
            found.texts[key] += "".join(
                part.get("text", "") for part in parts if not part.get("thought")
            )
            if "groundingMetadata" in one:
                assert "finishReason" in one
                found.lists.append((key, [one["groundingMetadata"]]))
            elif not parts and "finishReason" not in one:
                found.empty.append(event)
    return found


@pytest.mark.parametrize("case", [pytest.param(case, id=case["name"]) for case in CASES])
def test_a_transcript(case: Object) -> None:
    streams.check(case, GeminiFilter, seen, "index")
    if not case["expect"]["complete"]:
        return
    found = seen(streams.run(GeminiFilter, [streams.stream(case)]))
    for key, text in case["expect"]["texts"].items():
        vendor, own = streams.vendor_lists(case, key), streams.ours(case, key)
        lists = [listed for index, listed in found.lists if index == key]
        assert len(lists) == bool(vendor or own)
        for [grounding] in lists:
            supports = grounding["groundingSupports"]
            assert supports[: len(vendor)] == vendor
            assert len(supports) == len(vendor) + len(own)
            for made, one in zip(supports[len(vendor) :], own, strict=True):
                segment, (start, end) = made["segment"], one["claim"]
                assert segment["text"] == text[start:end]
                whole = text.encode()[segment["startIndex"] : segment["endIndex"]]
                assert whole == text[start:end].encode()
                [place] = made["groundingChunkIndices"]
                chunk = grounding["groundingChunks"][place]
                assert chunk.get("web", {}).get("uri") == one.get("url")
