"""Streams of the Messages interface, read: every transcript gives the texts joined."""

import pytest
from tests.wire.formats import streams
from tests.wire.formats.streams import Object

from citestream import parse
from citestream.turns import DeltaInput
from citestream.wire.formats import MixedReader
from citestream.wire.formats.anthropic import AnthropicReader
from citestream.wire.formats.clean_text import VENDOR_OPTIONS

CASES = [case for case in streams.cases("anthropic") if case["expect"]["complete"]]


@pytest.mark.parametrize("case", [pytest.param(case, id=case["name"]) for case in CASES])
def test_a_transcript(case: Object) -> None:
    reader = MixedReader(AnthropicReader())
    events = [*reader.feed(streams.stream(case)), *reader.finish()]
    raw = "".join(event.text for event in events if isinstance(event, DeltaInput))
    text = parse(raw, options=VENDOR_OPTIONS).text
    expected = "".join(case["expect"]["texts"].values())
    assert text.startswith(expected) if case["name"].endswith("refusal") else text == expected
    assert events[-1].type == "end"
