"""What the engine asks of a dialect. No syntax lives here."""

from typing import Protocol


class Recogniser(Protocol):
    """Follows one candidate at a time, from behind its head, character run by character run."""

    room: int
    """How many more letters, digits and underscores are sure to continue the candidate.

    Who passes so many over without :meth:`push` takes their number off; who is done with the
    candidate sets it to 0.
    """

    def begin(self) -> None:
        """Forget everything: the head of a new candidate has come."""

    def push(self, text: str) -> int:
        """Take from the start of ``text`` the longest run with which the candidate may still become
        a marker; return the index behind it. An index short of the end means that the character
        there cannot continue the candidate. No text holds the sign that starts or ends a marker.
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
    def end(self) -> str:
        """The character that every marker ends with; it stands nowhere else in one."""

    @property
    def stray_signs(self) -> str:
        """The other characters that belong to markers alone; "drop" removes stray ones."""

    def recogniser(self) -> Recogniser:
        """Return a recogniser without a candidate: there is no room in it yet."""

    def entries(self, candidate: str) -> tuple[tuple[str, str, tuple[str, ...]], ...]:
        """Return ``(source id, locator, undecided)`` for each source that a candidate names.

        They are in text order. ``undecided`` are the later fields from the first on that may be a
        source or a locator (:mod:`citestream.citations.fields`); only the last entry has any. The
        candidate has come to its end, which is left off. One that names no source has failed.
        """

    def residue(self, candidate: str, following: str) -> str:
        """Return the words that stay when a failed candidate is dropped.

        ``following`` is the character that could not continue it, "" at the end of the text.
        """
