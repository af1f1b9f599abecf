"""The filter of Responses streams: all transcripts, every cut, annotations in every place."""

from itertools import chain

import pytest
from tests.wire.formats import streams
from tests.wire.formats.streams import Object, Seen

from citestream.wire.formats.openai_responses_filter import ResponsesFilter

CASES = streams.cases("openai-responses")


def key_of(event: Object) -> str:
    return f"{event['output_index']}/{event['content_index']}"


def seen(body: bytes) -> Seen:
    found = Seen()
    live: dict[str, list[Object]] = {}

    def whole(key: str, part: Object) -> None:
        if part.get("type") == "output_text":
            found.snapshots.append((key, part["text"]))
            found.lists.append((key, part["annotations"]))

    for number, event in enumerate(streams.events(body)):
        kind = event["type"]
        assert event["sequence_number"] == number
        if kind == "response.output_text.delta":
            found.texts[key_of(event)] += event["delta"]
            if not event["delta"]:
                found.empty.append(event)
        elif kind == "response.output_text.annotation.added":
            listed = live.setdefault(key_of(event), [])
            assert event["annotation_index"] == len(listed)
            listed.append(event["annotation"])
        elif kind == "response.output_text.done":
            found.snapshots.append((key_of(event), event["text"]))
            found.lists.append((key_of(event), list(live.get(key_of(event), []))))
        elif kind == "response.content_part.done":
            whole(key_of(event), event["part"])
        elif kind == "response.output_item.done":
            for at, part in enumerate(event["item"].get("content") or ()):
                whole(f"{event['output_index']}/{at}", part)
        elif kind in ("response.completed", "response.incomplete", "response.failed"):
            found.closing += [event["response"].get("citestream")]
            for index, item in enumerate(event["response"]["output"]):
                for at, part in enumerate(item.get("content") or ()):
                    whole(f"{index}/{at}", part)
    found.closing = [one for one in found.closing if one]
    return found


@pytest.mark.parametrize("case", [pytest.param(case, id=case["name"]) for case in CASES])
def test_a_transcript(case: Object) -> None:
    streams.check(case, ResponsesFilter, seen, "output_index/content_index")
    if not case["expect"]["complete"]:
        return
    found = seen(streams.run(ResponsesFilter, [streams.stream(case)]))
    for key in case["expect"]["texts"]:
        expected = list(chain(streams.vendor_lists(case, key), map(own, streams.ours(case, key))))
        lists = [listed for index, listed in found.lists if index == key]
        assert lists
        for listed in lists:
            assert len(listed) == len(expected)
            for made, wanted in zip(listed, expected, strict=True):
                assert {**made, **wanted} == made


def own(one: Object) -> Object:
    if "url" not in one:
        return {"type": "file_citation", "file_id": one["data_part_id"], "index": one["offset"]}
    start, end = one["claim"]
    return {"type": "url_citation", "start_index": start, "end_index": end, "url": one["url"]}
