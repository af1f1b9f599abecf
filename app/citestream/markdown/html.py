"""Markdown to HTML, by the same parser that tells the structure. The result is not sanitised.

Must not know who wrote the text or what may be shown.
"""

from citestream.markdown.parser import parser


class _Sink:
    """Collects what the renderer writes, and stops it at a limit."""

    def __init__(self, limit: int, error: Exception) -> None:
        self.room = limit
        self.error = error
        self.chunks: list[bytes] = []

    def write(self, chunk: bytes) -> int:
        self.room -= len(chunk)
        if self.room < 0:
            raise self.error
        self.chunks.append(bytes(chunk))
        return len(chunk)


def to_html(text: str, limit: int, error: Exception) -> str:
    """Return ``text`` as HTML, raw HTML passed through; ``text`` holds no lone surrogate.

    Raises ``error`` as soon as the HTML is longer than ``limit`` bytes of UTF-8: a line of quote
    signs becomes 27 times as long.
    """
    sink = _Sink(limit, error)
    parser().write_html(text, sink)
    return b"".join(sink.chunks).decode()
