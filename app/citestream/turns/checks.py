"""Whether the parts of a turn hold what the claims say, each part read once.

Lives here: which place of a part a claim is compared with. What is compared, and how, is in
:mod:`citestream.claims`.
"""

from collections.abc import Callable
from typing import Any

from citestream.claims import SMALL, Check, Place
from citestream.parts import DataPart, LineIndex, line_range, resolve_in_data


class Checks:
    """The checks of one turn; parts of one id must be the same part.

    A part of more than 1,024 code points is read once, so that the work does not grow with the
    number of citations times the length of the part. ``index`` returns the lines of a text.
    """

    def __init__(self, index: Callable[[str], LineIndex]) -> None:
        self._index = index
        self._places: dict[str, Place] = {}

    def prepare(self, part: DataPart) -> None:
        """Read a part before it is cited."""
        if part.id not in self._places:
            self._places[part.id] = Place(part.data)

    def check(self, part: DataPart, locator: str, items: tuple[str, ...]) -> Check:
        """Return which items the place has that ``locator`` names.

        That is the whole part where it does not resolve.
        """
        if not items:
            return Check((), ())
        lines = line_range(locator)
        text = _text_of(part.data)
        span = self._index(text).span(*lines) if lines and text is not None else None
        if text is not None and span:
            return self._compare(part, text, items, span)
        return self._compare(
            part, resolve_in_data(part.data, "" if lines else locator).value, items
        )

    def _compare(
        self,
        part: DataPart,
        value: Any,
        items: tuple[str, ...],
        lines: tuple[int, int] | None = None,
    ) -> Check:
        first, last = lines or (0, 0)
        if lines and last - first <= SMALL:
            return Place(value[first:last]).check(items)
        if not isinstance(value, dict | list) and not (
            isinstance(value, str) and len(value) > SMALL
        ):
            return Place(value).check(items)
        self.prepare(part)
        place = self._places[part.id]
        span = place.span(value)
        if span is None:
            return Place(value).check(items)
        return place.check(items, (span[0] + first, span[0] + last) if lines else span)


def _text_of(data: Any) -> str | None:
    """Return the text that line ranges of a part are of."""
    value = data["value"] if isinstance(data, dict) and "value" in data else data
    return value if isinstance(value, str) else None
