"""Dialects: one marker syntax a file, one line in this table.

A dialect recognises a marker, names the sources in it, and says what is left of a broken one. It
must not know text, offsets or streams: those are the engine's, the same for every dialect.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from citestream.citations.dialects.dialect import Dialect, Recogniser
from citestream.citations.dialects.guide import GUIDE

DIALECTS: Final[Mapping[str, Dialect]] = MappingProxyType({GUIDE.name: GUIDE})

__all__ = ["DIALECTS", "GUIDE", "Dialect", "Recogniser"]
