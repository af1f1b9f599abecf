"""The way back: a clean text and its citations become the raw answer of a model again.

Lives here: where a marker is put, and the proof that it is read there. How one is spelled is in
:mod:`citestream.citations.spelling`.
"""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, Protocol, TypeAlias

from citestream.citations.dialects import Template, template_of
from citestream.citations.engine import Engine
from citestream.citations.fields import read_fields
from citestream.citations.finding import find_markers
from citestream.citations.known import KnownSources
from citestream.citations.options import EngineOptions
from citestream.citations.snapping import inside_word, punctuation_run
from citestream.citations.spelling import spell
from citestream.parts.text import replace_surrogates


class MarkerInputError(ValueError):
    """Something that no marker can be written for; the message is the field, ``:`` and the rule."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.field = message.partition(":")[0]
        """The field of the input, such as ``citations.1.offset``."""


DialectName: TypeAlias = str | Template | Mapping[str, Any]
"""The name of a dialect, or a template: ``open``, ``close``, and ``separator`` if there is one."""


class Cited(Protocol):
    """A citation: which part, where in the clean text (code points), and where in the part."""

    @property
    def data_part_id(self) -> str:
        """The id of the part."""

    @property
    def offset(self) -> int:
        """Code points of the clean text before it."""

    @property
    def locator(self) -> str:
        """A place in the part, "" for all of it."""


class _Placed(NamedTuple):
    key: str
    """What the marker names: the id, or the number of a source."""
    offset: int
    locator: str
    number: int
    """Which of the citations it is, for an error."""


def restore_markers(
    text: str,
    citations: Iterable[Cited | Mapping[str, Any]],
    dialect: DialectName = "guide",
    numbers: Mapping[str, int] | None = None,
) -> str:
    """Return the raw text that has one marker for each citation, at its offset.

    A citation is an object or a mapping with ``data_part_id``, ``offset`` (code points of ``text``)
    and ``locator``; those of one place keep their order. ``numbers`` gives the source numbers of
    parts, for the dialect "numbers"; an id that is a number itself needs none. Reading the result
    gives the same text and the same citations, an offset before closing punctuation snapped past
    it. Raises :class:`MarkerInputError`, a ``ValueError``, where that cannot be: an offset beyond
    the text, an id or a locator that the dialect cannot spell, a place where no marker is read
    (code, or ``[1]`` before ``(``), or a text that holds a whole marker of its own.
    """
    name = checked_dialect(dialect)
    text = replace_surrogates(text)
    placed = sorted(
        (_placed(one, number, name, numbers or {}) for number, one in enumerate(citations)),
        key=lambda one: one.offset,
    )
    for one in placed:
        if not 0 <= one.offset <= len(text):
            raise MarkerInputError(f"citations.{one.number}.offset: outside of the text")
    raw, _ = _written(text, placed, name)
    _prove(raw, name, text, placed)
    return raw


def restore_readable(
    text: str,
    citations: Iterable[Cited | Mapping[str, Any]],
    dialect: DialectName = "guide",
    numbers: Mapping[str, int] | None = None,
) -> str:
    """Return the same as :func:`restore_markers` without the citations that cannot be spelled.

    Nothing is refused but a dialect that is none: where no marker can be put into the text, it is
    returned as it is.
    """
    name = checked_dialect(dialect)
    text = replace_surrogates(text)
    placed = [
        one
        for number, cited in enumerate(citations)
        if 0 <= (one := _placed(cited, number, name, numbers or {})).offset <= len(text)
        and _is_spelled(one, name)
    ]
    placed.sort(key=lambda one: one.offset)
    while placed:
        raw, spans = _written(text, placed, name)
        found = {
            (start, end)
            for start, end, _ in find_markers(raw, name, known_ids(one.key for one in placed))
        }
        read = [one for one, span in zip(placed, spans, strict=True) if span in found]
        if len(read) == len(placed):
            try:
                _prove(raw, name, text, placed)
            except MarkerInputError:
                break
            return raw
        placed = read
    return text


def _is_spelled(one: _Placed, dialect: str | Template) -> bool:
    """Tell whether the dialect has a marker for it at all."""
    alone = [one._replace(offset=0)]
    try:
        _prove(_written("", alone, dialect)[0], dialect, "", alone)
    except MarkerInputError:
        return False
    return True


def _written(
    text: str, placed: list[_Placed], dialect: str | Template
) -> tuple[str, list[tuple[int, int]]]:
    """Return the text with its markers, and where each of them is."""
    pieces: list[str] = []
    spans: list[tuple[int, int]] = []
    reached = added = 0
    for one in placed:
        try:
            marker = spell(dialect, one.key, one.locator)
        except ValueError as error:
            raise MarkerInputError(f"citations.{one.number}.{error}") from None
        pieces += (text[reached : one.offset], marker)
        reached = one.offset
        spans.append((reached + added, reached + added + len(marker)))
        added += len(marker)
    return "".join(pieces) + text[reached:], spans


def checked_dialect(dialect: DialectName) -> str | Template:
    """Return the one dialect that is named; raise :class:`MarkerInputError` for anything else."""
    try:
        if isinstance(dialect, Mapping):
            dialect = template_of(dialect)
        if isinstance(dialect, str | Template):
            EngineOptions(dialect=dialect)
            return dialect
    except ValueError as error:
        raise MarkerInputError(str(error)) from None
    raise MarkerInputError("dialect: must be one name or one template")


def _placed(
    one: Cited | Mapping[str, Any], number: int, dialect: str | Template, numbers: Mapping[str, int]
) -> _Placed:
    if isinstance(one, Mapping):
        source_id, offset, locator = one["data_part_id"], one["offset"], one.get("locator", "")
    else:
        source_id, offset, locator = one.data_part_id, one.offset, one.locator
    if dialect == "numbers":
        source_id = str(numbers.get(source_id, source_id))
    return _Placed(source_id, offset, locator, number)


def _prove(raw: str, dialect: str | Template, text: str, placed: list[_Placed]) -> None:
    """Raise ``ValueError`` unless reading ``raw`` gives the text and what was placed in it."""
    known = known_ids(one.key for one in placed)
    engine = Engine(EngineOptions(dialect=dialect, numbers="strip"), known)
    shown = engine.feed(raw) + engine.finish()
    read = [
        (source_id, entry.offset, locator)
        for entry in engine.take()
        for source_id, locator in read_fields(
            entry.source_id, entry.locator, entry.undecided, known.is_id
        )
        or ()
    ]
    for one, got in zip(placed, read, strict=False):
        if got != (one.key, _snapped(text, one.offset), one.locator):
            raise MarkerInputError(
                f"citations.{one.number}: the dialect has no marker for it that is read there"
            )
    if shown != text or len(read) != len(placed):
        raise MarkerInputError(
            "text: holds a marker of its own, or a place where no marker of the dialect is read"
        )


def known_ids(ids: Iterable[str]) -> KnownSources:
    """Return what is known where the parts are those of ``ids`` for good."""
    distinct = frozenset(ids)
    known = KnownSources()
    for one in distinct:
        known.add(one)
    return known


def _snapped(text: str, offset: int) -> int:
    run = punctuation_run(text[offset : offset + 1]) and punctuation_run(text[offset:])
    end = offset + run
    if run == 1 and inside_word(text[offset - 1 : offset], text[offset], text[end : end + 1]):
        return offset
    return end
