"""Streams of chat completion chunks: recorded answers, every cut, every way to end."""

from collections.abc import Iterable

import pytest
from tests.chat_streams import DONE, chunk, event, finish, piece, transcript
from tests.vectors import rows

from citestream.turns import DeltaInput, EndInput
from citestream.wire.formats.openai_chat import ChatReader

Events = list[DeltaInput | EndInput]


def read(chunks: Iterable[bytes]) -> tuple[Events, str]:
    reader = ChatReader()
    events = [found for piece in chunks for found in reader.feed(piece)]
    return [*events, *reader.finish()], reader.problem


def texts(events: Events) -> list[str]:
    return [found.text for found in events if isinstance(found, DeltaInput)]


def ending(body: bytes) -> tuple[str, str]:
    """The reason of the end, which is one and last, and the problem told."""
    events, problem = read([body])
    ends = [found for found in events if isinstance(found, EndInput)]
    assert ends == [events[-1]]
    return ends[0].reason, problem


RECORDED = rows("recorded_streams.jsonl")
SHORTEST = min(RECORDED, key=lambda row: len(row["deltas"]))["deltas"]


@pytest.mark.parametrize("row", [pytest.param(row, id=row["id"]) for row in RECORDED])
def test_a_recorded_answer_gives_its_deltas(row: dict[str, list[str]]) -> None:
    events, problem = read([transcript(row["deltas"])])
    assert texts(events) == row["deltas"]
    assert events[-1] == EndInput("complete")
    assert problem == ""


@pytest.mark.parametrize("end", [b"\n", b"\r", b"\r\n"])
def test_every_cut_of_the_bytes_gives_the_same(end: bytes) -> None:
    body = transcript([*SHORTEST[:4], "\ud83d", "\uddfc", "\ue200ci", "te\ue202"])
    body = b"\xef\xbb\xbf: hello\n\n".replace(b"\n", end) + body.replace(b"\n", end)
    whole = read([body])
    assert texts(whole[0])[-4:] == ["\ud83d", "\uddfc", "\ue200ci", "te\ue202"]
    assert read(bytes([byte]) for byte in body) == whole
    for at in range(len(body) + 1):
        assert read([body[:at], body[at:]]) == whole


def test_a_stream_cut_off_at_any_byte_has_failed_until_it_said_why_it_ends() -> None:
    body = transcript(SHORTEST, "length")
    finished = body.index(b'"finish_reason": "length"')
    finished = body.index(b"\n\n", finished) + 2
    for at in range(0, len(body), 7):
        events, problem = read([body[:at]])
        assert texts(events) == SHORTEST[: len(texts(events))]
        if at < finished:
            assert events[-1] == EndInput("failed")
            assert problem
        else:
            assert (events[-1], problem) == (EndInput("length"), "")


def test_a_delta_is_there_as_soon_as_its_blank_line() -> None:
    reader = ChatReader()
    assert not list(reader.feed(piece("a")[:-1]))
    assert list(reader.feed(b"\n")) == [DeltaInput("a")]


@pytest.mark.parametrize(
    ("told", "reason"),
    [
        ("stop", "complete"),
        ("tool_calls", "complete"),
        ("function_call", "complete"),
        ("a_reason_of_tomorrow", "complete"),
        ("length", "length"),
        ("content_filter", "stopped"),
    ],
)
def test_a_finish_reason_ends_with_and_without_done(told: str, reason: str) -> None:
    body = piece("a") + finish(told)
    assert ending(body) == (reason, "")
    assert ending(body + DONE) == (reason, "")


def test_done_alone_is_an_end() -> None:
    assert ending(piece("a") + DONE) == ("complete", "")
    assert ending(b"data:[DONE] \n\n") == ("complete", "")


def test_nothing_follows_the_end() -> None:
    events, problem = read([piece("a") + DONE + piece("b"), b"data: {\n\n", b"x" * 2_000_000])
    assert events == [DeltaInput("a"), EndInput("complete")]
    assert problem == ""


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        (b"", "the input holds no event of a chat stream"),
        (b'{"error": {"message": "no key"}}\n', "the input holds no event of a chat stream"),
        (piece("a"), "the stream broke off before its end"),
        (piece("a") + b"data: {broken\n\n" + DONE, "an event of the stream is not JSON"),
        (b"data: " + b"[" * 100_000 + b"\n\n", "an event of the stream is not JSON"),
        (b"data: " + b"9" * 5_000 + b"\n\n", "an event of the stream is not JSON"),
        (
            event({"error": {"message": "secret", "code": 429}}),
            "the stream ended with an error (429)",
        ),
        (
            event({"error": {"message": "secret", "code": None, "type": "server_error"}}),
            "the stream ended with an error (server_error)",
        ),
        (event({"error": {"code": "\x1b[2J", "type": ""}}), "the stream ended with an error"),
        (event({"error": "overloaded"}), "the stream ended with an error"),
        (event({"object": "error", "message": "secret"}), "the stream ended with an error"),
        (finish("error"), "the stream ended with an error"),
        (
            b"data: " + b"x" * 1024 * 1024,
            "a line of the stream is longer than 1048576 bytes",
        ),
    ],
)
def test_what_cannot_be_read_has_failed(body: bytes, problem: str) -> None:
    assert ending(body) == ("failed", problem)


def test_the_text_before_an_error_stands() -> None:
    body = piece("a") + event({"error": {"code": "overloaded"}}) + piece("b")
    assert read([body])[0] == [DeltaInput("a"), EndInput("failed")]


def test_an_error_that_is_null_is_none() -> None:
    body = chunk({"index": 0, "delta": {"content": "a"}}, error=None) + DONE
    assert read([body]) == ([DeltaInput("a"), EndInput("complete")], "")


@pytest.mark.parametrize(
    "body",
    [
        chunk({"index": 0, "delta": {"content": None}}),
        chunk({"index": 0, "delta": {"content": ""}}),
        chunk({"index": 0, "delta": {"content": ["a"]}}),
        chunk({"index": 0, "delta": {"tool_calls": [{"index": 0}]}}),
        chunk({"index": 0, "delta": None}),
        chunk({"index": 0}),
        chunk({"index": 1, "delta": {"content": "b"}, "finish_reason": "length"}),
        event({"choices": None}),
        event({"choices": ["a"]}),
        event({"type": "ping"}),
        event([1, 2]),
        event("a"),
        b"event: ping\n\n",
        b": OPENROUTER PROCESSING\n\n",
    ],
)
def test_what_holds_no_text_of_the_first_choice_is_passed_over(body: bytes) -> None:
    events, problem = read([piece("a") + body + piece("c") + DONE])
    assert (events, problem) == ([DeltaInput("a"), DeltaInput("c"), EndInput("complete")], "")


def test_pieces_of_text_and_a_refusal_are_the_answer() -> None:
    def delta(**fields: object) -> bytes:
        return event({"choices": [{"index": 0, "delta": fields}]})

    thought = {"type": "thinking", "thinking": [{"type": "text", "text": "hidden"}]}
    shown = {"type": "text", "text": "b"}
    body = delta(content="a") + delta(content=[thought, shown, "no", 5, {"text": 1}])
    body += delta(content=None, refusal="d") + delta(content="e", refusal=[{"text": "f"}])
    events, problem = read([body + DONE])
    assert (texts(events), problem) == (["a", "b", "d", "e", "f"], "")


def test_numbers_that_json_does_not_know_cost_nothing() -> None:
    body = b'data: {"choices":[{"delta":{"content":"a"},"logprobs":[NaN,-Infinity]}]}\n\n'
    assert texts(read([body])[0]) == ["a"]


def test_bytes_that_are_no_text_are_replaced() -> None:
    body = b'data: {"choices":[{"delta":{"content":"a\xff\xe2\x82"}}]}\n\n'
    assert texts(read([body])[0]) == ["a\ufffd\ufffd"]
