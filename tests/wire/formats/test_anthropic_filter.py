"""The filter of Messages streams: all transcripts, every cut, blocks and their citations."""

from collections.abc import Callable
from itertools import groupby

import pytest
from tests.wire.formats import streams
from tests.wire.formats.streams import Object, Seen

from citestream.wire.formats.anthropic_filter import AnthropicFilter

CASES = streams.cases("anthropic")


def blocks(body: bytes) -> list[Object]:
    """The blocks that a client puts together; each is opened and closed once, in order."""
    found: list[Object] = []
    for event in streams.events(body):
        if event["type"] == "content_block_start":
            assert event["index"] == len(found)
            found.append({**event["content_block"], "cited": [], "closed": False, "empty": 0})
        elif event["type"] == "content_block_delta":
            block, delta = found[event["index"]], event["delta"]
            assert not block["closed"]
            if delta["type"] == "text_delta":
                block["text"] += delta["text"]
                block["empty"] += not delta["text"]
            elif delta["type"] == "citations_delta":
                block["cited"].append(delta["citation"])
        elif event["type"] == "content_block_stop":
            assert not found[event["index"]]["closed"]
            found[event["index"]]["closed"] = True
    return found


def seen(case: Object) -> Callable[[bytes], Seen]:
    def read(body: bytes) -> Seen:
        found = Seen()
        given = blocks(streams.stream(case))
        joined = [
            "".join(block["text"] for block in group)
            for is_text, group in groupby(blocks(body), lambda block: block["type"] == "text")
            if is_text
        ]
        runs = [
            [index for index, _ in group]
            for is_text, group in groupby(enumerate(given), lambda pair: pair[1]["type"] == "text")
            if is_text
        ]
        expected = case["expect"]["texts"]
        for run, text in zip(runs, joined, strict=True):
            assert text == "".join(expected.get(str(index), "") for index in run)
            found.texts.update({str(index): expected.get(str(index), "") for index in run})
        found.empty = [block for block in blocks(body) if block["empty"]]
        found.closing = [
            event["citestream"] for event in streams.events(body) if "citestream" in event
        ]
        return found

    return read


@pytest.mark.parametrize("case", [pytest.param(case, id=case["name"]) for case in CASES])
def test_a_transcript(case: Object) -> None:
    streams.check(case, AnthropicFilter, seen(case), "index of a block")
    if not case["expect"]["complete"]:
        return
    out = streams.run(AnthropicFilter, [streams.stream(case)])
    made = blocks(out)
    assert all(block["closed"] for block in made)
    cited = [(index, one) for index, block in enumerate(made) for one in block["cited"]]
    outs = [one["out"] for one in case["expect"].get("vendor", [])]
    assert [one for _, one in cited if one in outs] == outs
    own = [(index, one) for index, one in cited if one not in outs]
    expected = case["expect"]["citations"]
    assert len(own) == len(expected)
    closing = next((e["citestream"] for e in streams.events(out) if "citestream" in e), None)
    for number, ((index, one), wanted) in enumerate(zip(own, expected, strict=True)):
        assert one.get("source") == wanted.get("url")
        assert closing
        field = closing["citations"][number]
        assert field["index"] == index
        text = case["expect"]["texts"][wanted["text"]]
        before = made[index]["text"][: field["offset"]]
        assert text[: wanted["offset"]].endswith(before)
        assert before
        # A block ends with the claim that it cites; what follows in it is white space and signs.
        assert made[index]["text"][field["offset"] :].strip(" .,;:!?)\n") == ""
    for block in made:
        assert not block["cited"] or block["text"].strip()
