"""The command line itself: help, version, mistakes, the document, how it ends."""

import json
import os
import subprocess

import pytest
from tests.cli.command import COMMAND, SECONDS, environment, run

from citestream import __version__
from citestream.cli import main
from citestream.main import create_app


@pytest.mark.parametrize("arguments", [[], ["serve"], ["strip"], ["openapi"]])
def test_the_help_of_each_command_has_an_example(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main([*arguments, "--help"])
    assert ended.value.code == 0
    shown = capsys.readouterr().out
    assert "example:\n  " in shown
    assert " ".join(["citestream", *arguments]) in shown.rpartition("example:")[2]


def test_the_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out == f"citestream {__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ([], "the following arguments are required: COMMAND"),
        (["serve", "--port", "65536"], "--port: must be a whole number from 0 to 65535"),
        (["serve", "--port", "-1"], "--port: must be a whole number from 0 to 65535"),
        (["serve", "--port", "٣"], "--port: must be a whole number from 0 to 65535"),
        (["strip", "--whitespace", "trim"], "--whitespace: invalid choice"),
        (["strip", "--include", "offsets"], "--include: needs --parts"),
    ],
)
def test_a_wrong_command_line(
    arguments: list[str], told: str, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    assert told in capfd.readouterr().err


def test_the_document_is_the_one_served() -> None:
    ran = run("openapi", CITESTREAM_PORT="no port")
    assert (ran.status, ran.stderr) == (0, b"")
    served = create_app().openapi()
    assert json.dumps(json.loads(ran.stdout)) == json.dumps(served)
    assert ran.stdout.startswith(b'{\n  "openapi": "3.1.0",\n')
    assert ran.stdout.endswith(b"\n}\n")


@pytest.mark.parametrize("arguments", [["--help"], ["strip", "--help"]])
def test_a_closed_pipe_ends_it_quietly(arguments: list[str]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    ran = subprocess.run(
        [*COMMAND, *arguments],
        stdout=writing,
        stderr=subprocess.PIPE,
        env=environment(),
        timeout=SECONDS,
        check=False,
    )
    os.close(writing)
    assert (ran.returncode, ran.stderr) == (141, b"")
