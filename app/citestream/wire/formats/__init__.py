"""Stream formats: one format a file, one line in this table.

A format knows the events of a turn and how its bytes look. It is free of I/O and must not know who
sends or reads the bytes.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from citestream.wire.formats.a2a import A2A, A2A_OLD
from citestream.wire.formats.ag_ui import AG_UI
from citestream.wire.formats.anthropic import ANTHROPIC
from citestream.wire.formats.clean_text import View
from citestream.wire.formats.format import Filter, Format, PassedOn, Reader, Writer
from citestream.wire.formats.gemini import GEMINI
from citestream.wire.formats.native import NATIVE
from citestream.wire.formats.openai_chat import OPENAI_CHAT
from citestream.wire.formats.openai_responses import OPENAI_RESPONSES
from citestream.wire.formats.vendor_reader import MixedReader
from citestream.wire.formats.vercel_ai import VERCEL_AI

_TABLE: Final = (
    *(NATIVE, OPENAI_CHAT, OPENAI_RESPONSES, ANTHROPIC, GEMINI),
    *(VERCEL_AI, AG_UI, A2A, A2A_OLD),
)
FORMATS: Final[Mapping[str, Format]] = MappingProxyType({one.name: one for one in _TABLE})

__all__ = [
    "FORMATS",
    "NATIVE",
    "Filter",
    "Format",
    "MixedReader",
    "PassedOn",
    "Reader",
    "View",
    "Writer",
]
