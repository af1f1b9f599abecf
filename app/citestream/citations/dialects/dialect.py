"""What the engine asks of a dialect. No syntax lives here, and no stream."""

from bisect import bisect_left
from collections.abc import Collection, Iterable
from typing import Any, Final, Literal, NamedTuple, Protocol, TypeAlias

OPEN: Final = 0
"""A candidate may still become a marker."""
FAILED: Final = -1
"""Nothing that follows can make a candidate a marker."""

Role = Literal["point", "open", "close", "claim_from", "claim_to"]
"""``point``: the marker is complete in itself. ``open`` begins what a ``close`` of the same tag
ends; the sources are placed where it closes. What lies between ``claim_from`` and the next
``claim_to`` is the claim of the markers that follow."""


class Known(Protocol):
    """Which sources exist at the moment; it may grow while an answer is read."""

    def __call__(self, key: str, /) -> bool:
        """Tell whether ``key`` is the id of a part or the number of a source."""

    def is_id(self, key: str, /) -> bool:
        """Tell whether ``key`` is the id of a part."""

    def begins_id(self, text: str, /) -> bool:
        """Tell whether the id of a part begins with ``text``."""

    @property
    def id_lengths(self) -> Collection[int]:
        """The lengths that the ids have, each once."""


class Before(NamedTuple):
    """What has been read before a candidate, of the raw text."""

    place: int
    """How many code points there are before it."""
    last: str
    """The last two of them, or as many as there are."""
    in_prefix: bool
    """Whether its line has nothing before it but blanks, quote signs and list markers."""


Named: TypeAlias = tuple[tuple[str, str, tuple[str, ...]], ...]
"""What one marker names, in text order: source ids, locators, and the later fields from the first
on that may be a source or a locator."""


def only(sources: Iterable[str]) -> Named:
    """Return what a marker names that has ids alone."""
    return tuple((source, "", ()) for source in sources)


class Marker(NamedTuple):
    """What a whole marker comes to."""

    named: Named = ()
    shown: str = ""
    """What it shows in the clean text; its sources are placed after that."""
    kept: bool = False
    """Whether it shows itself, as it is."""
    role: Role = "point"
    tag: str = ""
    """Of an ``open`` or ``close``: which kind of tag."""
    numbered: bool = False
    """Whether an id may also be the number of a source."""
    widget: bool = False
    """Whether it is counted as one that names and shows nothing."""


class Recogniser:
    """Follows one candidate at a time in one answer; a base with what most dialects do not need.

    The engine calls :meth:`may_begin` (if ``asks_before``), :meth:`begin`, then :meth:`advance` as
    long as that returns OPEN and text arrives. Of a whole marker it asks :meth:`may_end` (if
    ``asks_after``), then :meth:`marker`.
    """

    __slots__ = ("ended", "opened", "room")

    printable: bool = True
    """Whether markers are made of ordinary characters; such are not looked for in code."""
    heads: tuple[str, ...] = ()
    """What its markers begin with. The first character of each opens a candidate, so that text
    without any of them passes untouched."""
    asks_before: bool = False
    asks_after: bool = False
    kept: bool = False
    """Whether its markers stay in the text, so that a candidate need not be held back."""

    def __init__(self) -> None:
        self.room = 0
        """How many more letters, digits and underscores are sure to continue the candidate."""
        self.opened = False
        """Whether the candidate has the whole opener, so that its failure is counted."""
        self.ended = False
        """Whether the text has ended; the engine sets it before it reads for the last time."""

    def may_begin(self, before: Before) -> bool:
        """Tell whether a candidate may begin after ``before``."""
        raise NotImplementedError

    def begin(self) -> None:
        """Forget the last candidate: a new one begins."""
        self.room = 0
        self.opened = False

    def advance(self, text: str, at: int) -> int:
        """Read on in the candidate that begins at index ``at`` of ``text``.

        Return OPEN, FAILED, or how many code points the whole marker has. ``text`` holds the whole
        candidate each time, and more of it than the last time; where it was cut changes nothing.
        """
        raise NotImplementedError

    def may_end(self, after: str, /) -> bool:
        """Tell whether a whole marker may have ``after`` next to it ("" at the end of the text)."""
        raise NotImplementedError

    def marker(self, text: str, at: int, end: int) -> Marker:
        """Return what the whole marker ``text[at:end]`` comes to."""
        raise NotImplementedError

    def residue(self, text: str, at: int) -> int:
        """Return how many code points of a failed candidate "drop" removes, from its beginning.

        Only asked of private signs.
        """
        raise NotImplementedError

    def reached(self, text: str, at: int, bound: int) -> int:
        """Return the index of the character that the failed candidate could not go on with.

        Every beginning of what may become a marker may become one, so that it can be bisected.
        """
        ends = range(at + 1, min(len(text), at + bound) + 1)
        return at + bisect_left(ends, True, key=lambda end: self._fails(text[at:end]))

    def _fails(self, candidate: str) -> bool:
        self.begin()
        return self.advance(candidate, 0) == FAILED

    def state(self) -> Any:
        """Return what outlives a candidate, as a small JSON value."""
        return None

    def recall(self, state: Any) -> None:
        """Take over what :meth:`state` returned."""


class Dialect(Protocol):
    """One marker syntax."""

    @property
    def name(self) -> str:
        """The name a caller gives in its options."""

    @property
    def stray_signs(self) -> str:
        """The private signs that belong to markers alone; "drop" removes stray ones."""

    def recogniser(self, known: Known, /) -> Recogniser:
        """Return a recogniser for one answer, which asks ``known`` when a marker closes."""


class Follower(Protocol):
    """Follows one candidate at a time for the machine of private signs, run by run, from after its
    head on.
    """

    room: int
    """How many more letters, digits and underscores are sure to continue the candidate. The
    machine takes off what it passes over without :meth:`push`, and clears it when the candidate is
    over.
    """

    def begin(self) -> None:
        """Forget everything: the head of a new candidate has arrived."""

    def push(self, text: str) -> int:
        """Take from the start of ``text`` the longest run with which the candidate may still become
        a marker; return the index after it. An index short of the end means that the character
        there cannot continue the candidate. No text holds the sign that starts or ends a marker.
        """


class SignDialect(Dialect, Protocol):
    """A syntax of private signs that the machine for one such dialect can read."""

    @property
    def head(self) -> str:
        """The characters that every marker begins with. The first of them opens a candidate and
        is nowhere else in a marker; nothing is held back before it.
        """

    @property
    def end(self) -> str:
        """The character that every marker ends with; it is nowhere else in one."""

    def follower(self) -> Follower:
        """Return a follower without a candidate: there is no room in it yet."""

    def entries(self, candidate: str) -> Named:
        """Return ``(source id, locator, undecided)`` for each source that a candidate names.

        They are in text order. ``undecided`` are the later fields from the first on that may be a
        source or a locator (:mod:`citestream.citations.fields`); only the last entry has any. The
        candidate has come to its end, which is left off. One that names no source has failed.
        """

    def residue(self, candidate: str, following: str) -> str:
        """Return the words that stay when a failed candidate is dropped.

        ``following`` is the character that could not continue it, "" at the end of the text.
        """


class NothingKnown:
    """What is known where no source exists."""

    id_lengths: Collection[int] = ()

    def __call__(self, _key: str) -> bool:
        """Return False: there is no source."""
        return False

    def is_id(self, _key: str) -> bool:
        """Return False: there is no part."""
        return False

    def begins_id(self, _text: str) -> bool:
        """Return False: there is no part."""
        return False


nothing_known: Final = NothingKnown()
