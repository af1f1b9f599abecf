"""A conversation as a whole: for the next call of a model, and for people.

Must not know HTTP or how sessions are stored.
"""

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Literal

from citestream.citations import restore_readable
from citestream.context import (
    DEFAULT_SETTINGS,
    ContextError,
    ContextSettings,
    plain_text,
    project,
    resolve_message,
)
from citestream.rendering import CitationEntry, render
from citestream.service.offload import offload
from citestream.service.problems import INVALID_INPUT, TOO_LARGE, Problem
from citestream.service.sessions import Conversations, read_message
from citestream.service.stored.closing import Closing
from citestream.service.stored.reading import TurnReader
from citestream.sources import OutputTooLongError, Source, read_markers
from citestream.stores.port import TurnRow
from citestream.targets import Preset

PAGE: Final = 200
"""Items of a session read at once."""
RENDER_PASSES: Final = 4
"""What rendering costs for each byte of text, in the unit of ``service.offload``."""
RESTORE_PASSES: Final = 4
"""What putting markers back costs for each byte of text: a dense text is read up to four times."""
MAX_EXPORT: Final = 64_000_000
"""Characters of an export at most: as much as the largest body that is read."""

Provider = Literal["openai", "anthropic", "text"]
Markers = Literal["clean", "raw", "restore"]
"""How answers appear in a history: without markers, as the model wrote them, or with the markers of
their citations alone."""
Numbers = Literal["keep", "strip"]
Form = Literal["markdown", "html", "text"]

_SPEAKERS: Final = {"user": "User", "assistant": "Assistant"}


@dataclass(frozen=True, slots=True)
class _Said:
    """One item of a conversation, read."""

    role: Literal["user", "assistant"]
    message: bytes = b""
    position: int = 0
    row: TurnRow | None = None
    closing: Closing | None = None


class Histories:
    """The conversations of one store, read as a whole."""

    def __init__(
        self,
        conversations: Conversations,
        reader: TurnReader,
        settings: ContextSettings = DEFAULT_SETTINGS,
        preset: Preset | None = None,
    ) -> None:
        self._conversations = conversations
        self._reader = reader
        self._settings = settings
        self._preset = preset

    async def history(
        self,
        session_id: str,
        provider: Provider,
        markers: Markers = "clean",
        numbers: Numbers | None = None,
    ) -> dict[str, Any]:
        """Return the whole conversation for the next call of a model: what was said in full.

        The keys are ``messages`` (each ``role`` and ``content``) and ``text``, which is the
        conversation as one text for ``provider`` "text" and None for the others. Of user messages
        it is what a provider reads (S2). Turns that still run, and messages and answers without
        text, are left out. ``numbers`` "strip" takes the numbers of an answer's own sources out of
        it, for in the next turn they mean another list; it is what providers get unless told
        otherwise. What Anthropic refuses is not in its history: it begins with a user message, has
        no message of white space alone and no white space at the end of the last answer. Raises
        :class:`Problem`: 404 for an unknown session.
        """
        if numbers is None:
            numbers = "keep" if provider == "text" else "strip"
        messages = [
            {"role": said.role, "content": content}
            async for said in self._items(session_id)
            if (content := await self._content(said, markers, numbers))
        ]
        if provider == "anthropic":
            messages = _for_anthropic(messages)
        text = None
        if provider == "text":
            text = "\n\n".join(f"{_SPEAKERS[one['role']]}: {one['content']}" for one in messages)
        return {"messages": messages, "text": text}

    async def export(self, session_id: str, to: Form) -> str:
        """Return the conversation for people: each answer with its list, as it is rendered alone.

        Turns that still run are left out. Raises :class:`Problem`: 404 for an unknown session, 413
        for one of more than 64 million characters.
        """
        pieces: list[str] = []
        size = 0
        async for said in self._items(session_id):
            if said.closing is None:
                work = partial(_shown_message, said.message, self._settings, to)
                cost = RENDER_PASSES * len(said.message)
            else:
                cited = await self._cited(said)
                work = partial(_shown_answer, said.closing, cited, to, self._preset)
                cost = RENDER_PASSES * (len(said.closing.text()) + len(said.closing.citations()))
            try:
                pieces.append(await offload(work, cost=cost))
            except OutputTooLongError as error:
                raise Problem(TOO_LARGE, f"items[{said.position}]: {error}") from None
            size += len(pieces[-1])
            if size > MAX_EXPORT:
                raise Problem(TOO_LARGE, f"at most {MAX_EXPORT} characters are exported")
        return "\n\n".join(pieces) + "\n" if pieces else ""

    async def _cited(self, said: _Said) -> list[CitationEntry]:
        """Return the citations of an answer, each with where its part came from."""
        if said.row is None or said.closing is None:
            return []
        citations: list[CitationEntry] = json.loads(said.closing.citations())
        ids = {one["data_part_id"] for one in citations}
        about = await self._reader.about(said.row.key, ids)
        for one in citations:
            one["source"] = about.get(one["data_part_id"])
        return citations

    async def _items(self, session_id: str) -> AsyncIterator[_Said]:
        key = self._conversations.key(session_id)
        row = await self._conversations.row(key)
        after: int | None = 0
        while after is not None:
            page = await self._conversations.page(key, row, after, PAGE)
            for item in page.items:
                if item.turn is None:
                    yield _Said("user", item.message or b"{}", item.position)
                else:
                    turn, closing = page.closings[item.turn.key]
                    if turn.ended is not None:
                        yield _Said("assistant", row=turn, closing=closing, position=item.position)
            after = page.next

    async def _content(self, said: _Said, markers: Markers, numbers: Numbers) -> str:
        if said.row is None or said.closing is None:
            try:
                return await offload(
                    lambda: _projected(said.message, self._settings), cost=len(said.message)
                )
            except ContextError as error:
                raise Problem(INVALID_INPUT, f"items[{said.position}]: {error}") from None
        written, metadata = said.closing.text(), said.closing.metadata()
        text: str = await offload(lambda: json.loads(written), cost=len(written))
        if text and markers == "raw":
            text = await self._reader.raw(said.row.key)
        elif text and markers == "restore":
            work = partial(_restored, text, said.closing, said.row.state)
            cost = RESTORE_PASSES * (len(written) + len(said.closing.citations()))
            text = await offload(work, cost=cost)
        if not text or numbers == "keep":
            return text
        sources = [Source(**one) for one in (json.loads(metadata) or {}).get("sources", [])]
        return await offload(lambda: _without_numbers(text, sources), cost=len(text))


def _projected(message: bytes, settings: ContextSettings) -> str:
    """Return what a provider reads of a message (S2); an older form is upgraded for it."""
    said = read_message(message)
    resolved = resolve_message(
        said["text"], said["context"], settings, attachments=said.get("attachments") or {}
    )
    return project(resolved.text, list(resolved.records), settings=settings)


def _restored(text: str, closing: Closing, state: bytes) -> str:
    """Return a clean text with a marker for each citation, in the dialect that its model writes."""
    asked = json.loads(state)["turn"]["options"]["dialect"]
    dialect = asked[0] if isinstance(asked, list) else asked
    return restore_readable(text, json.loads(closing.citations()), dialect)


def _without_numbers(text: str, sources: list[Source]) -> str:
    """Return a text without the numbers of these sources, and without their definition lines."""
    if not sources:
        return text
    reading = read_markers(text, sources)
    kept: list[str] = []
    at = 0
    for marker in reading.markers:
        kept.append(reading.text[at : marker.start])
        at = marker.end
    return "".join([*kept, reading.text[at:]])


def _for_anthropic(messages: list[dict[str, str]]) -> list[dict[str, str]]:
    said = [one for one in messages if one["content"].strip()]
    while said and said[0]["role"] == "assistant":
        del said[0]
    if said and said[-1]["role"] == "assistant":
        said[-1] = {**said[-1], "content": said[-1]["content"].rstrip()}
    return said


def _shown_message(message: bytes, settings: ContextSettings, to: Form) -> str:
    text = plain_text(read_message(message).get("text", ""), settings)
    return _spoken("user", render(text, to=to).text, to)


def _shown_answer(
    closing: Closing, citations: list[CitationEntry], to: Form, preset: Preset | None
) -> str:
    sources = [Source(**one) for one in (json.loads(closing.metadata()) or {}).get("sources", [])]
    rendered = render(json.loads(closing.text()), citations, sources, to=to, preset=preset)
    return _spoken("assistant", rendered.text, to)


def _spoken(role: str, text: str, to: Form) -> str:
    """Return what somebody said, with a heading that says who."""
    speaker = _SPEAKERS[role]
    if to == "html":
        return f'<section class="{role}">\n<h2>{speaker}</h2>\n{text}\n</section>'
    return f"## {speaker}\n\n{text}" if to == "markdown" else f"{speaker}:\n\n{text}"
