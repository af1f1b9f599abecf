"""What an installation brings: the wheel and the source distribution in empty environments."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from http.client import HTTPConnection
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MARKED = "Fact\ue200cite\ue202doc\ue202L2\ue201.".encode()
SERVICE_ONLY = ("api", "main", "server", "service", "settings", "stores", "telemetry")
LIBRARY_ONLY = ("citations", "claims", "context", "markdown", "parts", "rendering", "sources")
Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with what would be published."""
    pytest.importorskip("hatchling", reason="no hatchling here to build the package")
    folder = tmp_path_factory.mktemp("dist")
    build = [sys.executable, "-m", "hatchling", "build", "--directory", folder]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True, timeout=60)
    return folder


def installed(folder: Path, wanted: str) -> Path:
    """Install into an empty environment, by the locked versions; return its programs."""
    pytest.importorskip("uv", reason="no uv here to install with")
    uv = [sys.executable, "-m", "uv", "--quiet", "--no-config"]
    lock = (ROOT / "requirements" / "test.txt").read_text(encoding="utf-8")
    versions = re.findall(r"^([a-z0-9_.-]+==[^ ;\\]+)", lock, flags=re.MULTILINE)
    constraints = folder / "constraints.txt"
    constraints.write_text("\n".join(versions), encoding="utf-8")
    environment = folder / "environment"
    subprocess.run([*uv, "venv", "--python", sys.executable, environment], check=True, timeout=60)
    subprocess.run(
        [
            *(*uv, "pip", "install", wanted, "--python", environment),
            *("--constraints", constraints, "--build-constraints", constraints),
        ],
        check=True,
        timeout=120,
    )
    return environment / "bin"


@pytest.fixture(scope="module")
def library(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Run a program of an environment that has the library alone."""
    [wheel] = built.glob("*.whl")
    programs = installed(tmp_path_factory.mktemp("library"), str(wheel))

    def run(
        program: str, *arguments: str, stdin: bytes = b""
    ) -> "subprocess.CompletedProcess[str]":
        done = subprocess.run(
            [programs / program, *arguments],
            input=stdin,
            capture_output=True,
            timeout=60,
            check=False,
            env={"PATH": os.environ["PATH"], "PYTHONWARNINGS": "error"},
        )
        text = (done.stdout.decode(), done.stderr.decode())
        return subprocess.CompletedProcess(done.args, done.returncode, *text)

    return run


def test_the_library_brings_at_most_five_packages_and_no_server(library: Run) -> None:
    code = "from importlib.metadata import distributions; print(*{d.name for d in distributions()})"
    names = set(library("python", "-c", code).stdout.split())
    assert "citestream" in names
    assert len(names) <= 5
    assert not names & {"fastapi", "pydantic", "starlette", "uvicorn"}


def test_the_library_strips_with_and_without_parts(library: Run, tmp_path: Path) -> None:
    assert library("citestream", "strip", stdin=MARKED).stdout == "Fact."
    chat = b'data: {"choices": [{"delta": {"content": "a"}, "finish_reason": "stop"}]}\n\n'
    assert library("citestream", "strip", "--from", "openai-chat", stdin=chat).stdout == "a"
    parts = tmp_path / "parts.json"
    parts.write_text('[{"id": "doc", "tool_name": "search", "data": "one\\ntwo"}]')
    told = library(
        "citestream", "strip", "--parts", str(parts), "--include", "excerpt", stdin=MARKED
    )
    assert (told.returncode, told.stdout) == (0, "Fact.")
    assert '"text":"two"' in told.stderr


def test_the_library_computes_whole(library: Run) -> None:
    code = (
        "import citestream; from citestream import " + ", ".join(LIBRARY_ONLY) + ", targets, turns;"
        "from citestream.wire.formats import FORMATS;"
        "answer = citestream.parse('x [1]', include=['claim', 'check']);"
        "print(answer.text, citestream.render('*a*', to='html').text,"
        "citestream.place('a', [{'offset': 1}], lambda one: '!'), *list(FORMATS)[:1])"
    )
    done = library("python", "-c", code)
    assert done.stderr == ""
    assert done.stdout.startswith("x [1] <p><em>a</em></p>")
    assert " a! native" in done.stdout.replace("\n", " ")


@pytest.mark.parametrize(
    "command",
    [("serve",), ("openapi",), ("verify",), ("explain", "turn-7"), ("strip", "--from", "ndjson")],
)
def test_what_needs_the_service_says_what_to_install(
    library: Run, command: tuple[str, ...]
) -> None:
    done = library("citestream", *command)
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.startswith(f"citestream {command[0]}: ")
    assert "pip install 'citestream[service]'" in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("room", SERVICE_ONLY)
def test_importing_what_needs_the_service_says_what_to_install(library: Run, room: str) -> None:
    done = library("python", "-c", f"import citestream.{room}")
    last = done.stderr.splitlines()[-1]
    assert "pip install 'citestream[service]'" in last
    assert last.startswith("citestream.extras.MissingExtraError: ")


def test_the_source_distribution_serves(built: Path, tmp_path: Path) -> None:
    [archive] = built.glob("*.tar.gz")
    programs = installed(tmp_path, f"citestream[service] @ {archive.as_uri()}")
    (folder := tmp_path / "elsewhere").mkdir()
    with subprocess.Popen(
        [programs / "citestream", "serve", "--port", "0"],
        cwd=folder,
        stdout=subprocess.PIPE,
        env={"PATH": os.environ["PATH"]},
    ) as server:
        assert server.stdout
        port = int(server.stdout.readline().decode().rstrip().rpartition(":")[2])
        connection = HTTPConnection("127.0.0.1", port, timeout=30)
        connection.request("GET", "/readyz")
        assert connection.getresponse().status == 200
        connection.close()
        server.terminate()
        assert server.wait(30) == 0


def test_the_source_distribution_holds_what_its_tests_need(built: Path, tmp_path: Path) -> None:
    [archive] = built.glob("*.tar.gz")
    shutil.unpack_archive(archive, tmp_path, filter="data")
    [folder] = tmp_path.iterdir()
    tracked = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout.split("\n")
    kept = {name for name in tracked if name and not name.startswith(".github")}
    if not kept:
        pytest.skip("no checkout here to compare with")
    assert {
        name for name in kept if (ROOT / name).exists() and not (folder / name).exists()
    } == set()
