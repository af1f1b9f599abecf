"""The law of the house, as tables: imports run downward, and what acts has its one room.

Imports are read from the source, all of them, also those inside functions and under
``TYPE_CHECKING``. The second half shows that each kind of breach is seen.
"""

import ast
import sys
from collections.abc import Callable, Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

APP = Path(__file__).parents[1] / "app"
FACE = "__init__"

FLOORS = {
    "extras": -1,
    "_version": 0,
    "settings": 0,
    "parts": 0,
    "markdown": 0,
    "citations": 1,
    "claims": 1,
    "sources": 1,
    "targets": 1,
    "context": 1,
    "rendering": 2,
    "turns": 2,
    FACE: 3,
    "wire": 3,
    "stores": 3,
    "adapters": 4,
    "telemetry": 3,
    "service": 4,
    "api": 5,
    "server": 6,
    "main": 6,
    "cli": 7,
}
"""A room (a folder or a file of the package) and its floor; it sees itself and what is below."""

PURE = {room for room, floor in FLOORS.items() if 0 <= floor <= 2} - {"settings"} | {FACE}
"""Values in, values out: no I/O, clock, chance, environment, logging, async; no library."""

LIBRARIES_OF_PURE_ROOMS = {"markdown": {"pyromark"}, "rendering": {"nh3"}}

ACTS = {
    "chance": {"random", "secrets", "uuid"},
    "clock": {"sched", "time"},
    "files": {"fcntl", "glob", "io", "mmap", "pathlib", "shutil", "sqlite3", "tempfile"},
    "logging": {"logging", "warnings"},
    "machine": {"ctypes", "importlib", "locale", "os", "platform", "resource", "signal", "sys"},
    "network": {"http", "select", "selectors", "socket", "socketserver", "ssl", "urllib.request"},
    "waiting": {"asyncio", "concurrent", "multiprocessing", "queue", "subprocess", "threading"},
}
"""What no pure room imports of the standard library, by what it would bring in."""

READS_THE_PACKAGE = {"citestream.targets.shipped": "importlib.resources"}
"""Pure all the same: what a module reads of the package itself is as fixed as its own text."""

KEPT_TO = {
    "citestream.settings": {"main", "cli"},
    "fastapi": {"api", "main"},
    "pydantic_settings": {"settings"},
    "sse_starlette": {"api"},
    "starlette": {"api", "main", "server"},
    "uvicorn": {"server"},
}
"""What only these rooms import. Importing sse_starlette changes how uvicorn stops."""

ENVIRONMENT = {"environ", "environb", "getenv", "getenvb", "putenv", "unsetenv"}

House = Mapping[str, ast.Module]
"""The modules of the package by dotted name; a folder's own module has the folder's name."""


def house_of(sources: Mapping[str, str]) -> House:
    """Parse files, named from the source root (``citestream/parts/ids.py``), into a house."""
    return {
        file.removesuffix(".py").removesuffix("/__init__").replace("/", "."): ast.parse(source)
        for file, source in sources.items()
    }


def room_of(module: str) -> str:
    return module.split(".")[1] if "." in module else FACE


def imports(tree: ast.Module) -> Iterator[str]:
    """Yield the dotted name of everything imported; ``from a import b`` imports ``a.b``."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            origin = "." * node.level + (node.module or "")
            yield from (f"{origin}.{alias.name}" for alias in node.names)


def is_of(name: str, module: str) -> bool:
    return name == module or name.startswith(module + ".")


def room_behind(name: str) -> str:
    """Return the room that an imported name is in: ``citestream.parse`` is of the face."""
    return room_of(name) if room_of(name) in FLOORS else FACE


def house_imports(house: House, module: str) -> Iterator[str]:
    return (name for name in imports(house[module]) if is_of(name, "citestream"))


def homeless(house: House) -> Iterator[str]:
    for module in house:
        if room_of(module) not in FLOORS:
            yield f"{module} is in no room of the table"


def upward(house: House) -> Iterator[str]:
    for module in house:
        room = room_of(module)
        for name in house_imports(house, module):
            other = room_behind(name)
            if room in FLOORS and room != other and FLOORS[room] <= FLOORS[other]:
                yield f"{module} imports {name}, which is not below it"


def circular(house: House) -> Iterator[str]:
    graph = {
        module: [
            name if name in house else name.rpartition(".")[0]
            for name in house_imports(house, module)
        ]
        for module in house
    }
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        yield "a circle: " + " < ".join(error.args[1])


def relative(house: House) -> Iterator[str]:
    for module, tree in house.items():
        for name in imports(tree):
            if name.startswith("."):
                yield f"{module} imports {name}: write out where it is"


def out_of_place(house: House) -> Iterator[str]:
    for module, tree in house.items():
        for name in imports(tree):
            for kept, rooms in KEPT_TO.items():
                if is_of(name, kept) and room_of(module) not in rooms:
                    yield f"{module} imports {name}, which is for {sorted(rooms)}"


def impure(house: House) -> Iterator[str]:
    for module, tree in house.items():
        room = room_of(module)
        if room not in PURE:
            continue
        allowed = LIBRARIES_OF_PURE_ROOMS.get(room, set()) | {"citestream"}
        for name in imports(tree):
            library = name.split(".")[0]
            if library not in sys.stdlib_module_names | allowed:
                yield f"{module} imports the library {library}"
            for what, modules in ACTS.items():
                if any(is_of(name, act) for act in modules) and (
                    READS_THE_PACKAGE.get(module) != name
                ):
                    yield f"{module} imports {name}: {what}"
        for node in ast.walk(tree):
            if isinstance(node, ast.AsyncFunctionDef):
                yield f"{module} is async in {node.name}"
            if isinstance(node, ast.Name) and node.id in {"open", "input", "__import__"}:
                yield f"{module} calls {node.id}"
            if isinstance(node, ast.Attribute) and node.attr in {"now", "today", "utcnow"}:
                yield f"{module} asks the clock"


def environment_read(house: House) -> Iterator[str]:
    for module, tree in house.items():
        names = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
        names |= {name.removeprefix("os.") for name in imports(tree) if is_of(name, "os")}
        if room_of(module) != "settings" and names & ENVIRONMENT:
            yield f"{module} reads the environment"


API_FLOORS = {
    "extras": -1,
    "schemas": 0,
    "transport": 0,
    "openapi": 1,
    "dependencies": 1,
    "operations": 2,
    "application": 2,
    "routes": 3,
}
"""Inside ``api``: routes, operations, openapi, schemas; transport is beside all of them."""
ALONE = {"schemas": {"transport"}, "transport": {"schemas"}, "routes": {"routes"}}
"""What files of a row never import: shapes no transport, transport no shapes, no route another."""


def row_of(name: str) -> str:
    """Return the row of a module of ``api``; empty for any other."""
    return name.split(".")[2] if name.startswith("citestream.api.") else ""


def out_of_row(house: House) -> Iterator[str]:
    for module in house:
        row = row_of(module)
        if row and row not in API_FLOORS:
            yield f"{module} is in no row of the table"
        for name in house_imports(house, module):
            other = row_of(name)
            if not row or not other or row not in API_FLOORS:
                continue
            higher = row != other and API_FLOORS.get(other, 0) >= API_FLOORS[row] > 0
            if higher or (other in ALONE.get(row, ()) and name.split(".")[2:4] != [row]):
                yield f"{module} imports {name}, which is not below it"


LAWS = (homeless, upward, circular, relative, out_of_place, impure, environment_read, out_of_row)
Law = Callable[[House], Iterator[str]]


@pytest.fixture(scope="module")
def house() -> House:
    files = APP.glob("citestream/**/*.py")
    return house_of({f.relative_to(APP).as_posix(): f.read_text(encoding="utf-8") for f in files})


@pytest.mark.parametrize("law", LAWS)
def test_the_house_keeps_the_law(house: House, law: Law) -> None:
    assert "citestream.parts" in house
    assert list(law(house)) == []


BREACHES: list[tuple[Law, dict[str, str]]] = [
    (homeless, {"citestream/helpers.py": ""}),
    (homeless, {"citestream/common/text.py": ""}),
    (upward, {"citestream/parts/ids.py": "from citestream.turns import Turn"}),
    (upward, {"citestream/parts/ids.py": "import citestream.turns.turn as t"}),
    (
        upward,
        {"citestream/parts/ids.py": "def f():\n    from citestream.api.openapi import E"},
    ),
    (upward, {"citestream/sources/links.py": "from citestream.targets import kinds"}),
    (upward, {"citestream/sources/links.py": "from citestream import targets"}),
    (upward, {"citestream/parts/ids.py": "import citestream"}),
    (upward, {"citestream/parts/ids.py": "from citestream import parse"}),
    (upward, {"citestream/wire/formats/native.py": "import citestream.stores"}),
    (upward, {"citestream/api/routes/page.py": "from citestream.main import create_app"}),
    (upward, {"citestream/__init__.py": "from citestream.wire import native"}),
    (upward, {"citestream/parts/ids.py": "if TYPE_CHECKING:\n    import citestream.cli"}),
    (
        circular,
        {
            "citestream/parts/a.py": "from citestream.parts.b import x",
            "citestream/parts/b.py": "def f():\n    import citestream.parts.a",
        },
    ),
    (
        circular,
        {
            "citestream/parts/__init__.py": "from citestream.parts.a import x",
            "citestream/parts/a.py": "from citestream.parts import y",
        },
    ),
    (relative, {"citestream/parts/a.py": "from .b import x"}),
    (relative, {"citestream/parts/a.py": "from .. import turns"}),
    (out_of_place, {"citestream/service/run.py": "from citestream.settings import Settings"}),
    (out_of_place, {"citestream/api/routes/page.py": "from citestream import settings"}),
    (out_of_place, {"citestream/main.py": "from sse_starlette.sse import EventSourceResponse"}),
    (out_of_place, {"citestream/service/run.py": "import fastapi"}),
    (out_of_place, {"citestream/api/routes/page.py": "from pydantic_settings import BaseSettings"}),
    (impure, {"citestream/turns/turn.py": "import time"}),
    (impure, {"citestream/turns/turn.py": "from os.path import join"}),
    (impure, {"citestream/parts/part.py": "def f():\n    from urllib import request"}),
    (impure, {"citestream/parts/part.py": "from pydantic import BaseModel"}),
    (impure, {"citestream/context/read.py": "import pyromark"}),
    (impure, {"citestream/__init__.py": "import logging"}),
    (impure, {"citestream/citations/engine.py": "async def feed(): ..."}),
    (impure, {"citestream/targets/preset.py": "text = open('preset.toml').read()"}),
    (impure, {"citestream/targets/preset.py": "import importlib.resources"}),
    (impure, {"citestream/sources/page.py": "import datetime\nat = datetime.datetime.now()"}),
    (out_of_row, {"citestream/api/helpers.py": ""}),
    (
        out_of_row,
        {"citestream/api/schemas/answers.py": "from citestream.api.transport import body"},
    ),
    (
        out_of_row,
        {"citestream/api/transport/body.py": "from citestream.api.schemas.base import STRICT"},
    ),
    (
        out_of_row,
        {"citestream/api/routes/turns.py": "from citestream.api.routes.answers import NDJSON"},
    ),
    (out_of_row, {"citestream/api/openapi.py": "from citestream.api.operations import Operation"}),
    (out_of_row, {"citestream/api/operations.py": "import citestream.api.routes.sources"}),
    (environment_read, {"citestream/cli.py": "import os\nport = os.environ['PORT']"}),
    (environment_read, {"citestream/main.py": "from os import getenv"}),
]


@pytest.mark.parametrize(("law", "sources"), BREACHES)
def test_a_breach_is_seen(law: Law, sources: dict[str, str]) -> None:
    assert list(law(house_of(sources)))


LAWFUL = {
    "citestream/__init__.py": "from citestream.turns import Turn",
    "citestream/settings.py": "import os\nfrom pydantic_settings import BaseSettings\nos.environ",
    "citestream/parts/__init__.py": "from citestream.parts.ids import is_part_id",
    "citestream/parts/ids.py": "import re\nfrom urllib.parse import quote",
    "citestream/markdown/read.py": "import pyromark",
    "citestream/citations/engine.py": "from citestream.citations import classes",
    "citestream/citations/classes.py": "from citestream.parts.ids import is_part_id",
    "citestream/turns/__init__.py": "from citestream.parts import is_part_id",
    "citestream/service/run.py": "import asyncio, logging\nfrom citestream import Turn",
    "citestream/api/routes/page.py": "import fastapi, sse_starlette\nimport citestream.service.run",
    "citestream/api/operations.py": "from citestream.api.openapi import schema_of",
    "citestream/api/openapi.py": "from citestream.api.transport.cursor import PATTERN",
    "citestream/api/schemas/turns.py": "from citestream.api.schemas.base import STRICT",
    "citestream/api/transport/body.py": "from citestream.api.transport.chunks import RequestBody",
    "citestream/main.py": "from citestream.settings import Settings",
    "citestream/cli.py": "import sys\nfrom citestream import main, settings",
}


@pytest.mark.parametrize("law", LAWS)
def test_the_lawful_passes(law: Law) -> None:
    assert list(law(house_of(LAWFUL))) == []
