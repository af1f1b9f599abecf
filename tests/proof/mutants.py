"""Small faults sown into ``citations/`` and ``parts/``: how many of them do the tests see?

    python -m tests.proof.mutants [PATTERN ...]

A pattern names mutants, as in ``citestream.parts.ids.*``. mutmut knows roots like ``src`` alone and
leaves decorated functions out, so it gets a copy of the tree that suits it. It runs the rooms' own
tests and the marker vectors, without the generated table and what checks it. What lives is printed
as a diff; the exit code is 1 when that is more than one mutant in twenty.
"""

import ast
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[2]
ROOMS = ("citations", "parts")
TESTS = (
    *ROOMS,
    "turns/test_vectors.py",
    "turns/test_dialect_vectors.py",
    "vectors.py",
    "chunking.py",
    "__init__.py",
)
LEFT_OUT = shutil.ignore_patterns("__pycache__", "*_unicode_classes.py")
ENOUGH = 0.95
WORKERS = 2
SEEN = ("killed", "timeout")

PYPROJECT = """
[tool.mutmut]
source_paths = ["src"]
only_mutate = ["src/citestream/citations/*", "src/citestream/parts/*"]
do_not_mutate = ["*/unicode_classes.py"]
also_copy = ["conformance"]
track_dependencies = false
timeout_multiplier = 2.0
timeout_constant = 10.0

[tool.pytest.ini_options]
pythonpath = ["src", "."]
testpaths = ["tests"]
addopts = "--import-mode=importlib -p no:cacheprovider"
filterwarnings = ["error"]
"""


def undecorated(source: str) -> str:
    """Return a module with each property as the assignment it stands for, and no ``lru_cache``.

    Workers are forked when the tests have run once: what a cache remembers would hide a mutant.
    """
    lines = source.splitlines(keepends=True)
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef) and len(node.decorator_list) == 1:
            decorator = ast.unparse(node.decorator_list[0])
            if decorator == "property":
                lines[node.end_lineno - 1] += (
                    f"{' ' * node.col_offset}{node.name} = property({node.name})\n"
                )
            elif not decorator.startswith("lru_cache("):
                continue
            lines[node.decorator_list[0].lineno - 1] = "\n"
    return "".join(lines)


def lay_out(folder: Path) -> None:
    """Copy what mutmut needs to ``folder``, ``app`` under the name ``src``."""
    shutil.copytree(ROOT / "app", folder / "src", ignore=LEFT_OUT)
    shutil.copytree(ROOT / "conformance", folder / "conformance")
    for name in TESTS:
        source, copy = ROOT / "tests" / name, folder / "tests" / name
        if source.is_dir():
            shutil.copytree(source, copy, ignore=LEFT_OUT)
        else:
            copy.parent.mkdir(exist_ok=True)
            shutil.copy(source, copy)
    (folder / "pyproject.toml").write_text(PYPROJECT, encoding="utf-8")
    for room in ROOMS:
        for file in (folder / "src" / "citestream" / room).glob("**/*.py"):
            file.write_text(undecorated(file.read_text(encoding="utf-8")), encoding="utf-8")


def run_mutmut(folder: Path, *arguments: str) -> None:
    subprocess.run([sys.executable, "-m", "mutmut", *arguments], cwd=folder, check=True)


def told(folder: Path, *arguments: str) -> str:
    """Return what mutmut prints."""
    command = [sys.executable, "-m", "mutmut", *arguments]
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout


def main(patterns: list[str]) -> int:
    with TemporaryDirectory(prefix="citestream-mutants-") as name:
        folder = Path(name)
        lay_out(folder)
        run_mutmut(folder, "run", "--max-children", str(WORKERS), *patterns)
        lines = told(folder, "results", "--all", "true").splitlines()
        fates = dict(line.strip().split(": ") for line in lines)
        tried = {mutant: fate for mutant, fate in fates.items() if fate != "not checked"}
        alive = [mutant for mutant, fate in tried.items() if fate not in SEEN]
        for mutant in alive:
            print(told(folder, "show", mutant))
    seen = len(tried) - len(alive)
    print(f"{seen} of {len(tried)} mutants seen ({seen / len(tried):.1%}), {len(alive)} alive")
    return int(seen < ENOUGH * len(tried))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
