"""The README and the pages of ``docs/``, held to what they say: commands run, tables compared.

A block that begins with ``<!-- run: python -->`` or ``<!-- run: bash -->`` is run as it stands, and
must print the block behind ``<!-- output -->`` byte for byte, but for the time that it was. The
blocks of a page are run in order, in one folder.
"""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import pytest
from examples.demo.service import Service

from citestream.api.routes import context, sessions, sources, targets, turns
from citestream.api.routes.answers import BODY_LIMIT
from citestream.api.schemas import turns as turn_schemas
from citestream.citations import landing
from citestream.citations.dialects import guide
from citestream.context import PROVIDER_TEXT_LIMIT, records
from citestream.context.encoding import JSON_DEPTH_LIMIT
from citestream.parts import MAX_ID_LENGTH, MAX_PARTS, excerpts, part
from citestream.settings import Settings
from citestream.sources import MAX_OUTPUT_BYTES
from citestream.turns import ledger
from citestream.wire import ndjson
from citestream.wire.input import parts as inputs

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
REFERENCE = ROOT / "docs" / "reference.md"
PAGES = [README, *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(
    r"<!-- ([a-z]+)(?:: (\S+))? -->\n```[a-z]*\n(.*?)^```$", re.DOTALL | re.MULTILINE
)
LINK = re.compile(r"\]\(([^)#:]*)(?:#([a-z-]+))?\)")
WITHOUT_RUNS = {"clients.md", "front-end.md", "glossary.md", "proxy.md", "reference.md", "why.md"}
"""Pages without a command; their tables and code are held by other tests."""
TIME = re.compile(r"\b1[0-9]{9}\.[0-9]+\b")
"""Seconds since 1970."""
SHELL = ["bash", "-eu", "-o", "pipefail"]
MIB = 1024 * 1024


class Run(NamedTuple):
    language: str
    text: str
    output: str


def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def runs(page: Path) -> list[Run]:
    found = [match.groups() for match in BLOCK.finditer(text_of(page))]
    return [
        Run(language, text, output)
        for (kind, language, text), (following, _, output) in pairwise(found)
        if kind == "run" and following == "output"
    ]


def table(heading: str) -> list[list[str]]:
    section = text_of(REFERENCE).split(f"\n## {heading}\n")[1].split("\n## ")[0]
    rows = [line for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows[2:]]


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    with Service() as running:
        yield running


@pytest.fixture
def port(page: Path, service: Service) -> int:
    """Where a page's commands lead: to the service of this test, or to the one they start."""
    if not any("citestream serve >" in run.text for run in runs(page)):
        return service.port
    with socket.create_server(("127.0.0.1", 0)) as free:
        found: int = free.getsockname()[1]
    return found


@pytest.fixture
def environment(port: int, tmp_path: Path) -> Iterator[dict[str, str]]:
    """What a shell needs so that the commands of a page reach their service."""
    (tmp_path / ".curlrc").write_text(
        f'connect-to = "127.0.0.1:{Settings().port}:127.0.0.1:{port}"\n'
    )
    command = tmp_path / "citestream"
    command.write_text(
        f"#!/bin/sh\nexec '{sys.executable}' -c "
        '"import sys; from citestream.cli import main; sys.exit(main())" "$@"\n'
    )
    command.chmod(0o755)
    yield {
        **os.environ,
        "CITESTREAM_PORT": f"{port}",
        "CURL_HOME": str(tmp_path),
        "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT / "app"),
        "no_proxy": "127.0.0.1",
    }
    # A page that broke off has left its service.
    with suppress(FileNotFoundError, ProcessLookupError):
        os.kill(int((tmp_path / "citestream.pid").read_text()), signal.SIGKILL)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_runnable_block_is_run(page: Path) -> None:
    text = text_of(page)
    assert text.count("<!-- run: ") == text.count("<!-- output -->") == len(runs(page))
    assert bool(runs(page)) == (page.name not in WITHOUT_RUNS)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_blocks_of_a_page_print_their_output(
    page: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    if not shutil.which("curl"):
        pytest.skip("curl is not installed")
    for run in runs(page):
        done = subprocess.run(
            [sys.executable, "-"] if run.language == "python" else [*SHELL, "-c", run.text],
            input=run.text.encode() if run.language == "python" else b"",
            capture_output=True,
            env=environment,
            cwd=tmp_path,
            timeout=60,
        )
        assert done.stderr.decode() == "", run.text
        assert timeless(done.stdout.decode()) == timeless(run.output), run.text
        assert done.returncode == 0, run.text


def timeless(output: str) -> str:
    """Without the time it was; and with the line end that a block ends with."""
    return TIME.sub("1795982225.3", output.rstrip("\n"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    prose = re.sub(r"^```.*?^```$", "", text_of(page), flags=re.DOTALL | re.MULTILINE)
    for name, heading in LINK.findall(prose):
        there = page.parent / name
        assert there.is_file(), name
        slugs = re.sub(r"[^a-z\n# -]", "", text_of(there).lower()).replace(" ", "-")
        assert f"\n##-{heading}\n" in slugs or not heading, heading


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_settings_that_are_named_exist(page: Path) -> None:
    names = {f"CITESTREAM_{name.upper()}" for name in Settings.model_fields}
    for name in re.findall(r"CITESTREAM_[A-Z_]*[A-Z]", text_of(page)):
        assert name in names or name == "CITESTREAM_CONTEXT", name


def test_code_out_of_a_file_stands_in_that_file() -> None:
    blocks = [block for page in PAGES for block in BLOCK.findall(text_of(page))]
    taken = [(name, text) for kind, name, text in blocks if kind == "from"]
    assert taken
    for name, text in taken:
        assert text in (ROOT / name).read_text(encoding="utf-8")


def test_the_python_example_takes_six_lines() -> None:
    assert sum(bool(line) for line in runs(README)[0].text.splitlines()) == 6


def test_the_limits_are_those_of_the_code() -> None:
    assert dict(row[:2] for row in table("Limits")) == {
        "marker, its signs included": f"{guide.MAX_MARKER:,} code points",
        "fields of a marker": f"{guide.MAX_FIELDS}",
        "source id": f"{MAX_ID_LENGTH} code points",
        "later field of a marker": f"{guide.MAX_FIELD:,} code points",
        "sources named in an answer": f"{ledger.MAX_ENTRIES:,}",
        "failed candidates whose place is told": f"{landing.MAX_FAILURES_LISTED}",
        "excerpt": f"{excerpts.MAX_EXCERPT:,} code points",
        "parts of an answer, those of an address that is known not counted": f"{MAX_PARTS:,}",
        "nesting of a part's data": f"{part.MAX_DEPTH} levels",
        "data of a part (HTTP)": f"{inputs.MAX_PART // MIB} MiB of JSON",
        "tool name (HTTP)": f"{inputs.MAX_NAME} code points",
        "title, address (HTTP)": f"{inputs.MAX_TITLE:,} code points",
        "delta (HTTP)": f"{inputs.MAX_DELTA // MIB} MiB",
        "raw answer (HTTP)": f"{inputs.MAX_TEXT // MIB} MiB",
        "deltas of an answer (HTTP)": f"{inputs.MAX_DELTAS:,}",
        "custom event (HTTP)": f"{inputs.MAX_CUSTOM // 1024} KiB of JSON",
        "line of a streamed body (HTTP)": f"{ndjson.MAX_LINE // MIB} MiB",
        "body (HTTP)": f"{BODY_LIMIT // MIB} MiB",
        "body of a push (HTTP)": f"{turns.PUSH_LIMIT // MIB} MiB",
        "events of a push, but for lines (HTTP)": f"{turn_schemas.MAX_PUSH_EVENTS:,}",
        "data of all parts of a turn (HTTP)": f"{inputs.MAX_PARTS_SIZE // MIB} MiB of JSON",
        "body of a user message (HTTP)": f"{sessions.MESSAGE_LIMIT // MIB} MiB",
        "body of `/v1/context` (HTTP)": f"{context.BODY_LIMIT // MIB} MiB",
        "body of `/v1/sources` and `/v1/targets`, but for `render` (HTTP)": "1 MiB",
        "linked or rendered text": f"{MAX_OUTPUT_BYTES // MIB} MiB",
        "records of a message": f"{records.RECORDS_LIMIT}",
        "records of a message as JSON": f"{records.CONTEXT_LIMIT:,} code points",
        "nesting of a record": f"{JSON_DEPTH_LIMIT} levels",
        "text for a model provider, with references": (
            f"{PROVIDER_TEXT_LIMIT:,} code points, a setting"
        ),
    }
    assert inputs.MAX_URL == inputs.MAX_TITLE
    assert {operation.limit for operation in [*sources.OPERATIONS, *targets.OPERATIONS]} == {
        MIB,
        BODY_LIMIT,
    }


def test_the_settings_are_those_of_the_code() -> None:
    prefix = Settings.model_config["env_prefix"]
    assert table("Settings") == [
        [f"`{prefix}{name.upper()}`", f"`{field.default}`", field.description]
        for name, field in Settings.model_fields.items()
    ]
