"""Objects of the vendors' Python SDKs become what their bytes become in a filter."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest
from anthropic.types import RawMessageStreamEvent
from google.genai.types import GenerateContentResponse
from openai.types.chat import ChatCompletionChunk
from openai.types.responses import ResponseStreamEvent
from pydantic import TypeAdapter
from tests.wire.formats import streams

from citestream import PartInput, Turn, adapters
from citestream.wire.formats import FORMATS
from citestream.wire.formats.clean_text import VENDOR_OPTIONS

SDKS: dict[str, tuple[Callable[..., Any], TypeAdapter[Any]]] = {
    "openai-chat": (adapters.openai_chat, TypeAdapter(ChatCompletionChunk)),
    "openai-responses": (adapters.openai_responses, TypeAdapter(ResponseStreamEvent)),
    "anthropic": (adapters.anthropic, TypeAdapter(RawMessageStreamEvent)),
    "gemini": (adapters.google_genai, TypeAdapter(GenerateContentResponse)),
}
CASES = [
    pytest.param(name, case, id=case["name"])
    for name in SDKS
    for case in streams.cases(name)
    if case["valid"] and case["expect"]["complete"]
]


def objects_of(name: str, case: dict[str, Any]) -> list[Any]:
    """Return the objects that the SDK makes of a transcript."""
    body = "".join(case["chunks"]).encode("utf-8", "surrogatepass")
    read = SDKS[name][1].validate_python
    return [
        read(value)
        for value in streams.events(body)
        # The SDK itself passes over these; blocks of ours are not the SDK's.
        if "done" not in value and value.get("type") not in ("ping", "part", "results", "start")
    ]


def turn_for(case: dict[str, Any]) -> Turn:
    fields = ("tool_name", "data", "id", "title", "url")
    parts = [
        PartInput(**{key: part[key] for key in fields if key in part}) for part in case["parts"]
    ]
    return Turn(parts=parts, include=["claim", "offsets"], options=VENDOR_OPTIONS)


def shown(one: Any) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(one.model_dump_json(by_alias=True, exclude_unset=True))
    return value


def filtered(name: str, given: list[Any], turn: Turn) -> list[dict[str, Any]]:
    """Return the events that the filter makes of the same objects as bytes."""
    make = FORMATS[name].filter
    assert make
    turns = [turn]
    one = make(lambda start: turns.pop() if turns else turn.again(start.include))
    body = b""
    for value in map(shown, given):
        kind = value.get("type")
        body += b"event: " + str(kind).encode() + b"\n" if kind else b""
        body += b"data: " + json.dumps(value).encode() + b"\n\n"
    body += b"data: [DONE]\n\n" if name == "openai-chat" else b""
    found = list(streams.events(one.feed(body) + one.finish()))
    for value in found:
        if name == "gemini":  # its types have no room for the field
            value.pop("citestream", None)
    return [value for value in found if "done" not in value]


@pytest.mark.parametrize(("name", "case"), CASES)
def test_objects_become_what_bytes_become(name: str, case: dict[str, Any]) -> None:
    adapt, type_ = SDKS[name]
    given = objects_of(name, case)
    turn = turn_for(case)
    made = list(adapt(iter(given), turn))
    assert [shown(one) for one in made] == filtered(name, given, turn_for(case))
    for one in made:
        type_.validate_python(shown(one))
    texts = list(case["expect"]["texts"].values())
    if texts:
        assert turn.answer().text == texts[0]


@pytest.mark.parametrize("name", SDKS)
def test_an_asynchronous_stream_gives_the_same(name: str) -> None:
    case = next(one for one in streams.cases(name) if one["name"] == f"{name}-plain")
    adapt, _ = SDKS[name]

    async def stream() -> AsyncIterator[Any]:
        for one in objects_of(name, case):
            yield one

    async def all_of() -> list[Any]:
        return [one async for one in adapt(stream(), turn_for(case))]

    plain: Iterator[Any] = adapt(iter(objects_of(name, case)), turn_for(case))
    assert [shown(one) for one in asyncio.run(all_of())] == [shown(one) for one in plain]


def test_an_object_without_answer_text_is_the_same_object() -> None:
    usage = ChatCompletionChunk.model_validate(
        {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": []}
    )
    [same] = adapters.openai_chat(iter([usage]), Turn())
    assert same is usage


def test_every_filter_has_an_adapter() -> None:
    assert set(SDKS) == {name for name, one in FORMATS.items() if one.filter}
