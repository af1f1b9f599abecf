"""The sessions of a store: user messages are stored, readers get messages and turns in order.

Nothing is computed again that was stored: an ended turn shows what its last event says. Must not
know HTTP.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from citestream.context import (
    DEFAULT_SETTINGS,
    ContextError,
    ContextSettings,
    bound_context,
    storable_message,
)
from citestream.context.encoding import compact_json, read_json
from citestream.parts import same_json
from citestream.service.cited_sources import cited_sources
from citestream.service.offload import LOOP_COST, offload
from citestream.service.problems import INVALID_INPUT, MESSAGE_CONFLICT, NOT_FOUND, Problem
from citestream.service.stored.closing import Closing
from citestream.service.stored.reading import closing_of
from citestream.service.stored.recorder import Recorder
from citestream.service.stored.turns import NO_TENANT, StoredTurns
from citestream.stores.port import PAGE_BYTES, ItemRow, Key, SessionRow, TurnRow
from citestream.wire.input.errors import FieldProblem
from citestream.wire.json_text import dumps

PAGE_SIZE: Final = 16 * 1024 * 1024
"""Bytes of answers on a page; the one with which it reaches them is the last."""


class Conversations:
    """The sessions of one store."""

    def __init__(self, turns: StoredTurns, settings: ContextSettings = DEFAULT_SETTINGS) -> None:
        self._turns = turns
        self._log = turns.log
        self._settings = settings

    def key(self, session_id: str) -> Key:
        """Return what names a session in the store."""
        return Key(NO_TENANT, session_id)

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
        added = await self._log.add_message(
            self.key(session_id), message_id, message, self._turns.clock()
        )
        if added.message != message and not await offload(
            lambda: _same(added.message, message), cost=cost
        ):
            raise Problem(MESSAGE_CONFLICT, "id: the session has another message with this id")
        stored = await offload(lambda: read_message(added.message), cost=cost)
        return {
            "id": message_id,
            "position": added.position,
            "unavailable": stored.get("unavailable", []),
        }

    def _storable(self, said: dict[str, Any]) -> bytes:
        """Return a message as it is stored. Raises ContextError for one that cannot be used."""
        return compact_json(storable_message(**said, settings=self._settings)).encode()

    async def list(self, before: str | None, limit: int) -> dict[str, Any]:
        """Return a page of the sessions, the newest first.

        The keys are ``sessions`` (each ``id``, ``created``, ``items``) and ``next``, which is
        ``before`` of the page after this one, or None. Raises :class:`Problem` for a ``before``
        that no page gave.
        """
        after = None if before is None else _cursor(before)
        rows = await self._log.sessions(NO_TENANT, after, limit + 1)
        shown = rows[:limit]
        return {
            "sessions": [
                {"id": row.id, "created": row.created, "items": row.items} for row in shown
            ],
            "next": f"{shown[-1].created!r}~{shown[-1].id}" if len(rows) > limit else None,
        }

    async def row(self, key: Key) -> SessionRow:
        """Return a session's row; 404 for an unknown one."""
        row = await self._log.session(key)
        if row is None:
            raise Problem(NOT_FOUND, "session_id: there is no session with this id")
        return row

    async def session(self, session_id: str, after: int, limit: int) -> bytes:
        """Return a page of the session after position ``after``, as JSON; 404 for an unknown one.

        The members are ``id``, ``created``, ``items`` and ``next``. A page takes five reads of the
        store, however many items it has; it ends early with the item with which it is large.
        """
        key = self.key(session_id)
        row = await self.row(key)
        page = await self.page(key, row, after, limit)
        turns = [item.turn.key for item in page.items if item.turn]
        cited = {turn: page.closings[turn][1] for turn in turns}
        cost = sum(len(closing.citations()) for closing in cited.values())
        targets = await offload(
            lambda: {turn: _targets(closing.citations()) for turn, closing in cited.items()},
            cost=cost,
        )
        about = await self._log.about_parts({turn: targets[turn].keys() for turn in turns})
        shown = []
        for item in page.items:
            if item.turn is None:
                message = item.message or b"{}"
                cost = len(message)
                shown.append(await offload(partial(_message_json, item), cost=cost))
            else:
                turn = item.turn.key
                current, closing = page.closings[turn]
                work = partial(
                    _turn_json, item, current, closing, targets[turn], about.get(turn, {})
                )
                shown.append(await offload(work, cost=len(closing.citations())))
        head = dumps({"id": row.id, "created": row.created})
        tail = dumps({"next": page.next})
        return head[:-1] + b',"items":[' + b",".join(shown) + b"]," + tail[1:]

    async def page(self, key: Key, row: SessionRow, after: int, limit: int) -> "Page":
        """Return items of a session with what their turns came to, in three reads of the store."""
        items = await self._log.items(key, after, limit + 1)
        size = sum(len(item.message or b"") for item in items)
        more = len(items) > limit or (
            size >= PAGE_BYTES and bool(items) and items[-1].position < row.items
        )
        items = items[:limit]
        ended = [item.turn.key for item in items if item.turn and item.turn.ended is not None]
        running = [item.turn.key for item in items if item.turn and item.turn.ended is None]
        snapshots = await self._log.snapshots(running) if running else {}
        # One that has ended since it was listed is read like the others.
        ended += [turn for turn, one in snapshots.items() if one.row.ended is not None]
        events = await self._log.last_events(ended, PAGE_SIZE) if ended else {}
        full = sum(len(event.data) for event in events.values()) >= PAGE_SIZE
        closings: dict[Key, tuple[TurnRow, Closing]] = {}
        shown: list[ItemRow] = []
        for item in items:
            if item.turn is None:
                shown.append(item)
                continue
            turn = item.turn.key
            snapshot = snapshots.get(turn)
            current = snapshot.row if snapshot else item.turn
            if current.ended is None and snapshot:
                closings[turn] = current, await closing_of(snapshot)
            elif turn in events:
                closings[turn] = current, Recorder.closing_of(current, events[turn])
            elif full:
                more = True
                break
            else:
                continue  # removed in between
            shown.append(item)
        following = shown[-1].position if more and shown else None
        return Page(shown, closings, following)

    async def delete(self, session_id: str) -> None:
        """Remove a session with its turns; 404 for an unknown one."""
        key = self.key(session_id)
        gone = await self._log.delete_session(key)
        if gone is None:
            raise Problem(NOT_FOUND, "session_id: there is no session with this id")
        self._turns.forget(Key(key.tenant, turn_id) for turn_id in gone)


@dataclass(frozen=True, slots=True)
class Page:
    """Items of a session, and of each turn its row and the event that closes it."""

    items: Sequence[ItemRow]
    closings: Mapping[Key, tuple[TurnRow, Closing]]
    next: int | None
    """The position after which the next page begins; None when this is the last."""


def _cursor(text: str) -> tuple[float, str]:
    created, _, session_id = text.partition("~")
    try:
        return float(created), session_id
    except ValueError:
        raise Problem(INVALID_INPUT, "before: must be `next` of another page") from None


def _targets(citations: bytes) -> dict[str, Any]:
    """Return the target of each cited part, in order of first citation.

    The last state of a target is that of the citations, the same for all of one part.
    """
    return {one["data_part_id"]: one.get("target") for one in json.loads(citations)}


def _message_json(item: ItemRow) -> bytes:
    return dumps(
        {
            "type": "message",
            "position": item.position,
            "id": item.message_id,
            "created": item.created,
            **shown_message(item.message or b"{}"),
        }
    )


def _turn_json(
    item: ItemRow,
    row: TurnRow,
    closing: Closing,
    targets: Mapping[str, Any],
    about: Mapping[str, bytes],
) -> bytes:
    head = {
        "type": "turn",
        "position": item.position,
        "id": row.id,
        "created": row.created,
        "ended": row.ended,
        "status": row.status,
        "reason": row.reason,
    }
    citations = cited_sources(
        _source(part_id, target, json.loads(about.get(part_id, b"{}")))
        for part_id, target in targets.items()
    )
    tail = {
        "sources": (json.loads(closing.metadata()) or {}).get("sources", []),
        "labels": json.loads(row.labels),
    }
    pieces = [
        *(dumps(head)[:-1], b',"text":', closing.text(), b',"citations":', dumps(citations)),
        *(b',"inline_citations":', closing.citations(), b",", dumps(tail)[1:]),
    ]
    return b"".join(pieces)


def _source(part_id: str, target: Any, about: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "data_part_id": part_id,
        "tool_name": about.get("tool_name", ""),
        "title": about.get("title"),
        "url": about.get("url"),
        "source": about.get("source"),
        "target": target,
    }


def read_message(message: bytes) -> dict[str, Any]:
    """Return a stored message: ``text``, ``context``, ``attachments``, ``unavailable``."""
    stored: dict[str, Any] = read_json(message.decode())
    return stored


def shown_message(message: bytes) -> dict[str, Any]:
    """Return a stored message as a reader sees it: its records bound to stored attachments."""
    said = read_message(message)
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

    def content(message: bytes) -> dict[str, Any]:
        stored = read_message(message)
        return {name: stored.get(name) for name in ("text", "context", "attachments")}

    return same_json(content(one), content(other))
