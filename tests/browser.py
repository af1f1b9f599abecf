"""Debian's Chromium, driven by Playwright: started once for all the tests of a process.

Lives here: how it is started, and what a page may not do while a test looks at it. Must not know
any page. Playwright's driver is started for each page, because an event loop runs in this thread
while it does, and other tests have loops of their own.
"""

import atexit
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest
from playwright.sync_api import Page, sync_playwright

from tests.serving import until

CHROMIUM = shutil.which("chromium")
needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
START_SECONDS = 120
"""For a browser on a machine that is busy with other tests."""
QUIET = [
    "--headless",
    "--no-sandbox",  # the tests may be run by root
    "--disable-gpu",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--remote-debugging-port=0",
]


@cache
def _endpoint() -> str:
    """Start the browser; return where it is driven from. It ends with this process."""
    assert CHROMIUM
    folder = tempfile.TemporaryDirectory(prefix="citestream-chromium-", ignore_cleanup_errors=True)
    started = subprocess.Popen(
        [CHROMIUM, *QUIET, f"--user-data-dir={folder.name}"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )

    def end() -> None:
        started.terminate()
        started.wait()
        folder.cleanup()

    atexit.register(end)
    told = Path(folder.name) / "DevToolsActivePort"
    port = until(lambda: told.exists() and told.read_text().partition("\n")[0])
    return f"http://127.0.0.1:{port}"


@contextmanager
def page_of(url: str, pictures: Path, *, may_fail: bool = False) -> Iterator[Page]:
    """Open a page; fail for an error, a message on its console, or a request to elsewhere.

    With ``may_fail`` requests may fail, which the console tells. A picture of the page is in
    ``pictures`` when the test has failed.
    """
    faults: list[str] = []
    origin = "/".join(url.split("/")[:3])
    with sync_playwright() as driver:
        chromium = driver.chromium.connect_over_cdp(_endpoint(), timeout=START_SECONDS * 1000)
        context = chromium.new_context(viewport={"width": 1200, "height": 1400})
        page = context.new_page()
        if not may_fail:
            page.on("console", lambda message: faults.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on(
            "request",
            lambda request: (
                None
                if request.url.startswith((origin, "data:", "blob:"))
                else faults.append(f"asked for {request.url}")
            ),
        )
        try:
            page.goto(url)
            yield page
            assert faults == []
        except BaseException:
            page.screenshot(path=pictures / "failed.png", full_page=True)
            raise
        finally:
            context.close()
