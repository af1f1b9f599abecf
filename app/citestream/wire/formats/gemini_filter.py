"""A stream of Gemini's ``streamGenerateContent?alt=sse``, passed on without markers.

Lives here: where a chunk has answer text, and the grounding metadata of a candidate, in which its
own supports and ours are one list. Must not know where the bytes come from.
"""

from dataclasses import dataclass, field
from typing import Any, ClassVar, Final

from citestream.turns import Include
from citestream.wire.formats.blocks import Block
from citestream.wire.formats.clean_text import CleanText
from citestream.wire.formats.filtering import StreamFilter
from citestream.wire.formats.positions import Unit
from citestream.wire.formats.ranges import Cited
from citestream.wire.formats.send_queue import SendQueue

_ENVELOPE: Final = frozenset(("candidates", "modelVersion", "responseId", "createTime"))
"""Fields that every chunk of a stream repeats."""
_GROUNDING: Final = "groundingMetadata"


@dataclass(slots=True)
class _Chunk:
    """A chunk on its way."""

    block: Block
    value: dict[str, Any]
    changed: bool = False
    grounded: list[tuple["_Candidate", dict[str, Any]]] = field(default_factory=list)
    """Candidates whose grounding waits for what follows it."""

    def waits(self) -> bool:
        """Whether some grounding in it waits."""
        return bool(self.grounded)

    def made(self) -> bytes:
        """Return its bytes; none when it says nothing any more."""
        if not self.changed:
            return self.block.raw
        kept = [one for one in self.value["candidates"] if _says(one)]
        self.value["candidates"] = kept
        more = any(one for name, one in self.value.items() if name not in _ENVELOPE)
        return self.block.written(self.value) if kept or more else b""


@dataclass(slots=True)
class _Candidate:
    text: CleanText
    waiting: _Chunk | None = None
    finished: bool = False


class GeminiFilter(StreamFilter):
    """Cleans each candidate for itself, its text parts joined."""

    unit: ClassVar[Unit] = "utf8"
    needs: ClassVar[tuple[Include, ...]] = ("excerpt",)

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._candidates: dict[int, _Candidate] = {}
        self._queue = SendQueue()

    def _clean(self, block: Block, value: dict[str, Any]) -> bytes:
        given = value.get("candidates")
        if not isinstance(given, list):
            self.known = self.known or "usageMetadata" in value or "promptFeedback" in value
            return self._between(block)
        self.known = True
        chunk = _Chunk(block, value)
        finished = False
        for one in given:
            if isinstance(one, dict):
                finished = self._candidate(chunk, one) or finished
        if finished and all(one.finished for one in self._candidates.values()):
            cited = self._texts.field()
            if cited:
                value["citestream"] = cited
                chunk.changed = True
        return self._queue.send(chunk if chunk.waits() else chunk.made())

    def _between(self, block: Block) -> bytes:
        return self._queue.send(block.raw)

    def _rest(self) -> bytes:
        for one in self._candidates.values():
            self._release(one.waiting)
        return self._queue.send()

    def _candidate(self, chunk: _Chunk, one: dict[str, Any]) -> bool:
        """Clean a candidate of a chunk, in place; return whether it has ended."""
        index = one.get("index", 0)
        state = self._candidates.get(index)
        if state is None:
            state = self._candidates[index] = _Candidate(self._texts.open(index=index))
        content = one.get("content")
        content = content if isinstance(content, dict) else {}
        parts = content.get("parts")
        parts = parts if isinstance(parts, list) else []
        if state.finished and any(_is_answer(part) for part in parts):
            # Early models say at each chunk that it is the last.
            state.text, state.finished = self._texts.open(index=index), False
        has_text, kept = _replace_texts(state.text, parts)
        if kept != parts:
            content["parts"] = kept
            chunk.changed = True
        if has_text:
            self._release(state.waiting)
        grounding = one.get(_GROUNDING)
        if one.get("finishReason") and not state.finished:
            state.finished = True
            self._finish(chunk, state, one)
            return True
        if isinstance(grounding, dict) and grounding:
            self._release(state.waiting)
            state.waiting = chunk
            chunk.grounded.append((state, one))
        return False

    def _finish(self, chunk: _Chunk, state: _Candidate, one: dict[str, Any]) -> None:
        rest = state.text.finish()
        if rest:
            self._release(state.waiting)
            _append(one, rest)
            chunk.changed = True
        ours = state.text.fresh()
        given = one.get(_GROUNDING)
        grounding = given if isinstance(given, dict) else {}
        if ours and not grounding and state.waiting:
            grounding = self._taken(state, state.waiting)
        else:
            self._release(state.waiting)
        made = _moved(state.text, grounding)
        if ours:
            made = _grounded(made, ours, state.text)
        if made != (given or {}):
            one[_GROUNDING] = made
            chunk.changed = True

    def _taken(self, state: _Candidate, chunk: _Chunk) -> dict[str, Any]:
        """Take the vendor's grounding out of the chunk in which it waits."""
        one = next(one for waiting, one in chunk.grounded if waiting is state)
        chunk.grounded = [pair for pair in chunk.grounded if pair[0] is not state]
        chunk.changed = True
        state.waiting = None
        grounding: dict[str, Any] = one.pop(_GROUNDING)
        return grounding

    def _release(self, chunk: _Chunk | None) -> None:
        """Let grounding of the vendor's go on where it stood, its positions moved."""
        if chunk is None:
            return
        for state, one in chunk.grounded:
            moved = _moved(state.text, one[_GROUNDING])
            chunk.changed = chunk.changed or moved != one[_GROUNDING]
            one[_GROUNDING] = moved
            state.waiting = None
        chunk.grounded.clear()


def _replace_texts(text: CleanText, parts: list[Any]) -> tuple[bool, list[Any]]:
    """Clean the text parts; return whether there is text, and the parts that say something.

    Thoughts are no answer text.
    """
    has_text, kept = False, []
    for part in parts:
        if not _is_answer(part):
            kept.append(part)
            continue
        has_text, raw = True, part["text"]
        shown = text.feed(raw)
        if shown == raw:
            kept.append(part)
        elif shown:
            kept.append({**part, "text": shown})
        elif len(part) > 1:
            kept.append({name: one for name, one in part.items() if name != "text"})
    return has_text, kept


def _is_answer(part: Any) -> bool:
    text = part.get("text") if isinstance(part, dict) else None
    return isinstance(text, str) and bool(text) and not part.get("thought")


def _append(one: dict[str, Any], rest: str) -> None:
    """Put what was held into the text of the chunk that ends a candidate."""
    content = one.get("content")
    if not isinstance(content, dict):
        content = one["content"] = {"parts": [], "role": "model"}
    parts = content.setdefault("parts", [])
    last = parts[-1] if parts else None
    if isinstance(last, dict) and isinstance(last.get("text"), str) and not last.get("thought"):
        parts[-1] = {**last, "text": last["text"] + rest}
    else:
        parts.append({"text": rest})


def _moved(text: CleanText, grounding: dict[str, Any]) -> dict[str, Any]:
    """Return the vendor's grounding with the places of its segments moved."""
    supports = grounding.get("groundingSupports")
    if not text.changed or not isinstance(supports, list):
        return grounding
    return {**grounding, "groundingSupports": [_moved_support(text, one) for one in supports]}


def _moved_support(text: CleanText, support: Any) -> Any:
    segment = support.get("segment") if isinstance(support, dict) else None
    if not isinstance(segment, dict):
        return support
    moved: dict[str, Any] = {
        name: text.moved(segment[name], "utf8")
        for name in ("startIndex", "endIndex")
        if isinstance(segment.get(name), int)
    }
    if "text" in segment and "endIndex" in moved:
        moved["text"] = text.between(moved.get("startIndex", 0), moved["endIndex"], "utf8")
    return {**support, "segment": {**segment, **moved}}


def _grounded(grounding: dict[str, Any], ours: list[Cited], text: CleanText) -> dict[str, Any]:
    """Return grounding with our chunks and supports behind those of the vendor's."""
    chunks = list(grounding.get("groundingChunks") or ())
    supports = list(grounding.get("groundingSupports") or ())
    places: dict[tuple[str, str | None], int] = {}
    for one in ours:
        chunk = _chunk(one)
        shown = chunk.get("retrievedContext", {}).get("text")
        place = places.setdefault((one.citation.data_part_id, shown), len(chunks))
        if place == len(chunks):
            chunks.append(chunk)
        covered = text.between(one.start, one.end, text.unit)
        segment = {"startIndex": one.start, "endIndex": one.end, "text": covered}
        supports.append({"segment": segment, "groundingChunkIndices": [place]})
    return {**grounding, "groundingChunks": chunks, "groundingSupports": supports}


def _chunk(one: Cited) -> dict[str, Any]:
    title = one.title
    if one.url is not None:
        return {"web": {"uri": one.url, "title": title or one.url}}
    excerpt = one.citation.excerpt
    return {
        "retrievedContext": {
            "title": title or one.citation.data_part_id,
            "text": excerpt.text if excerpt else "",
        }
    }


def _says(one: Any) -> bool:
    """Tell whether a candidate says something beside which one it is."""
    if not isinstance(one, dict):
        return True
    content = one.get("content")
    parts = content.get("parts") if isinstance(content, dict) else content
    return bool(parts) or any(
        value for name, value in one.items() if name not in ("content", "index")
    )
