"""A session as a reader sees it again, and as a model provider reads it.

Must not know HTTP. Nothing here is derived anew that was stored: an ended turn shows what its rows
have.
"""

import json
from typing import Any, Final, Literal

from citestream.citations import restore_readable
from citestream.context import (
    DEFAULT_SETTINGS,
    ContextError,
    ContextSettings,
    bound_context,
    project,
    resolve_message,
    storable_message,
)
from citestream.context.encoding import compact_json, read_json
from citestream.service.cited_sources import cited_sources
from citestream.service.offload import LOOP_COST, offload
from citestream.service.problems import INVALID_INPUT, MESSAGE_CONFLICT, NOT_FOUND, Problem
from citestream.service.stored.turns import StoredTurns
from citestream.stores.port import ItemRow
from citestream.wire.input.errors import FieldProblem

PAGE: Final = 200
"""Items of a session read at once."""

Provider = Literal["openai", "anthropic", "text"]
Markers = Literal["clean", "raw", "restore"]
"""How answers appear in a history: without markers, as the model wrote them, or with the markers of
their citations alone."""

RESTORE_WEIGHT: Final = 4
"""A dense text is read up to four times to put its markers back."""
_SPEAKERS: Final = {"user": "User", "assistant": "Assistant"}


class Conversations:
    """The sessions of one store."""

    def __init__(self, turns: StoredTurns, settings: ContextSettings = DEFAULT_SETTINGS) -> None:
        self._turns = turns
        self._log = turns.log
        self._settings = settings

    async def add_message(
        self,
        session_id: str,
        message_id: str,
        text: str,
        context: Any,
        attachments: dict[str, str] | None = None,
    ) -> dict[str, Any]:
        """Store a user message; return ``{"id", "position", "unavailable"}``.

        ``context`` is ``{"version": 1, "records": [...]}`` or None, and is stored as it came but
        without bytes. ``attachments`` binds ids of attachments to those they are stored under.
        ``unavailable`` has the ids that no record can be read under. A message that the session
        has under this id is returned as it was stored; with other content it is a conflict.
        Raises :class:`Problem` for that, for a context over its limits, and for a message that no
        provider could be given.
        """
        said = {"text": text, "context": context, "attachments": attachments or {}}
        # What a context costs cannot be seen from here, so it is never worked on in the loop.
        cost = len(text) if context is None else LOOP_COST + 1
        try:
            message = await offload(lambda: self._storable(said), cost=cost)
        except ContextError as error:
            rule = str(error).removeprefix(error.field).lstrip(": ")
            raise Problem(INVALID_INPUT, str(error), (FieldProblem(error.field, rule),)) from None
        added = await self._log.add_message(session_id, message_id, message, self._turns.clock())
        if added.message != message and not await offload(
            lambda: _same(added.message, message), cost=cost
        ):
            raise Problem(MESSAGE_CONFLICT, "id: the session has another message with this id")
        stored = await offload(lambda: _read(added.message), cost=cost)
        return {
            "id": message_id,
            "position": added.position,
            "unavailable": stored.get("unavailable", []),
        }

    def _storable(self, said: dict[str, Any]) -> bytes:
        """Return a message as it is stored. Raises ContextError for one that cannot be used."""
        return compact_json(storable_message(**said, settings=self._settings)).encode()

    def _projected(self, said: dict[str, Any]) -> str:
        """Return what a provider reads of a message (S2); an older form is upgraded for it."""
        message = resolve_message(
            said["text"],
            said["context"],
            self._settings,
            attachments=said.get("attachments") or {},
        )
        return project(message.text, list(message.records), settings=self._settings)

    async def session(self, session_id: str, after: int, limit: int) -> dict[str, Any]:
        """Return a page of the session behind position ``after``; 404 for an unknown one."""
        row = await self._log.session(session_id)
        if row is None:
            raise Problem(NOT_FOUND, "session_id: there is no session with this id")
        items = await self._log.items(session_id, after, limit + 1)
        more = len(items) > limit
        items = items[:limit]
        return {
            "id": row.id,
            "created": row.created,
            "items": [await self._shown(item) for item in items],
            "next": items[-1].position if more else None,
        }

    async def history(
        self, session_id: str, provider: Provider, markers: Markers
    ) -> dict[str, Any]:
        """Return the whole conversation for the next call of a model: what has been said in full.

        Of user messages it is what a provider reads: references become markers, their records
        stand in an envelope.

        Turns that still run, and messages and answers without text, are left out.
        """
        if await self._log.session(session_id) is None:
            raise Problem(NOT_FOUND, "session_id: there is no session with this id")
        messages: list[dict[str, str]] = []
        after = 0
        while items := await self._log.items(session_id, after, PAGE):
            after = items[-1].position
            for item in items:
                if content := await self._said(item, markers):
                    role = "assistant" if item.turn else "user"
                    messages.append({"role": role, "content": content})
        text = None
        if provider == "text":
            text = "\n\n".join(f"{_SPEAKERS[one['role']]}: {one['content']}" for one in messages)
        return {"messages": messages, "text": text}

    async def delete(self, session_id: str) -> None:
        """Remove a session with its turns; 404 for an unknown one."""
        gone = await self._log.delete_session(session_id)
        if gone is None:
            raise Problem(NOT_FOUND, "session_id: there is no session with this id")
        self._turns.forget(gone)

    async def _said(self, item: ItemRow, markers: Markers) -> str:
        if item.turn is None:
            kept = item.message or b"{}"
            try:
                return await offload(lambda: self._projected(_read(kept)), cost=len(kept))
            except ContextError as error:
                raise Problem(INVALID_INPUT, f"items[{item.position}]: {error}") from None
        if item.turn.ended is None:
            return ""
        answer = await self._turns.answer_of(item.turn)
        clean: str = answer["text"]
        if clean and markers == "raw":
            return await self._turns.raw(item.turn.id)
        if clean and markers == "restore":
            cited, state = answer["citations"], item.turn.state
            return await offload(
                lambda: restore_readable(clean, cited, _dialect_of(state)),
                cost=len(clean) * RESTORE_WEIGHT,
            )
        return clean

    async def _shown(self, item: ItemRow) -> dict[str, Any]:
        if item.turn is None:
            kept = item.message or b"{}"
            said = await offload(lambda: _shown_message(kept), cost=len(kept))
            return {
                "type": "message",
                "position": item.position,
                "id": item.message_id,
                "created": item.created,
                **said,
            }
        answer = await self._turns.answer_of(item.turn)
        # The end state of a target is that of the citations, the same for all of one part.
        targets = {one["data_part_id"]: one.get("target") for one in answer["citations"]}
        parts = [
            await self._source(item.turn.id, part_id, target) for part_id, target in targets.items()
        ]
        return {
            "type": "turn",
            "position": item.position,
            **{name: answer[name] for name in ("id", "created", "ended", "status", "reason")},
            "text": answer["text"],
            "citations": cited_sources(parts),
            "inline_citations": answer["citations"],
            "sources": answer["artifact"].get("metadata", {}).get("sources", []),
            "labels": answer["labels"],
        }

    async def _source(
        self, turn_id: str, part_id: str, target: dict[str, Any] | None
    ) -> dict[str, Any]:
        part = json.loads(await self._log.part(turn_id, part_id) or b"{}")
        return {
            "data_part_id": part_id,
            "tool_name": part.get("tool_name", ""),
            "title": part.get("title"),
            "url": part.get("url"),
            "source": part.get("source"),
            "target": target,
        }


def _read(message: bytes) -> dict[str, Any]:
    stored: dict[str, Any] = read_json(message.decode())
    return stored


def _shown_message(message: bytes) -> dict[str, Any]:
    """Return a stored message as a reader sees it: its records bound to stored attachments."""
    said = _read(message)
    attachments = said.get("attachments") or {}
    # A message stored before a field existed shows what it has.
    return {
        "text": said.get("text", ""),
        "context": bound_context(said.get("context"), attachments),
        "attachments": attachments,
        "unavailable": said.get("unavailable", []),
    }


def _same(one: bytes, other: bytes) -> bool:
    """Return whether two stored messages say the same; the order of keys says nothing."""

    def content(message: bytes) -> str:
        stored = _read(message)
        said = {name: stored.get(name) for name in ("text", "context", "attachments")}
        return json.dumps(said, sort_keys=True)

    return content(one) == content(other)


def _dialect_of(state: bytes) -> Any:
    """Return the dialect that a turn's model writes: the first of its list."""
    asked = json.loads(state)["turn"]["options"]["dialect"]
    return asked[0] if isinstance(asked, list) else asked
