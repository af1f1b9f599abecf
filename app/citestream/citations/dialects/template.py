"""A dialect of the caller's own: an opener, a closer, and what separates the fields.

Lives here: what a template may be, and how its markers are followed. What the fields mean is
``guide``'s.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, Final

from citestream.citations.dialects.dialect import Known, Recogniser
from citestream.citations.dialects.fields import Fields
from citestream.citations.dialects.grammar import CONTROLS
from citestream.citations.dialects.guide import MAX_FIELD, MAX_FIELDS, SourcesRecogniser
from citestream.parts.text import SIGNS

MAX_MARKER: Final = 1024
"""Code points of a marker at most."""
MAX_SIGN: Final = 64
"""Code points of ``open`` and of ``close`` at most."""
MAX_SEPARATOR: Final = 8
_REFUSED: Final = re.compile(f"[{CONTROLS}`{SIGNS}\ud800-\udfff]")
_WORD: Final = re.compile("[A-Za-z0-9]")
_FIELDS: Final = {"open": MAX_SIGN, "close": MAX_SIGN, "separator": MAX_SEPARATOR}
"""The fields of a template's JSON object, and the code points of each at most."""


class _TemplateRecogniser(SourcesRecogniser):
    __slots__ = ("heads",)

    def __init__(self, fields: Fields, opener: str) -> None:
        super().__init__(fields)
        self.heads = (opener,)


@dataclass(frozen=True, slots=True)
class Template:
    """A dialect of the caller's own, such as ``[[cite:a|/x]]``.

    ``opener`` and ``closer`` (``open`` and ``close`` in JSON) have 1 to 64 characters,
    ``separator`` 0 to 8 (none: a marker has one field). None of them holds a control character, a
    backtick or one of the signs U+E200 to U+E202, begins or ends with a blank, or contains another;
    ``opener`` does not begin with a letter or digit. Raises ``ValueError``, which names the field,
    for anything else.
    """

    opener: str
    closer: str
    separator: str = ""

    stray_signs: ClassVar[str] = ""

    def __post_init__(self) -> None:
        signs = dict(zip(_FIELDS, (self.opener, self.closer, self.separator), strict=True))
        for name, sign in signs.items():
            _check(name, sign)
        for name, sign in signs.items():
            others = [other for key, other in signs.items() if key != name and other]
            if sign and any(sign in other for other in others):
                raise ValueError(f"dialect.{name}: must not be contained in another")
        if _WORD.match(self.opener):
            raise ValueError("dialect.open: must not begin with a letter or digit")

    @property
    def name(self) -> str:
        """The opener, as templates have no name."""
        return self.opener

    def recogniser(self, _known: Known) -> Recogniser:
        """Return a recogniser for one answer."""
        return _TemplateRecogniser(_fields(self), self.opener)

    def as_json(self) -> dict[str, str]:
        """Return the template as a JSON object: ``open``, ``close``, and ``separator`` if any."""
        template = {"open": self.opener, "close": self.closer}
        return {**template, "separator": self.separator} if self.separator else template


@lru_cache(maxsize=64)
def _fields(template: Template) -> Fields:
    return Fields(
        opener=tuple(template.opener),
        separator=tuple(template.separator),
        closer=tuple(template.closer),
        bound=MAX_MARKER,
        most_fields=MAX_FIELDS,
        longest_field=MAX_FIELD,
        counted=len(template.opener),
    )


def _check(name: str, sign: object) -> None:
    least, most = int(name != "separator"), _FIELDS[name]
    if not isinstance(sign, str) or not least <= len(sign) <= most:
        raise ValueError(f"dialect.{name}: must have {least} to {most} characters")
    if _REFUSED.search(sign):
        raise ValueError(
            f"dialect.{name}: must hold no control character, backtick or citation sign"
        )
    if sign.strip(" ") != sign:
        raise ValueError(f"dialect.{name}: must not begin or end with a blank")


def template_of(value: Mapping[str, Any]) -> Template:
    """Return the template that a JSON object describes.

    Raises ``ValueError`` for a field that is missing, unknown or not what it may be.
    """
    for name in ("open", "close"):
        if name not in value:
            raise ValueError(f"dialect.{name}: required")
    if set(value) - set(_FIELDS):
        raise ValueError(f"dialect: unknown field; known fields: {', '.join(_FIELDS)}")
    return Template(value["open"], value["close"], value.get("separator", ""))
