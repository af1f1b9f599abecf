"""Problems: what a caller learns whose input cannot be taken (RFC 9457).

Lives here: the types of problems, and the table from an error of the rooms below to a problem. A
problem names the field and the limit, never what was sent. Must not know HTTP: the status of each
type is in ``api/transport/problems``.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from citestream.parts import PartConflictError, PartError
from citestream.turns import TurnOrderError, TurnOverflowError
from citestream.wire.input.errors import INPUT_ERRORS, FieldProblem, InputError
from citestream.wire.json_text import JsonInputError, JsonSizeError
from citestream.wire.ndjson import LineTooLongError


@dataclass(frozen=True, slots=True)
class ProblemType:
    """A type of problems (RFC 9457). ``slug`` is stable and ends its URN."""

    slug: str
    title: str

    @property
    def urn(self) -> str:
        """The member ``type`` of a problem object."""
        return f"urn:citestream:problem:{self.slug}"


MALFORMED_JSON: Final = ProblemType("malformed-json", "Malformed JSON")
INVALID_INPUT: Final = ProblemType("invalid-input", "Invalid request field")
PART_CONFLICT: Final = ProblemType("part-conflict", "Part id already used")
EVENT_ORDER: Final = ProblemType("event-order", "Event out of order")
BODY_TIMEOUT: Final = ProblemType("body-timeout", "Request body timed out")
TOO_LARGE: Final = ProblemType("too-large", "Input too large")
MEDIA_TYPE: Final = ProblemType("media-type", "Unsupported media type")
BAD_CURSOR: Final = ProblemType("bad-cursor", "Invalid Last-Event-ID")
CURSOR_AHEAD: Final = ProblemType("cursor-ahead", "Last-Event-ID is ahead of the stream")
OUT_OF_STEP: Final = ProblemType("out-of-step", "Push out of sequence")
ENDED: Final = ProblemType("turn-ended", "The turn has ended")
MESSAGE_CONFLICT: Final = ProblemType("message-conflict", "Message id already used")
EXISTS: Final = ProblemType("exists", "The turn already exists")
KEY_REUSED: Final = ProblemType("key-reused", "Idempotency-Key already used")
CURSOR_GONE: Final = ProblemType("cursor-gone", "Events no longer available")
STORE_FULL: Final = ProblemType("storage-full", "Storage is full")
STORE_BUSY: Final = ProblemType("storage-busy", "Storage is unavailable")
NOT_FOUND: Final = ProblemType("not-found", "Not found")
METHOD: Final = ProblemType("method-not-allowed", "Method not allowed")
BAD_REQUEST: Final = ProblemType("bad-request", "Bad request")
FORBIDDEN: Final = ProblemType("forbidden", "Not allowed from this page or proxy")
MISDIRECTED: Final = ProblemType("misdirected", "Not a host name of this service")
INTERNAL: Final = ProblemType("internal", "Internal server error")
NOT_READY: Final = ProblemType("not-ready", "The service is not ready")


class Problem(Exception):  # noqa: N818 - it is called a problem
    """A problem on its way to the caller."""

    def __init__(
        self,
        type_: ProblemType,
        detail: str,
        fields: tuple[FieldProblem, ...] = (),
        headers: Mapping[str, str] | None = None,
        **extra: int,
    ) -> None:
        super().__init__(detail)
        self.type = type_
        self.detail = detail
        self.fields = fields
        self.headers = dict(headers or {})
        self.extra = extra
        """Further members of the problem object: numbers a program can act on."""


_TYPES: Final[tuple[tuple[type[ValueError], ProblemType], ...]] = (
    (InputError, INVALID_INPUT),
    (JsonSizeError, TOO_LARGE),
    (JsonInputError, MALFORMED_JSON),
    (LineTooLongError, TOO_LARGE),
    (PartConflictError, PART_CONFLICT),
    (TurnOrderError, EVENT_ORDER),
    (TurnOverflowError, TOO_LARGE),
    (PartError, INVALID_INPUT),
)


def problem_of(error: ValueError, where: str = "", **extra: int) -> Problem:
    """Return the problem for an error out of :data:`INPUT_ERRORS`; ``where`` goes before it."""
    found = next(
        (found for error_type, found in _TYPES if isinstance(error, error_type)), INVALID_INPUT
    )
    fields: tuple[FieldProblem, ...] = ()
    if isinstance(error, InputError):
        fields = tuple(error.problems)
    elif isinstance(error, PartError) and found is INVALID_INPUT:
        field, _, rule = str(error).partition(": ")
        fields = (FieldProblem(where + field, rule),)
    return Problem(found, f"{where}{error}", fields, None, **extra)


@contextmanager
def refused_as(where: str) -> Iterator[None]:
    """Turn a refusal of the input into a problem that names its place."""
    try:
        yield
    except INPUT_ERRORS as error:
        raise problem_of(error, where) from None
