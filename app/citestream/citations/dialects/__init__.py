"""Dialects: one marker syntax a file, one line in this table.

A dialect recognises a marker, names the sources in it, and says what is left of a broken one. It
must not know text, offsets or streams: those are the engine's, the same for every dialect.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from citestream.citations.dialects.bare_residue import BARE_RESIDUE
from citestream.citations.dialects.chatgpt import CHATGPT
from citestream.citations.dialects.dialect import (
    FAILED,
    OPEN,
    Before,
    Dialect,
    Known,
    Marker,
    Named,
    Recogniser,
    SignDialect,
    nothing_known,
)
from citestream.citations.dialects.escaped import ESCAPED
from citestream.citations.dialects.guide import GUIDE
from citestream.citations.dialects.lenticular import LENTICULAR
from citestream.citations.dialects.numbers import NUMBERS, STRIPPED_NUMBERS
from citestream.citations.dialects.tags import TAGS
from citestream.citations.dialects.template import Template, template_of

DIALECTS: Final[Mapping[str, Dialect]] = MappingProxyType(
    {dialect.name: dialect for dialect in (GUIDE, CHATGPT, LENTICULAR, NUMBERS, TAGS, ESCAPED)}
)
"""The dialects that have a name; a template is made by the caller."""

__all__ = [
    "BARE_RESIDUE",
    "CHATGPT",
    "DIALECTS",
    "FAILED",
    "GUIDE",
    "NUMBERS",
    "OPEN",
    "STRIPPED_NUMBERS",
    "Before",
    "Dialect",
    "Known",
    "Marker",
    "Named",
    "Recogniser",
    "SignDialect",
    "Template",
    "nothing_known",
    "template_of",
]
