"""Where the raw text is Markdown code, decided from what has been read so far alone.

Lives here: line prefixes, fences and spans, read character by character where a line begins and in
runs elsewhere. No cut and no later text can matter, so a stray backtick hides the rest of its
paragraph. It must not know markers.
"""

import re
from typing import Any, Final

_PREFIX, _TEXT, _FENCE_PREFIX, _FENCE_RUN, _FENCE_END, _INSIDE, _INFO = range(7)
"""Where in its line the reader is: in its prefix, or in its text; in a line of a fence: in its
prefix, in what may be the closing run, after it, in its text; in the line that opens a fence."""

_NEXT_IN_TEXT: Final = re.compile("[`\\\\\r\n]")
_NEXT_IN_SPAN: Final = re.compile("[`\r\n]")
_NEXT_LINE: Final = re.compile("[\r\n]")
_BULLETS: Final = "-*+\u2022"
_DIGITS: Final = "0123456789"
_MOST_DIGITS: Final = 9
_MOST_HASHES: Final = 6
_FENCE: Final = 3


class CodeReader:
    """Follows a raw text and tells whether its next character is in code."""

    __slots__ = (
        "_after_cr",
        "_blank",
        "_depth",
        "_escaped",
        "_fence",
        "_own_line",
        "_quotes",
        "_run",
        "_sign",
        "_span",
        "_stage",
        "_token",
        "paragraphs",
    )

    def __init__(self) -> None:
        self.paragraphs = 0
        """Lines of nothing but blanks and quote signs that have ended so far."""
        self._after_cr = False
        # Of an open fence: its sign, the length of its run, the quote signs before it.
        self._fence: tuple[str, int, int] | None = None
        self._depth = 0  # the most quote signs that a line of the paragraph at hand has had
        self._span = 0  # the length of the run that opened the span, 0 outside of one
        self._escaped = False
        self._begin_line()

    def _begin_line(self) -> None:
        self._stage = _FENCE_PREFIX if self._fence else _PREFIX
        self._quotes = 0
        self._token = ""  # what may become a list marker or a heading sign
        self._sign, self._run = "", 0  # the run of backticks or tildes at hand
        self._own_line = False  # a heading or a row, whose end ends a span
        self._blank = True  # nothing but blanks, tabs and quote signs so far

    def read(self, text: str, start: int, end: int) -> None:
        """Read ``text[start:end]``."""
        at = start
        while at < end:
            if not (self._run or self._escaped):
                at = self._skip(text, at, end)
                if at == end:
                    return
            self._step(text[at])
            at += 1

    def _skip(self, text: str, at: int, end: int) -> int:
        """Return the index of the next character that can change anything."""
        if self._stage == _TEXT:
            pattern = _NEXT_IN_SPAN if self._span else _NEXT_IN_TEXT
        elif self._stage == _INSIDE:
            pattern = _NEXT_LINE
        elif self._stage == _INFO:
            pattern = _NEXT_IN_SPAN
        else:
            return at
        found = pattern.search(text, at, end)
        return found.start() if found else end

    def covers(self, character: str) -> bool:
        """Tell whether ``character``, no backtick, would be in code if it came next."""
        if self._fence:
            if self._stage == _FENCE_PREFIX:
                return self._quotes >= self._fence[2]
            closes = self._stage == _FENCE_END or self._closes_fence()
            return not closes or character.isalnum()
        if self._run:
            if self._stage == _PREFIX and self._run >= _FENCE:
                return True
            if self._sign == "`":
                return self._run != self._span if self._span else True
        return self._span > 0

    @property
    def is_blank(self) -> bool:
        """Whether the line at hand has nothing but blanks, tabs and quote signs so far."""
        return self._blank

    @property
    def in_prefix(self) -> bool:
        """Whether the line at hand has nothing but a prefix so far."""
        return self._stage == _PREFIX and not self._token and not self._run

    # -- one character --------------------------------------------------------------------------

    def _step(self, character: str) -> None:
        if self._after_cr:
            self._after_cr = False
            if character == "\n":
                return
        if character in "\r\n":
            self._end_line()
            self._after_cr = character == "\r"
        elif self._stage == _PREFIX:
            self._in_prefix(character)
        elif self._stage == _TEXT:
            self._in_text(character)
        else:
            self._in_fence(character)

    def _in_prefix(self, character: str) -> None:
        if self._run:
            if character == self._sign:
                self._run += 1
            else:
                self._end_first_run(character)
        elif character in " \t":
            if self._token[:1] == "#":
                self._span, self._own_line, self._stage = 0, True, _TEXT
            elif self._token[-1:] not in _DIGITS:  # a whole list marker begins an item
                self._span = 0
            elif self._token:
                self._begin_text(character)
            self._token = ""
        elif self._goes_on(character):
            self._token += character
            self._blank = False
        elif self._token:
            self._begin_text(character)
        elif character == ">":
            self._quotes += 1
            if self._quotes > self._depth:  # a quote begins; with fewer signs a paragraph goes on
                self._span = 0
        elif character == "|":
            self._span, self._own_line = 0, True
            self._begin_text(character)
        elif character in "`~":
            self._sign, self._run, self._blank = character, 1, False
        else:
            self._begin_text(character)

    def _goes_on(self, character: str) -> bool:
        """Tell whether a list marker or heading sign begins or goes on with ``character``."""
        token = self._token
        if not token:
            return character in _BULLETS or character in _DIGITS or character == "#"
        if token[0] == "#":
            return character == "#" and len(token) < _MOST_HASHES
        if token[-1] not in _DIGITS:
            return False
        return character in ".)" or (character in _DIGITS and len(token) < _MOST_DIGITS)

    def _begin_text(self, character: str) -> None:
        self._stage, self._token, self._blank = _TEXT, "", False
        self._in_text(character)

    def _end_first_run(self, character: str) -> None:
        """Take the character after a run of backticks or tildes that begins its line."""
        self._open_fence()
        if self._fence is None:
            self._stage = _TEXT
            self._end_run()
            self._in_text(character)
        else:
            self._stage = _INFO
            self._in_fence(character)

    def _open_fence(self) -> None:
        """Open a fence if the run that begins the line is long enough; a fence ends a span."""
        if self._run >= _FENCE:
            self._fence = (self._sign, self._run, self._quotes)
            self._span, self._run = 0, 0

    def _in_text(self, character: str) -> None:
        if character == "`":
            if self._escaped:
                self._escaped = False
            else:
                self._sign = "`"
                self._run += 1
            return
        if self._run:
            self._end_run()
        self._escaped = character == "\\" and not self._span and not self._escaped

    def _end_run(self) -> None:
        """A run of backticks is whole: it opens a span, or closes the one of its length."""
        if self._sign == "`" and self._span in (0, self._run):
            self._span = 0 if self._span else self._run
        self._run = 0

    def _in_fence(self, character: str) -> None:
        sign, length, quotes = self._fence or ("", 0, 0)
        if self._stage == _INFO:
            if character == sign == "`":  # no fence, but a span that its run has opened
                self._fence, self._span, self._stage = None, length, _TEXT
                self._in_text(character)
        elif self._stage == _FENCE_PREFIX:
            if character in " \t":
                return
            if character == ">":
                self._quotes += 1
            elif self._quotes < quotes:  # its quote has ended before this line
                self._fence, self._stage = None, _PREFIX
                self._in_prefix(character)
            elif character == sign:
                self._stage, self._run, self._blank = _FENCE_RUN, 1, False
            else:
                self._stage, self._blank = _INSIDE, False
        elif self._stage == _FENCE_RUN:
            if character == sign:
                self._run += 1
            else:
                self._stage = _FENCE_END if self._closes_fence() else _INSIDE
                self._run = 0
                self._in_fence(character)
        elif self._stage == _FENCE_END and character not in " \t":
            if character.isalnum():
                self._stage = _INSIDE
            else:
                self._fence, self._stage = None, _TEXT
                self._in_text(character)

    def _closes_fence(self) -> bool:
        """Tell whether the run at hand may close the fence, as far as it has been read."""
        return self._fence is not None and self._stage == _FENCE_RUN and self._run >= self._fence[1]

    def _end_line(self) -> None:
        self._escaped = False
        # The next line begins a paragraph, whose quote signs are counted anew.
        alone = self._blank or self._own_line or self._fence is not None
        if self._fence:
            out_of_quote = self._stage == _FENCE_PREFIX and self._quotes < self._fence[2]
            if out_of_quote or self._stage == _FENCE_END or self._closes_fence():
                self._fence = None
        elif self._run:
            if self._stage == _PREFIX:
                self._open_fence()
            if self._fence is None:
                self._end_run()
        elif self.in_prefix:
            self._span = 0
        if self._own_line:
            self._span = 0
        self._depth = 0 if alone else max(self._depth, self._quotes)
        self.paragraphs += self._blank
        self._begin_line()

    # -- snapshots ------------------------------------------------------------------------------

    def state(self) -> list[Any]:
        """Return the state as a JSON value."""
        return [
            list(getattr(self, name))
            if isinstance(getattr(self, name), tuple)
            else getattr(self, name)
            for name in self.__slots__
        ]

    def recall(self, state: list[Any]) -> None:
        """Take over what :meth:`state` returned."""
        for name, value in zip(self.__slots__, state, strict=True):
            setattr(self, name, tuple(value) if isinstance(value, list) else value)
