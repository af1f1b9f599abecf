"""The Dockerfile, its steps replayed in a folder: what is built, and how the container behaves.

There is no container engine here, so the root of the image is a folder: absolute paths of the
instructions are put below it, and what Docker does with ENV, WORKDIR, USER, HEALTHCHECK, STOPSIGNAL
and ENTRYPOINT is done by hand.
"""

import ast
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest

from tests.api.turning import created, delta, following, pushed

ROOT = Path(__file__).parents[1]
FOLLOWERS = 200
DOCKER_STOP_SECONDS = 10
"""How long ``docker stop`` waits before it kills."""

needs_root = pytest.mark.skipif(
    os.geteuid() != 0 or not shutil.which("setpriv"), reason="not root: users cannot be changed"
)


@dataclass
class Image:
    """What the instructions have made of a folder."""

    root: Path
    environment: dict[str, str] = field(default_factory=dict)
    last: dict[str, str] = field(default_factory=dict)
    """What the last instruction of each name says."""
    folder: Path = Path("/")

    def below(self, text: str) -> str:
        """Return ``text`` with the paths of the image below this folder."""
        return re.sub(r"(?<![\w.])(sqlite:///)?/(opt|data|build)\b", rf"\1{self.root}/\2", text)

    def apply(self, name: str, rest: str) -> None:
        """Do what an instruction says."""
        self.last[name] = rest
        if name == "FROM":
            self.environment, self.folder = {}, self.root
        elif name == "ENV":
            for pair in re.findall(r"(\w+)=(\S+)", rest):
                self.environment[pair[0]] = self.below(pair[1])
        elif name == "WORKDIR":
            self.folder = self.root / rest.lstrip("/")
            self.folder.mkdir(exist_ok=True, parents=True)
        elif name == "COPY" and not rest.startswith("--from"):
            *sources, target = rest.split()
            for source in sources:
                self._copy(ROOT / source, self.folder / target)
        elif name == "RUN":
            subprocess.run(
                ["sh", "-ec", self.below(rest)],
                check=True,
                cwd=self.folder,
                env=self.variables(),
                timeout=300,
            )

    def _copy(self, source: Path, target: Path) -> None:
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            target.mkdir(exist_ok=True, parents=True)
            shutil.copy(source, target)

    def variables(self) -> dict[str, str]:
        """Return the environment of a process in the image."""
        base = f"{self.root}/python/bin:/usr/bin:/bin"
        found = {"HOME": str(self.root), "PATH": base, **self.environment}
        return {**found, "PATH": found["PATH"].replace("$PATH", base)}

    def command(self, *arguments: str) -> list[str]:
        """Return a command as the image's user, who may read our Python wherever it is."""
        user, _, group = self.last["USER"].partition(":")
        right = "+dac_read_search"
        head = ["setpriv", "--reuid", user, "--regid", group, "--clear-groups"]
        return [*head, f"--inh-caps={right}", f"--ambient-caps={right}", *arguments]


@pytest.fixture(scope="module")
def image() -> Iterator[Image]:
    folder = Path(tempfile.mkdtemp(prefix="citestream-image-"))
    folder.chmod(0o755)
    image = Image(folder)
    # What `FROM python` brings.
    subprocess.run([sys.executable, "-m", "venv", folder / "python"], check=True, timeout=60)
    text = re.sub(r"^#.*\n", "", (ROOT / "Dockerfile").read_text("utf-8"), flags=re.MULTILINE)
    for line in text.replace("\\\n", " ").splitlines():
        name, _, rest = line.partition(" ")
        if name:
            image.apply(name, " ".join(rest.split()) if name != "HEALTHCHECK" else rest)
    yield image
    shutil.rmtree(folder)


@needs_root
def test_the_image_serves_keeps_its_volume_and_stops_in_time(image: Image) -> None:
    port = 28417
    settings = {**image.variables(), "CITESTREAM_PORT": str(port), "CITESTREAM_HOST": "127.0.0.1"}
    entry = [*ast.literal_eval(image.last["ENTRYPOINT"]), *ast.literal_eval(image.last["CMD"])]
    with subprocess.Popen(
        image.command(*entry),
        cwd=image.folder,
        env=settings,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout
        assert (
            process.stdout.readline() == f"citestream listens at http://127.0.0.1:{port}\n".encode()
        )
        uid = int(image.last["USER"].partition(":")[0])
        assert Path(f"/proc/{process.pid}").stat().st_uid == uid
        check = ast.literal_eval(image.last["HEALTHCHECK"].partition(" CMD ")[2])
        healthy = subprocess.run(
            image.command(*check), env=settings, cwd=image.folder, check=False, timeout=30
        )
        assert healthy.returncode == 0

        with httpx.Client(base_url=f"http://127.0.0.1:{port}") as client:
            turn = created(client)
            pushed(client, turn, 1, delta("kept"))
        readers = [following(port, turn) for _ in range(FOLLOWERS)]
        try:
            opened = [reader.__enter__() for reader in readers]
            assert {reader.event().value["text"] for reader in opened} == {"kept"}
            began = time.monotonic()
            process.send_signal(getattr(signal, image.last["STOPSIGNAL"]))
            assert process.wait(DOCKER_STOP_SECONDS) == 0
            assert time.monotonic() - began < DOCKER_STOP_SECONDS
            assert all(list(reader.events()) == [] for reader in opened)
        finally:
            for reader in readers:
                reader.__exit__(None, None, None)

    volume = image.root / image.last["VOLUME"].lstrip("/")
    assert (volume / "citestream.db").stat().st_uid == uid
    dead = subprocess.run(
        image.command(*check), env=settings, cwd=image.folder, check=False, stderr=subprocess.PIPE
    )
    assert dead.returncode != 0


def test_the_settings_of_the_image_are_variables(image: Image) -> None:
    assert image.environment["CITESTREAM_HOST"] == "0.0.0.0"
    assert image.environment["CITESTREAM_PORT"] == image.last["EXPOSE"]
    assert image.environment["CITESTREAM_STORE_URL"] == f"sqlite:///{image.root}/data/citestream.db"


def test_the_image_holds_no_tool_that_builds(image: Image) -> None:
    programs = {path.name for path in (image.root / "opt/citestream/bin").iterdir()}
    assert "citestream" in programs
    assert not {"pip", "pip3", "hatchling", "pytest"} & programs
