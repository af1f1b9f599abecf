"""What the engine asks of a dialect. No syntax lives here."""

from typing import Protocol


class Recogniser(Protocol):
    """Follows one candidate at a time, from behind its head, character run by character run."""

    complete: bool
    """Whether the candidate has become a whole marker."""

    room: int
    """How many more letters, digits and underscores are sure to continue the candidate.

    Who passes so many over without :meth:`push` takes their number off.
    """

    def begin(self) -> None:
        """Forget everything: the head of a new candidate has come."""

    def push(self, text: str, position: int) -> int:
        """Take from ``text[position:]`` the longest run with which the candidate may still become
        a marker; return the index behind it. An index short of the end means that the character
        there cannot continue the candidate, unless the marker is complete.
        """


class Dialect(Protocol):
    """One marker syntax."""

    @property
    def name(self) -> str:
        """The name a caller gives in its options."""

    @property
    def head(self) -> str:
        """The characters that every marker begins with. The first of them opens a candidate and
        stands nowhere else in a marker; nothing is held back before it.
        """

    @property
    def stray_signs(self) -> str:
        """The other characters that belong to markers alone; "drop" removes stray ones."""

    def recogniser(self) -> Recogniser:
        """Return a recogniser that has begun."""

    def entries(self, marker: str) -> tuple[tuple[str, str], ...]:
        """Return ``(source id, locator)`` for each source a whole marker names, in text order."""

    def residue(self, candidate: str, following: str) -> str:
        """Return the words that stay when a failed candidate is dropped.

        ``following`` is the character that could not continue it, "" at the end of the text.
        """
