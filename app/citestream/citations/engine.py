"""The engine: deltas of a raw answer in, clean text and settled entries out.

Lives here: which machine reads an answer, and what both offer. Markers of one dialect with private
signs have a machine of their own, because its every nanosecond is paid for each delta of most
answers; all others are read by the scanner. Whole text = feed + finish in both.
"""

from typing import Any

from citestream.citations.dialects import GUIDE, Known, nothing_known
from citestream.citations.landing import Entry
from citestream.citations.options import EngineOptions
from citestream.citations.scanner import Scanner
from citestream.citations.signs import SignMachine


class Engine:
    """A transducer over one raw answer.

    ``feed(delta)`` returns the clean text that a delta made visible, ``finish()`` what was still
    held back, ``take()`` the entries whose offsets have settled since the last call. How the answer
    is cut into deltas changes neither the text, nor the entries, nor their offsets. ``known`` says
    which ids and source numbers exist; only some dialects ask it, when a marker closes.

    A finished engine is done: feeding it further is a mistake of the caller that nothing here
    guards against.
    """

    # The machine's own methods, bound once: nothing is called in between.
    __slots__ = ("_machine", "feed", "finish", "take")

    def __init__(self, options: EngineOptions | None = None, known: Known = nothing_known) -> None:
        options = options or EngineOptions()
        dialects = options.dialects()
        self._machine: SignMachine | Scanner
        if dialects == (GUIDE,):
            self._machine = SignMachine(options, GUIDE)
        else:
            self._machine = Scanner(options, dialects, known)
        self.feed = self._machine.feed
        self.finish = self._machine.finish
        self.take = self._machine.take

    @property
    def invalid_markers(self) -> int:
        """Candidates that failed so far."""
        return self._machine.invalid_markers

    @property
    def failures(self) -> list[int]:
        """Offsets in the clean text of the first 100 failed candidates."""
        return self._machine.failures

    @property
    def widgets(self) -> int:
        """Markers that named and showed nothing a reader gets."""
        return self._machine.widgets

    @property
    def opened(self) -> tuple[int, ...]:
        """The places in the clean text from which on an entry to come may enclose a claim."""
        return self._machine.opened()

    @property
    def length(self) -> int:
        """Code points of clean text made visible so far."""
        return self._machine.length()

    @property
    def text(self) -> str:
        """The clean text made visible so far."""
        return self._machine.text()

    @property
    def held(self) -> int:
        """Code points held back at the moment."""
        return self._machine.held()

    def snapshot(self) -> dict[str, Any]:
        """Return the state as a JSON object; with entries not yet taken, without text shown.

        Its keys (``length``, ``last``, ``blanks`` and others) are those of the machine that reads
        the answer; :meth:`restore` alone reads them.
        """
        return self._machine.snapshot()

    @classmethod
    def restore(
        cls,
        options: EngineOptions,
        state: dict[str, Any],
        text: str = "",
        known: Known = nothing_known,
    ) -> "Engine":
        """Return an engine that goes on where :meth:`snapshot` was taken, under equal options.

        ``text`` is what had been shown by then; a caller that does not ask for :attr:`text` may
        leave it out.
        """
        engine = cls(options, known)
        engine._machine.recall(state, text)
        return engine


__all__ = ["Engine", "Entry"]
