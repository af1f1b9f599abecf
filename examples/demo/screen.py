"""What a terminal shows: widths, colours, two columns that grow side by side.

Must not know answers or citations. Wide characters take two columns (UAX 11).
"""

import re
import shutil
import sys
import time
import unicodedata
from collections.abc import Mapping
from typing import Final, TextIO

MAX_COLUMNS: Final = 110
GUTTER: Final = " │ "
SIGNS: Final = {"\ue200": "⟦", "\ue202": "¦", "\ue201": "⟧"}
"""How the three signs of a marker are made visible."""

_COLOURS: Final = {"bold": "1", "dim": "2", "sign": "1;35", "cited": "32", "bad": "31"}
_ESCAPE: Final = re.compile("\x1b\\[[0-9;]*m")
_SIGN: Final = re.compile("[⟦¦⟧]+")


def width(text: str) -> int:
    """Return the columns that ``text`` takes; escape sequences take none."""
    return sum(
        0
        if unicodedata.category(character) in ("Mn", "Me", "Cf")
        else 2
        if unicodedata.east_asian_width(character) in "WF"
        else 1
        for character in _ESCAPE.sub("", text)
    )


def visible(text: str) -> str:
    """Return ``text`` with the signs, halves of characters and line ends made visible."""
    shown = "".join(
        f"\\u{ord(character):04x}"
        if "\ud800" <= character <= "\udfff"
        else SIGNS.get(character, character)
        for character in text
    )
    return shown.replace("\n", "⏎")


def wrapped(text: str, columns: int) -> list[str]:
    """Break ``text`` at blanks into lines that fit."""
    lines = [""]
    for word in text.split(" "):
        longer = f"{lines[-1]} {word}" if lines[-1] else word
        if width(longer) <= columns:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


class Screen:
    """Where the demo writes. Two columns and colour on a terminal, plain lines elsewhere."""

    def __init__(self, out: TextIO, *, colour: bool, fast: bool) -> None:
        self._out = out
        self._fast = fast
        self.terminal = out.isatty()
        self._colour = colour and self.terminal
        self._drawn = 0
        self.columns = min(shutil.get_terminal_size().columns - 1, MAX_COLUMNS)

    def line(self, text: str = "") -> None:
        """Write a line; over a line that was only :meth:`redrawn`."""
        start = "\r" if self.terminal else ""
        rest = " " * (self._drawn - width(text))
        self._out.write(f"{start}{text}{rest}\n")
        self._out.flush()
        self._drawn = 0

    def redrawn(self, text: str) -> None:
        """Write a line that the next one goes over; only a terminal shows it."""
        if self.terminal:
            self._out.write(f"\r{text}")
            self._out.flush()
            self._drawn = width(text)

    def paragraph(self, text: str, indent: str = "") -> None:
        """Write a text of any length, broken at blanks."""
        for line in wrapped(text, self.columns - len(indent)):
            self.line(indent + line)

    def heading(self, title: str, about: str) -> None:
        """Write what comes now."""
        self.line()
        self.line(self.paint(title, "bold"))
        self.paragraph(about)
        self.line()

    def paint(self, text: str, colour: str) -> str:
        """Return ``text`` in a colour, where there are colours."""
        return f"\x1b[{_COLOURS[colour]}m{text}\x1b[0m" if self._colour and text else text

    def marked(self, text: str) -> str:
        """Return a visible ``text`` with its signs coloured."""
        return _SIGN.sub(lambda signs: self.paint(signs[0], "sign"), text)

    def pause(self, seconds: float) -> None:
        """Let a person read; with ``fast`` nobody waits."""
        if not self._fast:
            time.sleep(seconds)


class TwoColumns:
    """Tokens on the left, what came of them on the right; one row grows, then the next begins.

    A row holds only what fits on both sides, so what stands beside each other belongs together:
    an empty place on the right is text that is held back.
    """

    def __init__(self, screen: Screen, left: str, right: str) -> None:
        self._screen = screen
        self._side = screen.terminal
        room = screen.columns - len(GUTTER if self._side else "reader  ")
        self._left_room = room * 58 // 100 if self._side else room
        self._right_room = room - self._left_room if self._side else room
        self._left = self._right = ""
        if self._side:
            screen.line(screen.paint(self._row(left, right), "dim"))

    def add(self, token: str, text: str) -> None:
        """Show a token in its box, and the text that it let the reader have."""
        dim = self._screen.paint
        box = dim("[", "dim") + self._screen.marked(visible(token)) + dim("]", "dim")
        text = visible(text)
        if (
            width(self._left + box) > self._left_room
            or width(self._right + text) > self._right_room
        ):
            self.close()
        self._left += box
        self._right += text
        self._screen.redrawn(self._row(self._left, self._right))

    def note(self, mark: str, text: str) -> None:
        """Show a text on the right in lines of its own, behind a mark."""
        self.close()
        for line in wrapped(text, self._right_room - width(mark)):
            if self._side:
                self._screen.line(self._row("", self._screen.paint(mark + line, "cited")))
            else:
                self._screen.line(f"        {mark}{line}")
            mark = " " * width(mark)

    def close(self) -> None:
        """End the row that has begun."""
        if not self._left:
            return
        if self._side:
            self._screen.line(self._row(self._left, self._right))
        else:
            self._screen.line(f"model   {self._left}")
            if self._right:
                self._screen.line(f"reader  {self._right}")
        self._left = self._right = ""

    def _row(self, left: str, right: str) -> str:
        gap = " " * (self._left_room - width(left))
        return f"{left}{gap}{self._screen.paint(GUTTER, 'dim')}{right}"


def screen_of(out: TextIO, environ: Mapping[str, str], *, fast: bool) -> Screen:
    """Return the screen for ``out``; with NO_COLOR in ``environ``, without colour."""
    if not out.isatty():
        sys.stdout.reconfigure(encoding="utf-8", errors="replace")  # type: ignore[union-attr]
    return Screen(out, colour=not environ.get("NO_COLOR"), fast=fast)
