"""Each entry of the table keeps the contract of the port, and so does one that nobody speaks."""

import pytest
from tests.chat_streams import DONE, event, finish, piece, transcript
from tests.sse import Reader as SseReader
from tests.wire.formats import contract, throwaway, vendor_streams
from tests.wire.formats.contract import FilterSample, ReaderSample, Sample, Shown
from tests.wire.formats.streams import events

from citestream.turns import DeltaInput, EndInput, PartInput
from citestream.wire.formats import FORMATS

LINES = (
    '{"type":"delta","text":"é\ue200"}\n\n{"type": "delta", "text": "b"}\r\n{"type":"end"}'
).encode()


def shown_by_native(stream: bytes) -> Shown:
    events = SseReader().feed(stream)
    types = [event.type for event in events]
    closing = [event.value for event in events if event.type == "artifact"]
    last = {"artifact": "end", "error": "error"}.get(types[-1] if types else "", "other")
    return Shown(
        [event.value["text"] for event in events if event.type == "delta"],
        ["".join(part.get("text", "") for part in one["artifact"]["parts"]) for one in closing],
        *(0, 0, len(closing), types.count("error"), last),
    )


def shown_by_chat(stream: bytes) -> Shown:
    found = list(events(stream))
    choices = [one for event in found for one in event.get("choices", ())]
    ends, errors = (sum(name in one for one in found) for name in ("done", "error"))
    last = "end" if ends else "error" if errors else "other"
    deltas = [(one["delta"] or {}).get("content") or "" for one in choices]
    return Shown(deltas, [], 0, 0, ends, errors, last)


PART = PartInput("t", 1, "a", url="https://example.org/a")
MARKED = ["A fact", "\ue200ci", "te\ue202a\ue201", ". More \ue200ci"]
PLAIN = ["Plain ", "\U0001f5fc text", "."]

SAMPLES = {
    "native": Sample(
        reader=ReaderSample(
            stream=LINES,
            events=[DeltaInput("é\ue200"), DeltaInput("b"), EndInput()],
            broken=b'{"type":"delta","text":"a"}\n\n{"type":"delta"}\n{"type":"end"}\n',
            before=[DeltaInput("a")],
        ),
        shown=shown_by_native,
    ),
    "openai-chat": Sample(
        reader=ReaderSample(
            stream=piece("é\ue200") + b": ping\r\n\r\n" + piece("b") + finish("stop") + DONE,
            events=[DeltaInput("é\ue200"), DeltaInput("b"), EndInput()],
            broken=piece("a") + event({"error": {"code": "overloaded"}}) + piece("b"),
            before=[DeltaInput("a")],
        ),
        shown=shown_by_chat,
        filter=FilterSample(transcript(MARKED), transcript(PLAIN), PART),
    ),
    "openai-responses": Sample(
        reader=ReaderSample(
            stream=vendor_streams.responses(["é\ue200", "b"]),
            events=[DeltaInput("é\ue200"), DeltaInput("b"), EndInput()],
            broken=vendor_streams.responses(["a"]).partition(b"event: response.output_text.done")[0]
            + event({"type": "error"}),
            before=[DeltaInput("a")],
        ),
        shown=vendor_streams.shown_by_responses,
        filter=FilterSample(
            vendor_streams.responses(MARKED), vendor_streams.responses(PLAIN), PART
        ),
    ),
    "anthropic": Sample(
        reader=ReaderSample(
            stream=vendor_streams.messages(["é\ue200", "b"]),
            events=[DeltaInput("é\ue200"), DeltaInput("b"), EndInput()],
            broken=vendor_streams.messages(["a"]).partition(b"event: content_block_stop")[0]
            + event({"type": "error"}),
            before=[DeltaInput("a")],
        ),
        shown=vendor_streams.shown_by_anthropic,
        filter=FilterSample(vendor_streams.messages(MARKED), vendor_streams.messages(PLAIN), PART),
    ),
    "gemini": Sample(
        reader=ReaderSample(
            stream=vendor_streams.gemini(["é\ue200", "b"]),
            events=[DeltaInput("é\ue200"), DeltaInput("b"), EndInput()],
            broken=event({"candidates": [{"content": {"parts": [{"text": "a"}]}}]})
            + event({"error": {"code": 503}}),
            before=[DeltaInput("a")],
        ),
        shown=vendor_streams.shown_by_gemini,
        filter=FilterSample(vendor_streams.gemini(MARKED), vendor_streams.gemini(PLAIN), PART),
    ),
    "vercel-ai": Sample(shown=vendor_streams.shown_by_vercel),
    "ag-ui": Sample(shown=vendor_streams.shown_by_ag_ui),
    "a2a": Sample(shown=vendor_streams.shown_by_a2a),
    "a2a-0.3": Sample(shown=vendor_streams.shown_by_a2a),
}
"""One for each entry of the table."""

ENTRIES = {
    **{name: (one, SAMPLES[name]) for name, one in FORMATS.items()},
    "throwaway": (throwaway.THROWAWAY, throwaway.SAMPLE),
}


@pytest.mark.parametrize("name", ENTRIES)
def test_an_entry_offers_what_its_sample_tries(name: str) -> None:
    one, sample = ENTRIES[name]
    assert (one.reader is None) == (sample.reader is None)
    assert (one.filter is None) == (sample.filter is None)
    assert (one.writer is None and one.filter is None) == (sample.shown is None)


@pytest.mark.parametrize("name", [name for name, (one, _) in ENTRIES.items() if one.reader])
def test_readers(name: str) -> None:
    one, sample = ENTRIES[name]
    assert one.reader
    assert sample.reader
    contract.check_reader(one.reader, sample.reader)


@pytest.mark.parametrize("name", [name for name, (one, _) in ENTRIES.items() if one.writer])
@pytest.mark.parametrize("events", list(contract.answers()))
def test_writers(name: str, events: list[contract.OutputEvent]) -> None:
    one, sample = ENTRIES[name]
    assert one.writer
    assert sample.shown
    contract.check_writer(one.writer, sample.shown, events)


@pytest.mark.parametrize("name", [name for name, (one, _) in ENTRIES.items() if one.filter])
def test_filters(name: str) -> None:
    one, sample = ENTRIES[name]
    assert one.filter
    assert sample.shown
    assert sample.filter
    contract.check_filter(one.filter, sample.shown, sample.filter)


def test_the_table_names_each_format_as_it_names_itself() -> None:
    assert all(one.name == name for name, one in FORMATS.items())
