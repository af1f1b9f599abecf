"""Where a place of a raw text is in the clean text that was made of it.

Lives here: the vendor's own positions, which count a text with our markers in it, moved into the
text without them. Must not know any vendor.
"""

from bisect import bisect_right
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final, Literal

from citestream.citations import Engine, EngineOptions
from citestream.citations.known import KnownSources

Unit = Literal["rune", "utf16", "utf8"]
"""Code points, UTF-16 code units, or bytes of UTF-8."""

SIZES: Final[Mapping[Unit, Callable[[str], int]]] = MappingProxyType(
    {
        "rune": len,
        "utf16": lambda text: len(text.encode("utf-16-le", "surrogatepass")) // 2,
        "utf8": lambda text: len(text.encode("utf-8", "surrogatepass")),
    }
)
"""How long a text is in each unit."""


class Positions:
    """Reads the raw text a second time, character by character, and notes what is kept of it.

    Only a stream in which the vendor cites as well pays for it. Positions are in one ``unit``.
    """

    __slots__ = ("_engine", "_half", "_kept_at", "_raw_at", "_size", "_undecided")

    def __init__(self, options: EngineOptions, known: KnownSources, unit: Unit) -> None:
        self._engine = Engine(options, known)
        self._size = SIZES[unit]
        self._raw_at = [0]
        self._kept_at = [0]
        self._undecided: list[str] = []
        self._half = ""

    def read(self, raw: str) -> None:
        """Take the next piece of the raw text."""
        whole = (self._half + raw).encode("utf-16-le", "surrogatepass")
        whole_text = whole.decode("utf-16-le", "surrogatepass")
        self._half = whole_text[-1:] if "\ud800" <= whole_text[-1:] <= "\udbff" else ""
        for character in whole_text.removesuffix(self._half) if self._half else whole_text:
            self._undecided.append(character)
            shown = self._engine.feed(character)
            self._decide(shown, self._engine.held)

    def finish(self) -> None:
        """Take the end of the text."""
        self._decide(self._engine.finish(), 0)

    def _decide(self, shown: str, held: int) -> None:
        count = len(self._undecided) - held
        if count <= 0:
            return
        decided = self._undecided[:count]
        del self._undecided[:count]
        # What is kept of a broken marker is its end: signs and ids stand at its beginning.
        gone = max(0, count - len(shown))
        for index, character in enumerate(decided):
            self._raw_at.append(self._raw_at[-1] + self._size(character))
            kept = shown[index - gone : index - gone + 1] if index >= gone else ""
            if index == count - 1:
                kept = shown[max(0, index - gone) :]
            self._kept_at.append(self._kept_at[-1] + self._size(kept))

    def is_decided(self, position: int) -> bool:
        """Whether all before ``position`` is either kept or gone."""
        return position <= self._raw_at[-1]

    def moved(self, position: int) -> int:
        """Return how long that is which is kept before ``position``."""
        return self._kept_at[max(0, bisect_right(self._raw_at, position) - 1)]
