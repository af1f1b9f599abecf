"""A stream of OpenAI's Responses interface, passed on without markers.

Lives here: the events and snapshots that hold answer text, the places of annotations in them, and
the sequence numbers, which stay gapless. Must not know where the bytes come from.
"""

import re
from dataclasses import dataclass, field
from typing import Any, Final

from citestream.wire.formats.annotations import annotation_of, is_decided, moved_annotation
from citestream.wire.formats.blocks import Block
from citestream.wire.formats.clean_text import CleanText
from citestream.wire.formats.filtering import StreamFilter
from citestream.wire.formats.numbering import renumbered

_DELTA: Final = "response.output_text.delta"
_ADDED: Final = "response.output_text.annotation.added"
_DONE: Final = "response.output_text.done"
_PART_DONE: Final = "response.content_part.done"
_ITEM_DONE: Final = "response.output_item.done"
_ENDS: Final = ("response.completed", "response.incomplete", "response.failed")
_SEARCH: Final = re.compile(r"response\.(?:web|file)_search_call\.|.*_search_call$")

_Key = tuple[int, int]


@dataclass(slots=True)
class _Part:
    """One text: a content part of an output item."""

    text: CleanText
    head: dict[str, Any]
    """The fields by which its events name it."""
    listed: list[Any] = field(default_factory=list)
    """Its annotations as they were sent."""
    vendor: int = 0
    """How many of the vendor's own have been listed."""
    waiting: list[tuple[Block, dict[str, Any]]] = field(default_factory=list)
    """The vendor's annotations that reach into an open candidate."""
    cited: list[Any] = field(default_factory=list)
    """Ours that wait for the end of the text."""


class ResponsesFilter(StreamFilter):
    """Cleans each content part for itself."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._parts: dict[_Key, _Part] = {}
        self._added = 0
        """How many events more have been sent than taken."""
        self._searches = False
        """Whether the vendor cites, too: ours then wait for the end of the text."""

    def _clean(self, block: Block, value: dict[str, Any]) -> bytes:
        type_ = value.get("type")
        if not isinstance(type_, str):
            return block.raw
        self.known = True
        item = value.get("item")
        kind = item.get("type") if isinstance(item, dict) else type_
        if not self._searches and _SEARCH.match(str(kind)):
            self._searches = True
        if type_ == _DELTA:
            return self._delta(block, value)
        if type_ == _ADDED:
            return self._annotation(block, value)
        before, changed = b"", False
        if type_ == _DONE:
            before, changed = self._text_done(block, value)
        elif type_ == _PART_DONE:
            key = (value["output_index"], value["content_index"])
            before, changed = self._snapshot(block, key, value, value.get("part"))
        elif type_ == _ITEM_DONE:
            before, changed = self._item(block, value["output_index"], value.get("item"))
        elif type_ in _ENDS and isinstance(value.get("response"), dict):
            before, changed = self._response(block, value["response"], type_)
        return before + self._numbered(block, value, changed=changed)

    # -- events ---------------------------------------------------------------------------------

    def _delta(self, block: Block, value: dict[str, Any]) -> bytes:
        raw = value.get("delta")
        if not isinstance(raw, str):
            return self._numbered(block, value)
        part = self._part(value)
        shown = part.text.feed(raw)
        if shown == raw:
            made = self._numbered(block, value)
        elif shown:
            made = self._written(block, value, delta=shown)
        else:
            made = b""
            self._added -= 1
        # A candidate that was open when the vendor's annotation arrived may be settled now.
        return made + self._freed(part) + self._cite(block, part)

    def _written(self, block: Block, value: dict[str, Any], **fields: Any) -> bytes:
        value.update(fields)
        if "logprobs" in value:
            value["logprobs"] = []
        return self._numbered(block, value, changed=True)

    def _annotation(self, block: Block, value: dict[str, Any]) -> bytes:
        self._searches = True
        part = self._part(value)
        annotation = value.get("annotation")
        if not isinstance(annotation, dict):
            return self._numbered(block, value)
        if part.waiting or not is_decided(part.text, annotation):
            part.waiting.append((block, value))
            self._added -= 1
            return b""
        return self._announced(part, block, value)

    def _announced(self, part: _Part, block: Block, value: dict[str, Any]) -> bytes:
        """Send an annotation of the vendor's, moved, with the next number of its text."""
        moved = moved_annotation(part.text, value["annotation"])
        index = len(part.listed)
        changed = moved != value["annotation"] or value.get("annotation_index", index) != index
        value["annotation"] = moved
        value["annotation_index"] = index
        part.listed.append(moved)
        part.vendor += 1
        return self._numbered(block, value, changed=changed)

    def _freed(self, part: _Part) -> bytes:
        out = []
        while part.waiting and is_decided(part.text, part.waiting[0][1]["annotation"]):
            self._added += 1
            out.append(self._announced(part, *part.waiting.pop(0)))
        return b"".join(out)

    def _cite(self, block: Block, part: _Part) -> bytes:
        """Send the citations that have settled, unless they wait for the end of the text."""
        part.cited += part.text.fresh()
        if not part.cited or (self._searches and not part.text.ended):
            return b""
        out = []
        for one in part.cited:
            annotation = annotation_of(one)
            event = {
                "type": _ADDED,
                **part.head,
                "annotation_index": len(part.listed),
                "annotation": annotation,
            }
            part.listed.append(annotation)
            out.append(self._inserted(block, event))
        part.cited = []
        return b"".join(out)

    def _finish(self, block: Block, part: _Part) -> bytes:
        """Send what a text still held, and the last of its annotations."""
        rest = part.text.finish()
        out = b""
        if rest:
            out = self._inserted(
                block, {"type": _DELTA, **part.head, "delta": rest, "logprobs": []}
            )
        return out + self._freed(part) + self._cite(block, part)

    def _inserted(self, block: Block, event: dict[str, Any]) -> bytes:
        # It takes the number of the event before which it stands; that one then gets the next.
        self._added += 1
        number = self._last_number + 1
        self._last_number = number
        ordered = {"type": event.pop("type"), "sequence_number": number, **event}
        return block.written(ordered, ordered["type"])

    _last_number = -1

    def _numbered(self, block: Block, value: dict[str, Any], *, changed: bool = False) -> bytes:
        """Return an event with its number, which moves by what was added or left out before it."""
        number = value.get("sequence_number")
        if isinstance(number, int):
            moved = self._last_number + 1 if self._added else number
            self._last_number = moved
            if moved != number:
                value["sequence_number"] = moved
                if not changed:
                    return renumbered(block, value, "sequence_number", moved)
        return block.written(value) if changed else block.raw

    # -- snapshots ------------------------------------------------------------------------------

    def _text_done(self, block: Block, value: dict[str, Any]) -> tuple[bytes, bool]:
        part = self._part(value)
        before = self._finish(block, part)
        return before, self._replace(part, value)

    def _snapshot(
        self, block: Block, key: _Key, head: dict[str, Any], content: Any
    ) -> tuple[bytes, bool]:
        """Clean a content part that is whole, in place."""
        if not isinstance(content, dict) or content.get("type") != "output_text":
            return b"", False
        part = self._part({**head, "output_index": key[0], "content_index": key[1]})
        before = b""
        if not part.text.ended:
            if not part.text.raw() and isinstance(content.get("text"), str):
                part.text.feed(content["text"])  # a stream without deltas
            before = self._finish(block, part)
        changed = self._replace(part, content)
        return before, self._list(part, content) or changed

    def _list(self, part: _Part, content: dict[str, Any]) -> bool:
        given = content.get("annotations")
        given = given if isinstance(given, list) else []
        for annotation in given[part.vendor :]:
            if isinstance(annotation, dict):  # one that no event announced
                part.listed.append(moved_annotation(part.text, annotation))
            part.vendor += 1
        if part.listed == given:
            return False
        content["annotations"] = list(part.listed)
        return True

    def _replace(self, part: _Part, content: dict[str, Any]) -> bool:
        clean = part.text.text()
        if not isinstance(content.get("text"), str) or content["text"] == clean:
            return False
        content["text"] = clean
        if content.get("logprobs"):
            content["logprobs"] = []
        return True

    def _item(self, block: Block, index: int, item: Any) -> tuple[bytes, bool]:
        before, changed = b"", False
        if isinstance(item, dict) and item.get("type") == "message":
            for at, content in enumerate(item.get("content") or ()):
                head = {"item_id": item.get("id")}
                sent, other = self._snapshot(block, (index, at), head, content)
                before, changed = before + sent, changed or other
        return before, changed

    def _response(self, block: Block, response: dict[str, Any], type_: str) -> tuple[bytes, bool]:
        before, changed = b"", False
        if type_ == "response.failed":
            changed = self._failed(response)
        else:
            for index, item in enumerate(response.get("output") or ()):
                sent, other = self._item(block, index, item)
                before, changed = before + sent, changed or other
        if cited := self._texts.field():
            response["citestream"] = cited
            changed = True
        return before, changed

    def _failed(self, response: dict[str, Any]) -> bool:
        """Replace what was sent in the snapshots of a response that failed: nothing is ended."""
        changed = False
        for index, item in enumerate(response.get("output") or ()):
            contents = item.get("content") if isinstance(item, dict) else None
            for at, content in enumerate(contents or ()):
                part = self._parts.get((index, at))
                if part and isinstance(content, dict) and content.get("type") == "output_text":
                    changed = self._replace(part, content) or changed
                    changed = self._list(part, content) or changed
        return changed

    def _part(self, value: dict[str, Any]) -> _Part:
        key = (value["output_index"], value["content_index"])
        part = self._parts.get(key)
        if part is None:
            head = {"item_id": value.get("item_id")}
            head |= {"output_index": key[0], "content_index": key[1]}
            text = self._texts.open(output_index=key[0], content_index=key[1])
            part = self._parts[key] = _Part(text, head)
        return part
