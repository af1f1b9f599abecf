"""The text of an answer as it is read: its markers, where each is, and what each covers.

Lives here: the engine of one answer and what keeps step with its clean text. Must not know events
or how parts are registered.
"""

from typing import Any

from citestream.citations import Engine, EngineOptions
from citestream.citations.snapping import WHITE_SPACE
from citestream.turns.citation import Include
from citestream.turns.claiming import Claims
from citestream.turns.ledger import Ledger
from citestream.turns.material import Material
from citestream.turns.offsets import Offsets, offsets_at


class Transcript:
    """One answer: ``engine`` reads its raw text, ``ledger`` has what its markers named."""

    __slots__ = ("_claims", "_here", "_last", "_units", "engine", "ledger", "options")

    def __init__(
        self, options: EngineOptions, include: frozenset[Include], material: Material
    ) -> None:
        self.options = options
        self.engine = Engine(options, material.known)
        self.ledger = Ledger(material.origin, material.known.resolve)
        self._units = "offsets" in include
        self._claims = _claims(options, include) if {"claim", "check"} & include else None
        # The end of the text shown, and its last visible character with what follows: an offset
        # settles there or after that character, or one character earlier.
        self._here = Offsets(0, 0, 0)
        self._last = ""

    def settle(self, text: str) -> bool:
        """Enter what markers named into the ledger, now that ``text`` is shown; tell whether any
        did. Called once for each piece of clean text that the engine returned.
        """
        base, before = self._here, self._last
        if text and self._units:
            self._here, self._last = base.after(text), _last_of(before, text)
        entries = self.engine.take()
        if self._claims:
            said = [entry.span[0] for entry in entries if entry.span]
            self._claims.feed(text, [*self.engine.opened, *said])
        for entry in entries:
            offsets = offsets_at(entry.offset, base, before, text) if self._units else None
            self.ledger.add(entry, offsets, self._claims.covered(entry) if self._claims else None)
        return bool(entries)

    def follow(self, state: dict[str, Any], text: str, material: Material) -> None:
        """Go on after ``text`` that another answer of the turn has shown, without its markers."""
        self._here, self._last = Offsets(*state["here"]), state["last"]
        if self._claims:
            self._claims.feed(text)
        engine = {**self.engine.snapshot(), "length": len(text), "last": text[-1:]}
        self.engine = Engine.restore(self.options, engine, text, material.known)

    # -- snapshots ----------------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        """Return what goes on changing, a small JSON value."""
        return {
            "here": [self._here.rune, self._here.utf16, self._here.utf8],
            "last": self._last,
            "unsent": self.ledger.unsent_places(),
            "engine": self.engine.snapshot(),
            **({"claims": self._claims.state()} if self._claims else {}),
        }

    def restore(
        self,
        state: dict[str, Any],
        text: str,
        named: list[dict[str, Any]],
        include: frozenset[Include],
        material: Material,
        *,
        ended: bool,
    ) -> None:
        """Take in the state, text and rows of another transcript, when all parts are registered."""
        self._here, self._last = Offsets(*state["here"]), state["last"]
        if "claims" in state:
            self._claims = _claims(self.options, include, state["claims"])
        self.engine = Engine.restore(self.options, state["engine"], text, material.known)
        self.ledger.restore(named, state["unsent"], ended=ended)


def _claims(
    options: EngineOptions, include: frozenset[Include], state: list[Any] | None = None
) -> Claims:
    return Claims(options, words="check" in include, units="offsets" in include, state=state)


def _last_of(before: str, text: str) -> str:
    """Return the last visible character of a text and the white space after it.

    ``before`` is the same of what is before the text, which is not empty.
    """
    visible = len(text.rstrip(WHITE_SPACE))
    return text[visible - 1 :] if visible else before + text
