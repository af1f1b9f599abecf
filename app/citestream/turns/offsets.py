"""One place of the clean text in the three units that clients count in.

Must not know what is at that place.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Offsets:
    """One place of the clean text in three units, each counting from the text's beginning."""

    rune: int
    """Code points."""
    utf16: int
    """UTF-16 code units, as JavaScript counts."""
    utf8: int
    """Bytes of UTF-8."""

    def as_json(self) -> dict[str, int]:
        """Return the place as a JSON object."""
        return {"rune": self.rune, "utf16": self.utf16, "utf8": self.utf8}

    def after(self, text: str) -> "Offsets":
        """Return the place after ``text`` that begins here."""
        length = len(text)
        if text.isascii():
            return Offsets(self.rune + length, self.utf16 + length, self.utf8 + length)
        return Offsets(
            self.rune + length,
            self.utf16 + len(text.encode("utf-16-le")) // 2,
            self.utf8 + len(text.encode()),
        )


def offsets_at(offset: int, base: Offsets, before: str, text: str) -> Offsets:
    """Return the place at ``offset``: in ``text``, which begins at ``base``, or in ``before``.

    ``before`` is the end of the text before ``base``. An offset lies there where a single
    punctuation character inside a word or number was not snapped past, and where a tag is closed by
    the end of its paragraph.
    """
    if offset >= base.rune:
        return base.after(text[: offset - base.rune])
    back = Offsets(0, 0, 0).after(before[len(before) - (base.rune - offset) :])
    return Offsets(base.rune - back.rune, base.utf16 - back.utf16, base.utf8 - back.utf8)
