"""The README, held to what it says: its commands are run, its tables compared.

A block that begins with ``<!-- run: python -->`` or ``<!-- run: bash -->`` is run as it stands, and
must print the block behind ``<!-- output -->`` byte for byte.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import pytest
from examples.demo.service import Service

from citestream.api import context, sources, targets
from citestream.api.answers import BODY_LIMIT
from citestream.citations import engine
from citestream.citations.dialects import guide
from citestream.context import PROVIDER_TEXT_LIMIT, records
from citestream.context.encoding import JSON_DEPTH_LIMIT
from citestream.parts import MAX_ID_LENGTH, MAX_PARTS, excerpts, part
from citestream.settings import Settings
from citestream.sources import MAX_OUTPUT_BYTES
from citestream.turns import turn
from citestream.wire import inputs, ndjson

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCK = re.compile(
    r"<!-- ([a-z]+)(?:: (\S+))? -->\n```[a-z]*\n(.*?)^```$", re.DOTALL | re.MULTILINE
)
MIB = 1024 * 1024


class Run(NamedTuple):
    language: str
    text: str
    output: str


def runs() -> list[Run]:
    found = [match.groups() for match in BLOCK.finditer(README)]
    return [
        Run(language, text, output)
        for (kind, language, text), (following, _, output) in pairwise(found)
        if kind == "run" and following == "output"
    ]


def table(heading: str) -> list[list[str]]:
    section = README.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    rows = [line for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows[2:]]


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    with Service() as running:
        yield running


@pytest.fixture
def environment(service: Service, tmp_path: Path) -> dict[str, str]:
    """What a shell needs so that the README's own commands reach the service of this test."""
    (tmp_path / ".curlrc").write_text(
        f'connect-to = "127.0.0.1:{Settings().port}:127.0.0.1:{service.port}"\n'
    )
    command = tmp_path / "citestream"
    command.write_text(
        f"#!/bin/sh\nexec '{sys.executable}' -c "
        '"import sys; from citestream.cli import main; sys.exit(main())" "$@"\n'
    )
    command.chmod(0o755)
    return {
        **os.environ,
        "CURL_HOME": str(tmp_path),
        "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT / "app"),
        "no_proxy": "127.0.0.1",
    }


def test_every_runnable_block_is_run() -> None:
    assert [run.language for run in runs()] == ["python", "bash", "bash", "bash"]
    assert README.count("<!-- run: ") == README.count("<!-- output -->") == len(runs())


@pytest.mark.parametrize("run", runs(), ids=lambda run: " ".join(run.text.split()[:3]))
def test_a_block_prints_its_output(run: Run, environment: dict[str, str], tmp_path: Path) -> None:
    interpreter = {"python": [sys.executable], "bash": ["bash", "-eu", "-o", "pipefail"]}
    if "curl" in run.text and not shutil.which("curl"):
        pytest.skip("curl is not installed")
    done = subprocess.run(
        [*interpreter[run.language], "-"],
        input=run.text.encode(),
        capture_output=True,
        env=environment,
        cwd=tmp_path,
        timeout=60,
    )
    assert done.stderr.decode() == ""
    assert done.stdout.decode() == run.output
    assert done.returncode == 0


def test_code_out_of_a_file_stands_in_that_file() -> None:
    taken = [(name, text) for kind, name, text in BLOCK.findall(README) if kind == "from"]
    assert taken
    for name, text in taken:
        assert text in (ROOT / name).read_text(encoding="utf-8")


def test_the_python_example_takes_six_lines() -> None:
    assert sum(bool(line) for line in runs()[0].text.splitlines()) == 6


def test_the_limits_are_those_of_the_code() -> None:
    assert dict(row[:2] for row in table("Limits")) == {
        "marker, its signs included": f"{guide.MAX_MARKER:,} code points",
        "fields of a marker": f"{guide.MAX_FIELDS}",
        "source id": f"{MAX_ID_LENGTH} code points",
        "later field of a marker": f"{guide.MAX_FIELD:,} code points",
        "sources named in an answer": f"{turn.MAX_ENTRIES:,}",
        "failed candidates whose place is told": f"{engine.MAX_FAILURES_LISTED}",
        "excerpt": f"{excerpts.MAX_EXCERPT:,} code points",
        "parts of an answer": f"{MAX_PARTS}",
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
        "body of `/v1/context` (HTTP)": f"{context.BODY_LIMIT // MIB} MiB",
        "body of `/v1/sources` and `/v1/targets`, but for `render` (HTTP)": "1 MiB",
        "linked or rendered text": f"{MAX_OUTPUT_BYTES // MIB} MiB",
        "records of a message": f"{records.RECORDS_LIMIT}",
        "records of a message as JSON": f"{records.CONTEXT_LIMIT:,} code points",
        "nesting of a record": f"{JSON_DEPTH_LIMIT} levels",
        "text for a model provider": f"{PROVIDER_TEXT_LIMIT:,} code points",
    }
    assert inputs.MAX_URL == inputs.MAX_TITLE
    assert {codec.limit for codec in [*sources.CODECS, *targets.CODECS]} == {MIB, BODY_LIMIT}


def test_the_settings_are_those_of_the_code() -> None:
    prefix = Settings.model_config["env_prefix"]
    assert table("Settings") == [
        [f"`{prefix}{name.upper()}`", f"`{field.default}`", field.description]
        for name, field in Settings.model_fields.items()
    ]
