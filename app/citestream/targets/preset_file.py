"""The file of a preset: TOML with one row a line, so that every mistake has a line.

The text is passed in, this file opens nothing. What a row's kind does with a source is not known
here.
"""

import json
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Final

from citestream.targets.declared import DeclaredField, DeclaredKind
from citestream.targets.kinds import BUILT_IN_KINDS
from citestream.targets.links import LinkTemplate, link_template
from citestream.targets.preset import (
    DOCUMENT_KINDS,
    DeclaredRow,
    PathRow,
    Preset,
    ToolTable,
)

# Which kinds may follow which pattern; the empty one is a path written out.
_KINDS: Final[Mapping[str, frozenset[str]]] = {
    "<url>": DOCUMENT_KINDS | {"web"},
    "<label>": frozenset({"account"}),
    "<ticker>": frozenset({"market_data"}),
    "<path>": DOCUMENT_KINDS | {"analysis", "portfolio"},
    "": DOCUMENT_KINDS | {"analysis", "portfolio"},
}
# The fields that a link may have as blanks. A provider is for routing alone and never shown.
_LINK_FIELDS: Final[Mapping[str, frozenset[str]]] = {
    **dict.fromkeys(BUILT_IN_KINDS, frozenset[str]()),
    **dict.fromkeys(DOCUMENT_KINDS | {"web"}, frozenset({"url"})),
    "market_data": frozenset({"ticker"}),
    "account": frozenset({"accountId"}),
}
_SCHEME: Final = re.compile(r"(?!https?\Z)[a-z][a-z0-9+.-]*")  # RFC 3986, lower case
_PATTERN: Final = re.compile(r"<url>|([^\s<>/][^\s<>]*/)(<label>|<ticker>|<path>)|[^\s<>/][^\s<>]*")
_KIND_NAME: Final = re.compile(r"[a-z][a-z0-9_]*")
_FIELD_NAME: Final = re.compile(r"(?!kind\Z)[A-Za-z][A-Za-z0-9_-]*")
_FIELD_TYPE: Final = re.compile(r"(string|url)(\??)")
_SEGMENT: Final = re.compile(r"<[A-Za-z][A-Za-z0-9_-]*>|[^\s<>]*")


class PresetError(ValueError):
    """A preset file is wrong; `line` (from 1) says where, `problem` what."""

    def __init__(self, line: int, problem: str) -> None:
        super().__init__(f"line {line}: {problem}")
        self.line = line
        self.problem = problem


def load_preset(text: str) -> Preset:
    """Read the text of a preset file; raises PresetError with the first line that is wrong.

    A byte order mark before the text is skipped.
    """
    reader = _Reader()
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
    for number, line in enumerate(lines, start=1):
        problem = reader.line(number, line)
        if problem:
            raise PresetError(number, problem)
    if reader.scheme is None:
        raise PresetError(len(lines), "the file ends without a scheme")
    return Preset(
        scheme=reader.scheme,
        tools={
            name: ToolTable(tool.address_kind, tuple(tool.paths))
            for name, tool in reader.tools.items()
        },
        label_folder=reader.label_folder,
        kinds=reader.declared(),
        links=reader.checked_links(),
        digest=sha256(json.dumps(reader.entries).encode()).hexdigest(),
    )


@dataclass(slots=True)
class _Tool:
    """The rows of one tool as read so far."""

    address_kind: str | None = None
    paths: list[PathRow | DeclaredRow] = field(default_factory=list)
    patterns: set[str] = field(default_factory=set)


class _Reader:
    """The file as read so far. Its methods return what is wrong with a line, or None."""

    def __init__(self) -> None:
        self.scheme: str | None = None
        self.label_folder: str | None = None
        self.tools: dict[str, _Tool] = {}
        self.entries: list[dict[str, object]] = []
        """What says how sources are typed, line by line: no comments, no links."""
        self._fields: dict[str, dict[str, DeclaredField]] = {}
        self._kinds: dict[str, DeclaredKind] | None = None
        self._links: dict[str, tuple[int, LinkTemplate]] = {}
        self._kind: dict[str, DeclaredField] | None = None
        self._tool: _Tool | None = None

    def line(self, number: int, line: str) -> str | None:
        try:
            entry = tomllib.loads(line)
        except (ValueError, RecursionError):
            return "neither `[tool]` nor `pattern = kind` in TOML, whole on one line"
        header = line.lstrip().startswith("[")
        if entry and "link" not in entry:
            self.entries.append(entry)
        for key, value in entry.items():
            if header:
                return self._header(key, value)
            if self._tool is not None:
                return self._row(self._tool, key, value)
            if self._kind is not None:
                return self._field(self._kind, key, value)
            return self._setting(number, key, value)
        return None

    def declared(self) -> dict[str, DeclaredKind]:
        """Return the declared kinds; none may be declared afterwards."""
        if self._kinds is None:
            self._kinds = {
                name: DeclaredKind(name, tuple(fields.values()))
                for name, fields in self._fields.items()
            }
        return self._kinds

    def checked_links(self) -> dict[str, LinkTemplate]:
        """Return the templates of links; raises PresetError for a kind or field that is unknown."""
        for kind, (number, template) in self._links.items():
            known = _LINK_FIELDS.get(kind, frozenset(self._fields.get(kind, ())))
            if kind not in _LINK_FIELDS and kind not in self._fields:
                raise PresetError(number, "the kind of a link must be one of S3 or declared below")
            if not known.issuperset(template.field_names()):
                allowed = ", ".join(f"<{name}>" for name in sorted(known)) or "none"
                raise PresetError(number, f"the blanks of this link may be: {allowed}")
        return {kind: template for kind, (_, template) in self._links.items()}

    # -- settings and headers ---------------------------------------------------------------------

    def _setting(self, number: int, key: str, value: object) -> str | None:
        if key == "link" and isinstance(value, dict):
            return next((self._link(number, kind, text) for kind, text in value.items()), None)
        if key != "scheme" or self.scheme is not None:
            return "only one scheme and links may be set before the first kind or tool"
        if not isinstance(value, str):
            return "the value must be a string"
        if not _SCHEME.fullmatch(value):
            return "the scheme must be lower case (RFC 3986) and neither http nor https"
        self.scheme = value
        return None

    def _link(self, number: int, kind: str, text: object) -> str | None:
        template = link_template(text) if isinstance(text, str) else None
        if template is None:
            return "a link must be a path that begins with / or an http or https address"
        if kind in self._links:
            return "this link is given twice"
        self._links[kind] = (number, template)
        return None

    def _header(self, name: str, value: object) -> str | None:
        if self.scheme is None:
            return "the scheme must be set before the first kind or tool"
        if name == "kind" and isinstance(value, dict) and value:
            return next((self._kind_header(kind, inner) for kind, inner in value.items()), None)
        if value != {}:
            return "a tool's name holds a dot (quote it) or is in double brackets"
        if name in self.tools:
            return "this tool is given twice"
        self._kind, self._tool = None, _Tool()
        self.tools[name] = self._tool
        return None

    def _kind_header(self, name: str, inner: object) -> str | None:
        if self.tools:
            return "kinds must be declared before the first tool"
        if inner != {} or not _KIND_NAME.fullmatch(name):
            return "a kind's name is a lower-case letter, then lower-case letters, digits or _"
        if name in BUILT_IN_KINDS:
            return "this kind is one that every product has"
        if name in self._fields:
            return "this kind is declared twice"
        self._kind = self._fields[name] = {}
        return None

    # -- fields and rows --------------------------------------------------------------------------

    def _field(self, kind: dict[str, DeclaredField], name: str, value: object) -> str | None:
        if not _FIELD_NAME.fullmatch(name):
            return "a field's name is a letter, then letters, digits, _ or -, and not `kind`"
        declared = _FIELD_TYPE.fullmatch(value) if isinstance(value, str) else None
        if declared is None:
            return 'a field must be "string", "string?", "url" or "url?"'
        if name in kind:
            return "this field is declared twice"
        kind[name] = DeclaredField(
            name, "url" if declared[1] == "url" else "string", nullable=bool(declared[2])
        )
        return None

    def _row(self, tool: _Tool, key: str, value: object) -> str | None:
        if not isinstance(value, str):
            return "the value must be a string"
        kind = self.declared().get(value)
        problem = (
            self._declared_row(tool, key, kind) if kind else self._built_in_row(tool, key, value)
        )
        if problem is None and key in tool.patterns:
            return "this pattern is given twice"
        tool.patterns.add(key)
        return problem

    def _built_in_row(self, tool: _Tool, key: str, kind: str) -> str | None:
        pattern = _PATTERN.fullmatch(key)
        if pattern is None:
            return "the pattern must be <url>, a path, or a folder with <label>, <ticker> or <path>"
        blank = "<url>" if key == "<url>" else pattern[2] or ""
        if kind not in _KINDS[blank]:
            return f"the kind must be one of {', '.join(sorted(_KINDS[blank] | set(self._fields)))}"
        if blank == "<label>":
            if self.label_folder not in (None, pattern[1]):
                return "labels are in one folder, and another is named above"
            self.label_folder = pattern[1]
        if blank == "<url>":
            tool.address_kind = kind
        else:
            path, bracket, name = key.partition("<")
            tool.paths.append(PathRow(path, bracket + name, kind))
        return None

    def _declared_row(self, tool: _Tool, key: str, kind: DeclaredKind) -> str | None:
        segments = tuple(key.split("/"))
        blanks = [segment[1:-1] for segment in segments if segment[:1] == "<"]
        if not segments[0] or not all(map(_SEGMENT.fullmatch, segments)):
            return "the pattern must be <url> or a path in which each <field> is a whole segment"
        if not {field.name for field in kind.fields}.issuperset(blanks):
            return "each <field> of the pattern must be a field of its kind"
        if len(set(blanks)) < len(blanks):
            return "each <field> may be in the pattern once"
        if "url" in blanks and len(segments) > 1:
            return "<url> is the whole pattern"
        if "<path>" in segments[:-1]:
            return "<path> is the end of the pattern"
        if key == "<url>":
            tool.address_kind = kind.name
        else:
            tool.paths.append(DeclaredRow(segments, kind))
        return None
