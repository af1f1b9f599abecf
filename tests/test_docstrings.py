"""What public names say of themselves: the keys of a dict they return, the errors they raise.

And that a name that looks free is free: nothing computes behind a property.
"""

import ast
import inspect
import re
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FunctionType
from typing import Any

import pytest

import citestream
from citestream.citations.dialects import dialect
from citestream.stores import port
from citestream.wire.formats import format as formats

PACKAGE = Path(citestream.__file__).parent

QUOTED = re.compile(r"``[^`]+``|\"[a-z_]+\"")


def members(owner: type) -> Iterator[tuple[str, FunctionType, str]]:
    """Yield the functions of a class and where each is explained: in its own words, or, as what
    makes the object, in those of the class."""
    for name, value in vars(owner).items():
        function = inspect.unwrap(getattr(value, "__func__", value))
        own = isinstance(function, FunctionType) and function.__module__.startswith("citestream")
        if own and (not name.startswith("_") or name == "__init__"):
            said = owner.__doc__ if name == "__init__" else function.__doc__
            yield f"{owner.__name__}.{name}", function, said or ""


def public() -> Iterator[tuple[str, FunctionType, str]]:
    named = [getattr(citestream, name) for name in citestream.__all__]
    for module in (port, formats, dialect):
        named += [
            value
            for name, value in vars(module).items()
            if not name.startswith("_") and getattr(value, "__module__", "") == module.__name__
        ]
    for value in named:
        if isinstance(value, FunctionType):
            yield value.__name__, value, value.__doc__ or ""
        elif isinstance(value, type):
            yield from members(value)


PUBLIC = list({function: (name, function, said) for name, function, said in public()}.values())
EVERY = pytest.mark.parametrize(("name", "function", "said"), PUBLIC, ids=[p[0] for p in PUBLIC])


def test_there_is_something_to_look_at() -> None:
    assert len(PUBLIC) > 100


@EVERY
def test_what_returns_a_dict_names_its_keys(name: str, function: FunctionType, said: str) -> None:
    returned = str(inspect.signature(function).return_annotation)
    if re.match(r"(tuple\[)?(dict\[str|.*dict\[str, Any\])", returned):
        assert QUOTED.search(said) or name.endswith(".as_json"), name


def raised(function: FunctionType) -> Iterator[str]:
    """Yield the names of the errors that the function's own lines raise."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    except OSError:  # made by a decorator, such as the methods of a dataclass
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            yield ast.unparse(node.exc.func).rpartition(".")[2]


@EVERY
def test_what_raises_says_what(name: str, function: FunctionType, said: str) -> None:
    for error in raised(function):
        assert error in said, f"{name} raises {error}"


FREE: dict[type[ast.AST], Callable[[Any], bool]] = {
    # A call costs what the called does, but for these, each a step or two.
    ast.Call: lambda node: ast.unparse(node.func) in ("len", "Key", "Head", "has_envelope"),
    ast.For: lambda _: False,
    ast.While: lambda _: False,
    ast.ListComp: lambda _: False,
    ast.SetComp: lambda _: False,
    ast.DictComp: lambda _: False,
    ast.GeneratorExp: lambda _: False,
}
THE_MACHINES_OWN = {"Engine"}
"""Its properties hand on what a machine counts; what they join they keep."""


def computing() -> Iterator[str]:
    for path in PACKAGE.rglob("*.py"):
        for owner in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not isinstance(owner, ast.ClassDef) or owner.name in THE_MACHINES_OWN:
                continue
            for function in owner.body:
                if isinstance(function, ast.FunctionDef) and any(
                    isinstance(one, ast.Name) and one.id == "property"
                    for one in function.decorator_list
                ):
                    for node in ast.walk(function):
                        if not FREE.get(type(node), lambda _: True)(node):
                            yield f"{path.relative_to(PACKAGE)}: {owner.name}.{function.name}"


def test_nothing_computes_behind_a_property() -> None:
    assert list(computing()) == []
