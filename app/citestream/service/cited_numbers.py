"""Which numbered sources a long text cites, read where it keeps no one waiting.

The parser of Markdown keeps the interpreter's lock for 50 ms and more on a text of 8 MiB, and so
does freeing what it found. Must not know turns.
"""

from collections.abc import Sequence

from citestream import sources
from citestream.service.offload import work_apart
from citestream.sources import Source


def cited_numbers(text: str, known: Sequence[Source]) -> tuple[int, ...]:
    """Return the same as :func:`citestream.sources.cited_numbers`; ``text`` has no surrogates."""
    return work_apart(_read, tuple(known), body=text.encode())


def _read(known: Sequence[Source], body: bytes) -> tuple[int, ...]:
    return sources.cited_numbers(body.decode(), known)
