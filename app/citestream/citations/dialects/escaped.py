"""The dialect ``escaped``: ``guide`` with each sign spelled by six characters, ``\\ue200``.

Lives here: that spelling. What the fields mean is ``guide``'s.
"""

from typing import Final

from citestream.citations.dialects.dialect import Known, Recogniser
from citestream.citations.dialects.fields import Fields, Spelling
from citestream.citations.dialects.guide import (
    FAMILY,
    MAX_FIELD,
    MAX_FIELDS,
    MAX_MARKER,
    SourcesRecogniser,
)
from citestream.parts.text import DELIM, START, STOP


def _spelled(sign: str) -> Spelling:
    """Return the escape of a sign; its hexadecimal digits may be in either case."""
    digits = f"{ord(sign):04x}"
    return ("\\", "u", *(digit + digit.upper() if digit.isalpha() else digit for digit in digits))


_FIELDS: Final = Fields(
    opener=(*_spelled(START), *FAMILY, *_spelled(DELIM)),
    separator=_spelled(DELIM),
    closer=_spelled(STOP),
    bound=MAX_MARKER,
    most_fields=MAX_FIELDS,
    longest_field=MAX_FIELD,
    counted=len(_spelled(START)),
    refused="\\",
)


class _EscapedRecogniser(SourcesRecogniser):
    __slots__ = ()

    heads = ("\\ue200", "\\uE200")

    def __init__(self) -> None:
        super().__init__(_FIELDS)


class _Escaped:
    name: Final = "escaped"
    stray_signs: Final = ""

    def recogniser(self, _known: Known) -> Recogniser:
        return _EscapedRecogniser()


ESCAPED: Final = _Escaped()
