"""A stream of OpenAI chat completion chunks, passed on without markers.

Lives here: where a chunk has answer text, and where its citations stand. All annotations of a
choice are in one delta before its finish chunk: clients of this vendor fail at two. Must not know
where the bytes come from.
"""

from dataclasses import dataclass, field
from typing import Any, Final

from citestream.wire.formats.annotations import chat_annotation, moved_annotation
from citestream.wire.formats.blocks import Block
from citestream.wire.formats.clean_text import CleanText
from citestream.wire.formats.filtering import StreamFilter
from citestream.wire.formats.send_queue import SendQueue

_ENVELOPE: Final = ("id", "object", "created", "model", "system_fingerprint", "service_tier")
"""Fields that every chunk of a stream repeats."""
_SAYS_NOTHING: Final = frozenset((*_ENVELOPE, "choices", "obfuscation"))


@dataclass(slots=True)
class _Chunk:
    """A chunk on its way: what is sent before it, and whether it is no more as it arrived."""

    block: Block
    value: dict[str, Any]
    changed: bool = False
    before: list[bytes] = field(default_factory=list)
    lists: list[tuple["_Choice", dict[str, Any]]] = field(default_factory=list)
    """Choices with a list of the vendor's that waits for what follows it, and their deltas."""

    def waits(self) -> bool:
        """Whether a list in it waits for what follows."""
        return bool(self.lists)

    def made(self) -> bytes:
        """Return its bytes."""
        says = self.value.get("choices") or _says(self.value, _SAYS_NOTHING)
        if not self.changed:
            return b"".join([*self.before, self.block.raw])
        return b"".join([*self.before, self.block.written(self.value) if says else b""])

    def beside(self, index: int, delta: dict[str, Any]) -> bytes:
        """Return a chunk of its own for one delta of a choice."""
        head: dict[str, Any] = {name: self.value[name] for name in _ENVELOPE if name in self.value}
        choice = {"index": index, "delta": delta, "finish_reason": None}
        return self.block.written({**head, "choices": [choice]})


@dataclass(slots=True)
class _Choice:
    text: CleanText
    waiting: _Chunk | None = None
    finished: bool = False
    in_pieces: bool = False
    """Whether its content is a list of pieces (Mistral)."""

    def content(self, text: str) -> Any:
        """Return a content that says ``text``."""
        return [{"type": "text", "text": text}] if self.in_pieces else text


class ChatFilter(StreamFilter):
    """Cleans each choice for itself."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._choices: dict[int, _Choice] = {}
        self._queue = SendQueue()

    def _clean(self, block: Block, value: dict[str, Any]) -> bytes:
        choices = value.get("choices")
        if not isinstance(choices, list):
            return self._between(block)
        self.known = True
        chunk = _Chunk(block, value)
        kept = [one for one in choices if not isinstance(one, dict) or self._keeps(chunk, one)]
        if len(kept) < len(choices):
            chunk.changed = True
            value["choices"] = kept
        over = any(isinstance(one, dict) and one.get("finish_reason") for one in kept)
        if over and all(one.finished for one in self._choices.values()):
            cited = self._texts.field()
            if cited:
                value["citestream"] = cited
                chunk.changed = True
        return self._queue.send(chunk if chunk.waits() else chunk.made())

    def _between(self, block: Block) -> bytes:
        return self._queue.send(block.raw)

    def _rest(self) -> bytes:
        for choice in self._choices.values():
            if choice.waiting:
                self._release(choice.waiting)
        return self._queue.send()

    def _keeps(self, chunk: _Chunk, one: dict[str, Any]) -> bool:
        """Clean one choice of a chunk, in place; return whether it still says something."""
        index = one.get("index", 0)
        choice = self._choices.get(index)
        if choice is None:
            choice = self._choices[index] = _Choice(self._texts.open(index=index))
        found = one.get("delta")
        delta: dict[str, Any] = found if isinstance(found, dict) else {}
        if choice.finished and delta.get("content"):
            # Text behind its own end: markers must not reach the client even so.
            choice.text, choice.finished = self._texts.open(index=index), False
        raw, shown = _replace_content(choice, delta)
        changed = raw != shown
        if raw and choice.waiting:
            self._release(choice.waiting)
        if changed and one.get("logprobs") is not None:
            one["logprobs"] = None
        finish = bool(one.get("finish_reason")) and not choice.finished
        if finish:
            choice.finished = True
            changed = self._finish(chunk, index, choice, delta, shown) or changed
        elif delta.get("annotations") and isinstance(delta["annotations"], list):
            if choice.waiting:
                self._release(choice.waiting)
            choice.waiting = chunk
            chunk.lists.append((choice, delta))
        chunk.changed = chunk.changed or changed
        return not changed or finish or _choice_says(one, delta)

    def _finish(
        self, chunk: _Chunk, index: int, choice: _Choice, delta: dict[str, Any], shown: str
    ) -> bool:
        """Send what is held and all citations before a finish chunk; return whether it changed."""
        rest = choice.text.finish()
        ours = [made for one in choice.text.fresh() if (made := chat_annotation(one))]
        listed = delta.get("annotations")
        vendor = listed if isinstance(listed, list) else []
        if choice.waiting:
            if not (shown or rest or vendor):
                waiting_delta = next(d for c, d in choice.waiting.lists if c is choice)
                self._release(choice.waiting)
                waiting_delta["annotations"] += ours
                choice.text.changed = choice.text.changed or bool(ours)
                ours = []
            else:
                self._release(choice.waiting)
        changed = False
        if rest or (ours and shown):
            content = choice.content(shown + rest)
            chunk.before.append(chunk.beside(index, {"content": content}))
            delta.pop("content", None)
            changed = True
        moved = [_moved(choice.text, one) for one in vendor]
        if ours:
            chunk.before.append(chunk.beside(index, {"annotations": [*moved, *ours]}))
            delta.pop("annotations", None)
            changed = True
        elif moved != vendor:
            delta["annotations"] = moved
            changed = True
        return changed

    def _release(self, chunk: _Chunk) -> None:
        """Let a list of the vendor's go on where it stood, its positions moved."""
        for choice, delta in chunk.lists:
            listed = [_moved(choice.text, one) for one in delta["annotations"]]
            chunk.changed = chunk.changed or listed != delta["annotations"]
            delta["annotations"] = listed
            choice.waiting = None
        chunk.lists.clear()


def _replace_content(choice: _Choice, delta: dict[str, Any]) -> tuple[str, str]:
    """Clean the content of a delta, in place; return its text before and after.

    Of pieces only those of text are the answer. What became empty is left out.
    """
    content = delta.get("content")
    if isinstance(content, str):
        shown = choice.text.feed(content) if content else ""
        if content and not shown:
            del delta["content"]
        elif shown != content:
            delta["content"] = shown
        return content, shown
    if not isinstance(content, list):
        return "", ""
    raw, shown, kept = "", "", []
    for piece in content:
        text = piece.get("text") if isinstance(piece, dict) else None
        if isinstance(text, str) and piece.get("type", "text") == "text":
            choice.in_pieces = True
            raw += text
            clean = choice.text.feed(text) if text else ""
            shown += clean
            if text and not clean:
                continue
            piece["text"] = clean
        kept.append(piece)
    delta["content"] = kept
    if content and not kept:
        del delta["content"]
    return raw, shown


def _moved(text: CleanText, annotation: Any) -> Any:
    if not isinstance(annotation, dict):
        return annotation
    inner = annotation.get(str(annotation.get("type")))
    if isinstance(inner, dict):
        return {**annotation, str(annotation["type"]): moved_annotation(text, inner)}
    return moved_annotation(text, annotation)


def _says(value: dict[str, Any], nothing: frozenset[str]) -> bool:
    return any(one not in (None, [], {}, "") for name, one in value.items() if name not in nothing)


def _choice_says(one: dict[str, Any], delta: dict[str, Any]) -> bool:
    return _says(delta, frozenset()) or _says(one, frozenset(("index", "delta")))
