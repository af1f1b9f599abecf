"""What is installed, and from what: the wheel, the bare import, the locks, the image."""

import ast
import os
import re
import subprocess
import sys
import tomllib
from email import message_from_string
from email.message import Message
from http.server import BaseHTTPRequestHandler, HTTPServer
from importlib.metadata import packages_distributions
from pathlib import Path
from threading import Thread
from zipfile import ZipFile

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import citestream

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
LOCKS = ("build", "run", "test", "mutants")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> ZipFile:
    pytest.importorskip("hatchling", reason="no hatchling here to build the wheel")
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", folder]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True, timeout=60)
    [file] = folder.iterdir()
    return ZipFile(file)


@pytest.fixture(scope="module")
def metadata(wheel: ZipFile) -> Message:
    [file] = [name for name in wheel.namelist() if name.endswith(".dist-info/METADATA")]
    return message_from_string(wheel.read(file).decode())


def test_the_wheel_holds_the_package_whole_and_nothing_beside_it(wheel: ZipFile) -> None:
    sources = (ROOT / "app").glob("citestream/**/*")
    package = {
        file.relative_to(ROOT / "app").as_posix()
        for file in sources
        if file.is_file() and "__pycache__" not in file.parts
    }
    assert "citestream/py.typed" in package
    assert {name for name in wheel.namelist() if ".dist-info/" not in name} == package


def test_the_wheel_says_what_it_is(wheel: ZipFile, metadata: Message) -> None:
    assert metadata["Name"] == "citestream"
    assert metadata["Version"] == citestream.__version__
    assert metadata["Requires-Python"] == ">=3.11"
    assert metadata["License-Expression"] == "Apache-2.0"
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in wheel.namelist())


def test_the_wheel_brings_the_command(wheel: ZipFile) -> None:
    [file] = [name for name in wheel.namelist() if name.endswith("/entry_points.txt")]
    assert "citestream = citestream.cli:main" in wheel.read(file).decode()


@pytest.mark.parametrize(
    ("name", "floor"), [("h11", "0.16.0"), ("starlette", "1.3.1"), ("sse-starlette", "3.7.0")]
)
def test_nothing_below_the_floors_is_taken(metadata: Message, name: str, floor: str) -> None:
    needs = map(Requirement, metadata.get_all("Requires-Dist", []))
    [specifier] = [need.specifier for need in needs if need.name == name]
    major, minor, *_ = map(int, floor.split("."))
    assert floor in specifier
    assert f"{major}.{minor - 1}.99" not in specifier


@pytest.mark.parametrize("flags", [[], ["-S"]], ids=["installed", "with no library in reach"])
def test_the_library_loads_nothing_but_itself(flags: list[str]) -> None:
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); before = set(sys.modules); "
        "import citestream; print(*set(sys.modules) - before)"
    )
    command = [sys.executable, *flags, "-c", code, str(ROOT / "app")]
    found = subprocess.run(command, check=True, capture_output=True, text=True, timeout=60)
    loaded = {name.split(".")[0] for name in found.stdout.split()}
    assert "citestream" in loaded
    assert loaded - sys.stdlib_module_names == {"citestream"}
    assert not loaded & {"asyncio", "logging", "socket", "sqlite3", "ssl", "uuid"}


def test_the_pure_rooms_need_no_library() -> None:
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); from citestream import context, targets; "
        "link = context.format_reference('skill', 's', 'Tides'); "
        "print(context.project(link, []).splitlines()[0]); print(targets.slug('Petty cash'))"
    )
    command = [sys.executable, "-S", "-c", code, str(ROOT / "app")]
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=60)
    assert done.stdout.splitlines() == ["[Skill: Tides; ref=s]", "petty-cash"]


def test_rendering_needs_no_server() -> None:
    code = (
        "import sys, citestream; print(citestream.render('a', to='html').text); "
        "print(citestream.place('a', [{'offset': 1}], str), *sys.modules)"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "app")}
    command = [sys.executable, "-c", code]
    done = subprocess.run(
        command, check=True, capture_output=True, text=True, timeout=60, env=environment
    )
    shown, loaded = done.stdout.rstrip().rsplit("\n", 1)
    assert "<p>a</p>" in shown
    server = {"anyio", "fastapi", "orjson", "pydantic", "sse_starlette", "starlette", "uvicorn"}
    assert not server & set(loaded.split())


def locked(lock: str) -> dict[str, str]:
    """Return name and version of each package of a lock, each with its hashes."""
    text = (ROOT / "requirements" / f"{lock}.txt").read_text(encoding="utf-8")
    entries = re.sub(r"^ *#.*\n", "", text.replace("\\\n", " "), flags=re.MULTILINE).splitlines()
    found = {}
    for entry in entries:
        requirement, *hashes = entry.split("--hash=sha256:")
        assert hashes, entry
        name, version = requirement.split(";")[0].strip().split("==")
        found[name] = version
    return found


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_names_no_address(lock: str) -> None:
    text = (ROOT / "requirements" / f"{lock}.txt").read_text(encoding="utf-8")
    assert "://" not in text
    assert not re.search(r"^-", text, flags=re.MULTILINE)  # no option either


def wanted(lock: str) -> list[Requirement]:
    groups = PROJECT["dependency-groups"]
    project = PROJECT["project"]
    extras = {"run": ["service"], "test": ["service", "client"]}.get(lock, [])
    direct = [] if lock in ("build", "mutants") else [*project["dependencies"]]
    direct += [one for extra in extras for one in project["optional-dependencies"][extra]]
    entries = [*direct, *groups.get(lock, []), *(groups["build"] if lock == "test" else [])]
    return [Requirement(entry) for entry in entries if isinstance(entry, str)]


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_is_of_today(lock: str) -> None:
    versions = locked(lock)
    for want in wanted(lock):
        assert versions.get(want.name, "none") in want.specifier, f"{want}: make lock"


def test_the_locks_agree() -> None:
    assert (locked("run") | locked("build")).items() <= locked("test").items()
    assert not {"pytest", "mypy", "ruff", "hypothesis"} & (locked("run") | locked("build")).keys()


def test_each_library_that_is_imported_is_asked_for() -> None:
    asked = {canonicalize_name(want.name) for want in wanted("run")}
    # Whoever gives an adapter a stream has its SDK, and with it pydantic.
    adapted = {"anthropic", "openai"}
    homes = packages_distributions()
    for file in (ROOT / "app").glob("citestream/**/*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            for library in {name.split(".")[0] for name in names}:
                if library not in sys.stdlib_module_names | {"citestream"}:
                    homes_of_it = {canonicalize_name(home) for home in homes.get(library, [])}
                    given = adapted if file.parent.name == "adapters" else set()
                    assert homes_of_it & (asked | given), f"{file.name} imports {library}"


def instructions() -> list[tuple[str, str]]:
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    lines = re.sub(r"^#.*\n", "", text, flags=re.MULTILINE).replace("\\\n", " ").splitlines()
    return [(name, rest) for name, _, rest in (line.partition(" ") for line in lines) if name]


def said(name: str) -> str:
    """Return what the last instruction of this name says: the one that holds."""
    return [rest for found, rest in instructions() if found == name][-1]


def test_the_image_runs_one_process_that_is_not_root_and_hears_the_signal() -> None:
    assert re.fullmatch(r"[1-9]\d*:[1-9]\d*", said("USER"))
    assert said("STOPSIGNAL") == "SIGTERM"
    assert said("ENTRYPOINT") == '["citestream"]'
    assert said("CMD") == '["serve"]'
    assert "/livez" in said("HEALTHCHECK")
    assert said("FROM").endswith("-slim")


def test_the_image_is_made_of_locked_packages_and_of_files_that_are_here() -> None:
    runs = " && ".join(rest for name, rest in instructions() if name == "RUN").split(" && ")
    for step in runs:
        if re.search(r"pip\b.* (install|wheel) ", step):
            assert ("--require-hashes" in step) != ("--no-index --no-deps" in step), step
    copied = [
        file
        for name, rest in instructions()
        if name == "COPY" and not rest.startswith("--from")
        for file in rest.split()[:-1]
    ]
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    for file in copied:
        assert (ROOT / file).exists()
        assert f"!{file.split('/')[0]}" in ignored


@pytest.mark.parametrize(("status", "exit_code"), [(200, 0), (503, 1)])
def test_the_health_check_asks_the_service(status: int, exit_code: int) -> None:
    class Service(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status if self.path == "/livez" else 404)
            self.end_headers()

        def log_message(self, *_: object) -> None: ...

    python, *arguments = ast.literal_eval(said("HEALTHCHECK").partition(" CMD ")[2])
    assert python == "python"
    with HTTPServer(("127.0.0.1", 0), Service) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        here = {**os.environ, "CITESTREAM_PORT": str(server.server_port)}
        done = subprocess.run([sys.executable, *arguments], check=False, timeout=30, env=here)
        server.shutdown()
    assert done.returncode == exit_code


def test_continuous_integration_is_one_command() -> None:
    script = ROOT / ".ci" / "run"
    assert os.access(script, os.X_OK)
    assert "REQUIRE_ALL=1 exec make test" in script.read_text(encoding="utf-8")
