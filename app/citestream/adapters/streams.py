"""An SDK's stream through a filter: each object as the event it was, and the events as objects.

Lives here: objects to bytes and back. Must not know markers or the vendor's places.
"""

import json
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from typing import Any, Final, TypeVar, overload

from citestream.turns import StartInput, Turn
from citestream.wire.formats import FORMATS
from citestream.wire.formats.blocks import BlockReader, written_json

Event = TypeVar("Event")

_DONE: Final = b"data: [DONE]\n\n"


@overload
def openai_chat(stream: AsyncIterator[Event], turn: Turn) -> AsyncIterator[Event]: ...
@overload
def openai_chat(stream: Iterable[Event], turn: Turn) -> Iterator[Event]: ...
def openai_chat(stream: Any, turn: Turn) -> Any:
    """Pass the chunks of ``client.chat.completions.create(stream=True)`` on without markers.

    ``turn`` has the parts that may be cited, and no text yet; after the stream ``turn.answer()`` is
    the answer of the first choice. With ``include=["claim"]`` of the turn, annotations cover the
    claim. A synchronous stream gives an iterator, an asynchronous one an asynchronous iterator.
    Chunks without answer text are the same objects.
    """
    return _passed(stream, _Objects("openai-chat", turn, _own_type), end=_DONE)


@overload
def openai_responses(stream: AsyncIterator[Event], turn: Turn) -> AsyncIterator[Event]: ...
@overload
def openai_responses(stream: Iterable[Event], turn: Turn) -> Iterator[Event]: ...
def openai_responses(stream: Any, turn: Turn) -> Any:
    """Do the same as :func:`openai_chat` for ``client.responses.create(stream=True)``."""
    return _passed(stream, _Objects("openai-responses", turn, _responses_event))


@overload
def anthropic(stream: AsyncIterator[Event], turn: Turn) -> AsyncIterator[Event]: ...
@overload
def anthropic(stream: Iterable[Event], turn: Turn) -> Iterator[Event]: ...
def anthropic(stream: Any, turn: Turn) -> Any:
    """Do the same as :func:`openai_chat` for ``client.messages.create(stream=True)``."""
    return _passed(stream, _Objects("anthropic", turn, _anthropic_event))


@overload
def google_genai(stream: AsyncIterator[Event], turn: Turn) -> AsyncIterator[Event]: ...
@overload
def google_genai(stream: Iterable[Event], turn: Turn) -> Iterator[Event]: ...
def google_genai(stream: Any, turn: Turn) -> Any:
    """Do the same as :func:`openai_chat` for ``client.models.generate_content_stream``.

    These objects have no room for the field ``citestream``: citations are in their
    ``grounding_metadata`` alone.
    """
    return _passed(stream, _Objects("gemini", turn, _genai_response))


class _Objects:
    """The objects of one stream through the filter of their format.

    ``type_of`` returns what makes an object of an event, given an object of the stream.
    """

    def __init__(
        self, name: str, turn: Turn, type_of: Callable[[Any], Callable[[dict[str, Any]], Any]]
    ) -> None:
        make = FORMATS[name].filter
        if make is None:
            raise ValueError(f"{name}: has no filter")
        given = [turn]

        def turn_of(start: StartInput) -> Turn:
            # A stream of several texts has a turn for each; the caller's is the first one's.
            return given.pop() if given else turn.again(start.include)

        self._filter = make(turn_of)
        self._type_of = type_of
        self._make: Callable[[dict[str, Any]], Any] | None = None
        self._blocks = BlockReader()

    def take(self, one: Any) -> Iterator[Any]:
        """Yield what an object becomes; the same object when nothing in it changes."""
        self._make = self._make or self._type_of(one)
        value = json.loads(one.model_dump_json(by_alias=True, exclude_unset=True))
        kind = value.get("type")
        head = f"event: {kind}\n".encode() if isinstance(kind, str) else b""
        raw = head + b"data: " + written_json(value) + b"\n\n"
        made = self._filter.feed(raw)
        if made == raw:
            yield one
        else:
            yield from self._objects(made)

    def finish(self, end: bytes) -> Iterator[Any]:
        """Yield what was held; ``end`` is what the vendor's stream ends with."""
        yield from self._objects(self._filter.feed(end) + self._filter.finish())

    def _objects(self, made: bytes) -> Iterator[Any]:
        for block in self._blocks.feed(made):
            if block.data is not None and block.data.strip() != b"[DONE]" and self._make:
                yield self._make(block.json())


def _passed(stream: Any, objects: _Objects, end: bytes = b"") -> Any:
    if hasattr(stream, "__aiter__"):
        return _passed_async(stream, objects, end)
    return _passed_sync(stream, objects, end)


def _passed_sync(stream: Iterable[Any], objects: _Objects, end: bytes) -> Iterator[Any]:
    for one in stream:
        yield from objects.take(one)
    yield from objects.finish(end)


async def _passed_async(
    stream: AsyncIterator[Any], objects: _Objects, end: bytes
) -> AsyncIterator[Any]:
    async for one in stream:
        for made in objects.take(one):
            yield made
    for made in objects.finish(end):
        yield made


# -- the types of each SDK ----------------------------------------------------------------------


def _own_type(one: Any) -> Callable[[dict[str, Any]], Any]:
    made: Callable[[dict[str, Any]], Any] = type(one).model_validate
    return made


def _responses_event(_: Any) -> Callable[[dict[str, Any]], Any]:
    from openai.types.responses import ResponseStreamEvent
    from pydantic import TypeAdapter

    return TypeAdapter(ResponseStreamEvent).validate_python


def _anthropic_event(_: Any) -> Callable[[dict[str, Any]], Any]:
    from anthropic.types import RawMessageStreamEvent
    from pydantic import TypeAdapter

    return TypeAdapter(RawMessageStreamEvent).validate_python


def _genai_response(one: Any) -> Callable[[dict[str, Any]], Any]:
    validate = type(one).model_validate

    def made(value: dict[str, Any]) -> Any:
        value.pop("citestream", None)
        return validate(value)

    return made
