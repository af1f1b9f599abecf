"""The closing event of a turn as bytes, written so that its pieces are found again by length.

An ended turn is read far more often than it ends: its answer is put together from pieces of the
stored event, and nothing of it is decoded or encoded again. Must not know stores.
"""

from typing import Any, Final, NamedTuple

from citestream.turns import ArtifactEvent
from citestream.wire.json_text import dumps

_EVENT: Final = b'{"type":"artifact","artifact":'
_HEAD: Final = _EVENT + b'{"parts":['
_TEXT: Final = b'{"text":'
_CITATIONS: Final = b',"metadata":{"citations":['
_METADATA: Final = b',"metadata":'


class Lengths(NamedTuple):
    """Bytes of the pieces of a closing event; all are 0 where the artifact has no parts."""

    text: int = 0
    citations: int = 0
    parts: int = 0
    metadata: int = 0


def write_closing(event: ArtifactEvent) -> tuple[bytes, Lengths]:
    """Return the event as one line of JSON, the same as ``dumps`` gives, and its lengths.

    It is written piece by piece: one call over all of a large answer would keep the interpreter's
    lock for long.
    """
    shown = event.as_json()
    artifact = shown.pop("artifact")
    text = citations = b""
    parts: list[bytes] = []
    if artifact["parts"]:
        first, *others = artifact["parts"]
        text = dumps(first["text"])
        citations = b",".join(map(dumps, first["metadata"]["citations"]))
        parts = [_TEXT, text, _CITATIONS, citations, b"]}}"]
        for part in others:
            parts += [b",", _part(part)]
    metadata = dumps(artifact["metadata"]) if "metadata" in artifact else b""
    del shown["type"]
    lengths = Lengths(len(text), len(citations), sum(map(len, parts)), len(metadata))
    pieces = [_HEAD, *parts, b"]"]
    if metadata:
        pieces += [_METADATA, metadata]
    return b"".join([*pieces, b"},", dumps(shown)[1:]]), lengths


def _part(part: dict[str, Any]) -> bytes:
    if "data" not in part:
        return dumps(part)
    value = dumps(part["data"]["value"])
    return b'{"data":{"value":' + value + b'},"metadata":' + dumps(part["metadata"]) + b"}"


class Closing:
    """The pieces of a closing event, each a line of JSON.

    ``text`` is the clean text where the artifact has no parts.
    """

    def __init__(self, data: bytes, lengths: Lengths, text: str | None = None) -> None:
        self._data = data
        self._lengths = lengths
        self._text = text
        self._parts_end = len(_HEAD) + lengths.parts

    def text(self) -> bytes:
        """Return the clean text, a JSON string."""
        if self._text is not None:
            return dumps(self._text)
        start = len(_HEAD) + len(_TEXT)
        return self._data[start : start + self._lengths.text]

    def citations(self) -> bytes:
        """Return the citations, a JSON list."""
        start = len(_HEAD) + len(_TEXT) + self._lengths.text + len(_CITATIONS)
        return b"[" + self._data[start : start + self._lengths.citations] + b"]"

    def metadata(self) -> bytes:
        """Return ``metadata`` of the artifact, an object, or ``null``."""
        if not self._lengths.metadata:
            return b"null"
        start = self._parts_end + 1 + len(_METADATA)
        return self._data[start : start + self._lengths.metadata]

    def artifact(self) -> bytes:
        """Return the artifact, a JSON object."""
        return self._data[len(_EVENT) : self._artifact_end()]

    def outcome(self) -> bytes:
        """Return the members of the event after its artifact, without braces, ``status`` first."""
        return self._data[self._artifact_end() + 1 : -1]

    def _artifact_end(self) -> int:
        end = self._parts_end + len(b"]}")
        if self._lengths.metadata:
            end += len(_METADATA) + self._lengths.metadata
        return end
