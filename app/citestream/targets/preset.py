"""The preset of a product as a value: its scheme, its table tool × source → kind, its own kinds.

What a row's kind does with a source is not known here, nor how a preset is written in a file.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import unquote

from citestream.targets.declared import DeclaredKind
from citestream.targets.links import LinkTemplate

DOCUMENT_KINDS: Final = frozenset({"tax_reference", "card_document", "mortgage_reference"})


@dataclass(frozen=True, slots=True)
class PathRow:
    """One row for a path of the internal scheme: `path`, then what `blank` stands for."""

    path: str
    blank: str
    kind: str

    def tail(self, path: str) -> str | None:
        """Return what `blank` stands for in `path`, or None when the row does not fit."""
        if not path.startswith(self.path):
            return None
        tail = path[len(self.path) :]
        if self.blank == "<ticker>":
            return tail
        return tail if bool(tail) == bool(self.blank) else None


@dataclass(frozen=True, slots=True)
class DeclaredRow:
    """One row for paths whose kind the preset declares.

    `segments` are the segments of the path in order, a field's name in angle brackets for one that
    is read; `<path>`, always the last, is all that is left.
    """

    segments: tuple[str, ...]
    kind: DeclaredKind

    def fields(self, path: str) -> Mapping[str, object] | None:
        """Return the fields that `path` has, percent-decoded; None when the row does not fit.

        A field that is not UTF-8 stays bytes, which no field may be: with a replacement character
        two of them would look alike.
        """
        count = len(self.segments)
        found = path.split("/", count - 1 if self.segments[-1] == "<path>" else count)
        if len(found) != count:
            return None
        fields: dict[str, object] = {}
        for segment, value in zip(self.segments, found, strict=True):
            if segment[:1] != "<":
                if segment != value:
                    return None
            elif value:
                fields[segment[1:-1]] = _decoded(value)
            else:
                return None
        return fields


def _decoded(value: str) -> str | bytes:
    try:
        return unquote(value, errors="strict")
    except UnicodeDecodeError:
        return value.encode()


@dataclass(frozen=True, slots=True)
class ToolTable:
    """The rows of one tool: the kind of an address, if any, and the paths in file order."""

    address_kind: str | None = None
    paths: tuple[PathRow | DeclaredRow, ...] = ()


@dataclass(frozen=True, slots=True)
class Preset:
    """What one product's sources mean.

    `label_folder` is the path before an account's slug. `kinds` are the declared kinds and `links`
    the templates of links, both by the name of a kind. `digest` tells presets apart: SHA-256 in
    hexadecimal of what the file says about targets.
    """

    scheme: str
    tools: Mapping[str, ToolTable]
    label_folder: str | None
    kinds: Mapping[str, DeclaredKind] = field(default_factory=dict)
    links: Mapping[str, LinkTemplate] = field(default_factory=dict)
    digest: str = field(default="", compare=False)
