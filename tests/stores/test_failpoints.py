"""The table of failpoints: each is passed by the code, and kills where it is armed."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from citestream.stores.failpoints import FAILPOINTS, arm, no_op

PACKAGE = Path(__file__).parents[2] / "app" / "citestream"


def test_each_place_of_the_table_is_passed_once_in_the_code() -> None:
    passed = [
        name
        for file in sorted(PACKAGE.glob("**/*.py"))
        for name in re.findall(r'failpoint\("([a-z-]+)"\)', file.read_text())
    ]
    assert sorted(passed) == sorted(FAILPOINTS)


def test_each_says_what_has_happened_there() -> None:
    assert all(re.fullmatch(r"[a-z-]+", name) and text for name, text in FAILPOINTS.items())


def test_off_by_default() -> None:
    assert arm("") is no_op
    for name in FAILPOINTS:
        no_op(name)


@pytest.mark.parametrize("setting", ["nowhere", "committed@x", "@1", "committed@1@2"])
def test_a_setting_that_names_no_place(setting: str) -> None:
    with pytest.raises(ValueError, match=r"failpoint|invalid literal"):
        arm(setting)


def killed_at(setting: str) -> tuple[int, str]:
    script = (
        "import sys\n"
        "from citestream.stores.failpoints import arm\n"
        "at = arm(sys.argv[1])\n"
        "for n in range(1, 5):\n"
        "    at('woken'); print(n, flush=True); at('committed')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, setting],
        env={**os.environ, "PYTHONPATH": str(PACKAGE.parent)},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout


def test_it_kills_at_the_nth_passing() -> None:
    assert killed_at("committed@3") == (-9, "1\n2\n3\n")
    assert killed_at("committed") == (-9, "1\n")
    assert killed_at("checkpoint@1") == (0, "1\n2\n3\n4\n")
