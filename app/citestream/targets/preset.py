"""The preset of a product: its internal scheme and its table tool × source → kind, as a value.

The file is TOML with one row a line, so that every mistake has a line; the text is handed in, this
file opens nothing. What a row's kind does with a source is not known here.
"""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

SHIPPED_PRESET: Final = "silvia.toml"
"""The name of the preset that lies in this package, for whoever loads it."""

DOCUMENT_KINDS: Final = frozenset({"tax_reference", "card_document", "mortgage_reference"})

# Which kinds may stand behind which pattern; the empty one is a path written out.
_KINDS: Final[Mapping[str, frozenset[str]]] = {
    "<url>": DOCUMENT_KINDS | {"web"},
    "<label>": frozenset({"account"}),
    "<ticker>": frozenset({"market_data"}),
    "<path>": DOCUMENT_KINDS | {"analysis", "portfolio"},
    "": DOCUMENT_KINDS | {"analysis", "portfolio"},
}
_SCHEME: Final = re.compile(r"(?!https?\Z)[a-z][a-z0-9+.-]*")  # RFC 3986, lower case
_PATTERN: Final = re.compile(r"<url>|([^\s<>/][^\s<>]*/)(<label>|<ticker>|<path>)|[^\s<>/][^\s<>]*")


class PresetError(ValueError):
    """A preset file is wrong; `line` (from 1) says where, `problem` what."""

    def __init__(self, line: int, problem: str) -> None:
        super().__init__(f"line {line}: {problem}")
        self.line = line
        self.problem = problem


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
class ToolTable:
    """The rows of one tool: the kind of an address, if any, and the paths in file order."""

    address_kind: str | None = None
    paths: tuple[PathRow, ...] = ()


@dataclass(frozen=True, slots=True)
class Preset:
    """What one product's sources mean; `label_folder` is the path before an account's slug."""

    scheme: str
    tools: Mapping[str, ToolTable]
    label_folder: str | None


def load_preset(text: str) -> Preset:
    """Read the text of a preset file; raises PresetError with the first line that is wrong."""
    reader = _Reader()
    lines = text.replace("\r\n", "\n").split("\n")
    for number, line in enumerate(lines, start=1):
        problem = reader.line(line)
        if problem:
            raise PresetError(number, problem)
    if reader.scheme is None:
        raise PresetError(len(lines), "the file ends without a scheme")
    tools = {
        name: ToolTable(rows.pop("<url>", None), tuple(_path_row(*row) for row in rows.items()))
        for name, rows in reader.tools.items()
    }
    return Preset(reader.scheme, tools, reader.label_folder)


def _path_row(pattern: str, kind: str) -> PathRow:
    path, bracket, name = pattern.partition("<")
    return PathRow(path, bracket + name, kind)


class _Reader:
    """The file as read so far. Its methods return what is wrong with a line, or None."""

    def __init__(self) -> None:
        self.scheme: str | None = None
        self.tools: dict[str, dict[str, str]] = {}
        self.label_folder: str | None = None
        self._rows: dict[str, str] | None = None

    def line(self, line: str) -> str | None:
        try:
            entry = tomllib.loads(line)
        except (ValueError, RecursionError):
            return "neither `[tool]` nor `pattern = kind` in TOML, whole on one line"
        read = self._header if line.lstrip().startswith("[") else self._row
        return next((read(key, value) for key, value in entry.items()), None)

    def _header(self, tool: str, value: object) -> str | None:
        if self.scheme is None:
            return "the scheme must stand before the first tool"
        if value != {}:
            return "a tool's name holds a dot (quote it) or stands in double brackets"
        if tool in self.tools:
            return "this tool stands twice"
        self._rows = self.tools[tool] = {}
        return None

    def _row(self, key: str, value: object) -> str | None:
        if not isinstance(value, str):
            return "the value must be a string"
        if self._rows is None:
            return self._setting(key, value)
        pattern = _PATTERN.fullmatch(key)
        if pattern is None:
            return "the pattern must be <url>, a path, or a folder with <label>, <ticker> or <path>"
        blank = "<url>" if key == "<url>" else pattern[2] or ""
        if value not in _KINDS[blank]:
            return f"the kind must be one of {', '.join(sorted(_KINDS[blank]))}"
        if key in self._rows:
            return "this pattern stands twice"
        if blank == "<label>":
            if self.label_folder not in (None, pattern[1]):
                return "labels stand in one folder, and another is named above"
            self.label_folder = pattern[1]
        self._rows[key] = value
        return None

    def _setting(self, key: str, value: str) -> str | None:
        if key != "scheme" or self.scheme is not None:
            return "only one scheme may stand before the first tool"
        if not _SCHEME.fullmatch(value):
            return "the scheme must be lower case (RFC 3986) and neither http nor https"
        self.scheme = value
        return None
