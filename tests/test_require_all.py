"""With ``REQUIRE_ALL`` what a machine lacks is a failure; without it, a line before the last."""

import os
import subprocess
import sys
from pathlib import Path

HOOKS = Path(__file__).with_name("conftest.py")
LACKING_MODULE = {"test_module.py": "import pytest\npytest.importorskip('no_such_module')\n"}
LACKING_TOOLS = {
    "test_call.py": "import pytest\ndef test_it():\n    pytest.skip('no Node here')\n",
    "test_mark.py": (
        "import pytest\n@pytest.mark.skipif(True, reason='no make here')\ndef test_it(): ...\n"
    ),
}
KNOWN_FAILURE = {"test_known.py": "import pytest\n@pytest.mark.xfail\ndef test_it(): assert 0\n"}
PASSING = {"test_here.py": "def test_it(): ...\n"}


def run(folder: Path, files: dict[str, str], *, require_all: str) -> tuple[int, list[str]]:
    """Run the files under the hooks; return the exit status and the lines printed."""
    for name, text in {"conftest.py": HOOKS.read_text(encoding="utf-8"), **files}.items():
        (folder / name).write_text(text, encoding="utf-8")
    switches = {"REQUIRE_ALL": require_all, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-ra", "-p", "no:cacheprovider", "."],
        cwd=folder,
        env=os.environ | switches,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    return done.returncode, done.stdout.splitlines()


def test_what_was_skipped_is_named_before_the_last_line(tmp_path: Path) -> None:
    files = LACKING_MODULE | LACKING_TOOLS | PASSING
    status, lines = run(tmp_path, files, require_all="0")
    skipped = "\n".join(line for line in lines[:-1] if line.startswith("SKIPPED"))
    assert status == 0
    assert lines[-1].startswith("1 passed, 3 skipped")
    for lacking in ("no_such_module", "no Node here", "no make here"):
        assert lacking in skipped


def test_each_skipped_test_fails_when_all_is_required_and_nothing_else(tmp_path: Path) -> None:
    files = LACKING_TOOLS | KNOWN_FAILURE | PASSING
    status, lines = run(tmp_path, files, require_all="1")
    assert status == 1
    assert lines[-1].startswith("1 failed, 1 passed, 1 xfailed, 1 error")


def test_a_skipped_file_fails_when_all_is_required(tmp_path: Path) -> None:
    status, lines = run(tmp_path, LACKING_MODULE | PASSING, require_all="1")
    assert status != 0
    assert any("no_such_module" in line for line in lines)
