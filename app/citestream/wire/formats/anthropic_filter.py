"""A stream of Anthropic's Messages interface, passed on without markers.

Lives here: text blocks, which are cut where a citation settles because a citation of this vendor
belongs to a whole block, and the indices of blocks, which stay gapless. Must not know where the
bytes come from.
"""

from dataclasses import dataclass, field
from typing import Any, ClassVar, Final

from citestream.turns import Include
from citestream.wire.formats.blocks import Block
from citestream.wire.formats.clean_text import CleanText
from citestream.wire.formats.filtering import StreamFilter
from citestream.wire.formats.numbering import renumbered
from citestream.wire.formats.ranges import Cited

_KINDS: Final = (
    "message_start",
    "content_block_start",
    "content_block_delta",
    "content_block_stop",
    "message_delta",
    "message_stop",
    "ping",
    "error",
)


@dataclass(slots=True)
class _Text:
    """One text block of the vendor's and the blocks that it becomes."""

    text: CleanText
    starts: list[tuple[int, int]] = field(default_factory=list)
    """Of each block as sent: where it begins in the clean text, and its index."""
    cited: list[Cited] = field(default_factory=list)
    """The citations of the block that is open."""

    @property
    def index(self) -> int:
        """The index of the block that is open."""
        return self.starts[-1][1]


class AnthropicFilter(StreamFilter):
    """Cleans each text block for itself."""

    needs: ClassVar[tuple[Include, ...]] = ("excerpt",)

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._open: dict[int, _Text] = {}
        self._by_text: dict[int, _Text] = {}
        self._shift = 0
        """How many blocks more have been opened than the vendor did."""

    def _clean(self, block: Block, value: dict[str, Any]) -> bytes:
        type_ = value.get("type")
        self.known = self.known or type_ in _KINDS
        if type_ == "message_stop":
            cited = self._texts.field(self._place)
            return block.written({**value, "citestream": cited}) if cited else block.raw
        index = value.get("index")
        if type_ == "content_block_start" and isinstance(index, int):
            return self._start(block, value, index)
        state = self._open.get(index) if isinstance(index, int) else None
        if state is None:
            return self._moved(block, value)
        if type_ == "content_block_stop":
            del self._open[value["index"]]
            ended = self._show(block, state, state.text.finish())
            return ended + self._cite(block, state) + self._moved(block, value, state.index)
        delta = value.get("delta")
        if not isinstance(delta, dict) or not isinstance(delta.get("text"), str):
            return self._moved(block, value, state.index)
        raw, opened = delta["text"], len(state.starts)
        made = self._show(block, state, state.text.feed(raw))
        if opened == len(state.starts) and raw == state.text.last_shown:
            return self._moved(block, value, state.index)
        return made

    def _start(self, block: Block, value: dict[str, Any], index: int) -> bytes:
        content = value.get("content_block")
        if not isinstance(content, dict) or content.get("type") != "text":
            return self._moved(block, value)
        state = self._open[index] = _Text(self._texts.open(index=index))
        self._by_text[id(state.text)] = state
        state.starts.append((0, index + self._shift))
        raw = content.get("text")
        if not isinstance(raw, str) or not raw:
            return self._moved(block, value)
        shown = state.text.feed(raw)
        state.cited += state.text.fresh()
        if shown == raw:
            return self._moved(block, value)
        content["text"] = shown
        return block.written({**value, "index": index + self._shift})

    def _moved(self, block: Block, value: dict[str, Any], index: int | None = None) -> bytes:
        """Return an event as it is but for the index of its block."""
        given = value.get("index")
        if not isinstance(given, int):
            return block.raw
        moved = given + self._shift if index is None else index
        if moved == given:
            return block.raw
        value["index"] = moved
        return renumbered(block, value, "index", moved)

    def _show(self, block: Block, state: _Text, shown: str) -> bytes:
        """Send clean text, cut behind each place where a citation has settled."""
        begin = state.text.length - len(shown)
        at, out = begin, []
        for cited in state.text.fresh():
            end = max(cited.citation.offset, at)
            out.append(self._text(block, state, shown[at - begin : end - begin], at))
            state.cited.append(cited)
            at = end
        out.append(self._text(block, state, shown[at - begin :], at))
        return b"".join(out)

    def _text(self, block: Block, state: _Text, piece: str, at: int) -> bytes:
        if not piece:
            return b""
        out = b""
        if state.cited and piece.strip():
            out = self._cite(block, state)
            out += _event(block, "content_block_stop", state.index)
            self._shift += 1
            state.starts.append((at, state.index + 1))
            opened = {"type": "text", "text": ""}
            out += _event(block, "content_block_start", state.index, content_block=opened)
        delta = {"type": "text_delta", "text": piece}
        return out + _event(block, "content_block_delta", state.index, delta=delta)

    def _cite(self, block: Block, state: _Text) -> bytes:
        cited, state.cited = state.cited, []
        return b"".join(
            _event(
                block,
                "content_block_delta",
                state.index,
                delta={"type": "citations_delta", "citation": _citation(one, state.text)},
            )
            for one in cited
        )

    def _place(self, text: CleanText, offset: int) -> dict[str, int]:
        """Return the block as sent that holds what is before ``offset``, and the place in it."""
        starts = self._by_text[id(text)].starts
        start, index = next((one for one in reversed(starts) if one[0] < offset), starts[0])
        return {"index": index, "offset": offset - start}


def _event(block: Block, type_: str, index: int, **fields: Any) -> bytes:
    return block.written({"type": type_, "index": index, **fields}, type_)


def _citation(one: Cited, text: CleanText) -> dict[str, Any]:
    """Return a citation in the vendor's form: of a part with an address a search result's, of text
    a place in a document, of other data a block of one."""
    excerpt, part_id = one.citation.excerpt, one.citation.data_part_id
    shown = excerpt.text if excerpt else ""
    number = [known.id for known in text.turn.citable()].index(part_id)
    if one.url is not None:
        return {
            "type": "search_result_location",
            "cited_text": shown,
            "search_result_index": number,
            "source": one.url,
            "title": one.title,
            "start_block_index": 0,
            "end_block_index": 1,
        }
    document = {"document_index": number, "document_title": one.title, "file_id": None}
    root = one.part.root if one.part else None
    if not isinstance(root, str):
        place = {"start_block_index": 0, "end_block_index": 1}
        return {"type": "content_block_location", "cited_text": shown, **document, **place}
    start = max(0, root.find(shown))
    end = start + len(shown) if shown else len(root)
    place = {"start_char_index": start, "end_char_index": min(end, len(root))}
    return {"type": "char_location", "cited_text": shown, **document, **place}
