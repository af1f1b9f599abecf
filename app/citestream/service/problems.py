"""Problems: what is told to a caller whose input cannot be taken (RFC 9457).

Lives here: the table from an error of the rooms below to a problem. A problem names the field and
the limit, never what was sent.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from citestream.parts import PartConflictError, PartError
from citestream.turns import TurnOrderError, TurnOverflowError
from citestream.wire.input.errors import FieldProblem, InputError
from citestream.wire.json_text import JsonInputError
from citestream.wire.ndjson import LineTooLongError


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of problem; ``slug`` is stable and ends its ``type``."""

    slug: str
    title: str
    status: int

    @property
    def type(self) -> str:
        """The problem's ``type``, a URN."""
        return f"urn:citestream:problem:{self.slug}"


MALFORMED_JSON: Final = Kind("malformed-json", "The body is not acceptable JSON", 400)
INVALID_INPUT: Final = Kind("invalid-input", "A field of the input is not what it may be", 422)
PART_CONFLICT: Final = Kind("part-conflict", "A part id was given again with other data", 409)
EVENT_ORDER: Final = Kind("event-order", "An event came where it may not stand", 422)
BODY_TIMEOUT: Final = Kind("body-timeout", "The request body did not arrive in time", 408)
TOO_LARGE: Final = Kind("too-large", "The input is larger than it may be", 413)
MEDIA_TYPE: Final = Kind("media-type", "The body has a type or encoding that is not read", 415)
BAD_CURSOR: Final = Kind("bad-cursor", "Last-Event-ID is not an event id", 400)
CURSOR_AHEAD: Final = Kind("cursor-ahead", "Last-Event-ID is ahead of the stream", 409)
OUT_OF_STEP: Final = Kind("out-of-step", "The push does not follow what is stored", 409)
ENDED: Final = Kind("turn-ended", "The turn has ended", 409)
MESSAGE_CONFLICT: Final = Kind(
    "message-conflict", "A message id was given again with other content", 409
)
EXISTS: Final = Kind("exists", "There is a turn with this id", 409)
KEY_REUSED: Final = Kind("key-reused", "The Idempotency-Key was used for another request", 422)
CURSOR_GONE: Final = Kind("cursor-gone", "The events behind this id are no longer kept", 410)
STORE_FULL: Final = Kind("storage-full", "There is no room to store anything at the moment", 503)
STORE_BUSY: Final = Kind("storage-busy", "The store cannot be reached at the moment", 503)
NOT_FOUND: Final = Kind("not-found", "There is nothing at this address", 404)
METHOD: Final = Kind("method-not-allowed", "This address does not take this method", 405)
BAD_REQUEST: Final = Kind("bad-request", "The request cannot be read", 400)
FORBIDDEN: Final = Kind("forbidden", "Not allowed from this page or proxy", 403)
MISDIRECTED: Final = Kind("misdirected", "Not a host name of this service", 421)
INTERNAL: Final = Kind("internal", "Something went wrong here; it is not your input", 500)
NOT_READY: Final = Kind("not-ready", "The service takes no new work at the moment", 503)


class Problem(Exception):  # noqa: N818 - it is called a problem
    """A problem on its way to the caller."""

    def __init__(
        self,
        kind: Kind,
        detail: str,
        fields: tuple[FieldProblem, ...] = (),
        headers: Mapping[str, str] | None = None,
        **extra: int,
    ) -> None:
        super().__init__(detail)
        self.kind = kind
        self.detail = detail
        self.fields = fields
        self.headers = dict(headers or {})
        self.extra = extra
        """Further members of the problem object: numbers a program can act on."""

    def as_json(self) -> dict[str, Any]:
        """Return the problem object."""
        shown: dict[str, Any] = {
            "type": self.kind.type,
            "title": self.kind.title,
            "status": self.kind.status,
            "detail": self.detail,
            **self.extra,
        }
        if self.fields:
            shown["errors"] = [{"field": name, "problem": text} for name, text in self.fields]
        return shown


INPUT_ERRORS: Final = (
    InputError,
    JsonInputError,
    LineTooLongError,
    PartError,
    TurnOrderError,
    TurnOverflowError,
)
"""Everything with which the rooms below refuse a caller's input."""

_KINDS: Final[tuple[tuple[type[ValueError], Kind], ...]] = (
    (InputError, INVALID_INPUT),
    (JsonInputError, MALFORMED_JSON),
    (LineTooLongError, TOO_LARGE),
    (PartConflictError, PART_CONFLICT),
    (TurnOrderError, EVENT_ORDER),
    (TurnOverflowError, TOO_LARGE),
    (PartError, INVALID_INPUT),
)


def problem_of(error: ValueError, where: str = "", **extra: int) -> Problem:
    """Return the problem for an error out of :data:`INPUT_ERRORS`; ``where`` goes before it."""
    kind = next((kind for type_, kind in _KINDS if isinstance(error, type_)), INVALID_INPUT)
    fields: tuple[FieldProblem, ...] = ()
    if isinstance(error, InputError):
        fields = tuple(error.problems)
    elif isinstance(error, PartError) and kind is INVALID_INPUT:
        field, _, rule = str(error).partition(": ")
        fields = (FieldProblem(where + field, rule),)
    return Problem(kind, f"{where}{error}", fields, None, **extra)


@contextmanager
def refused_as(where: str) -> Iterator[None]:
    """Turn a refusal of the input into a problem that names its place."""
    try:
        yield
    except INPUT_ERRORS as error:
        raise problem_of(error, where) from None
