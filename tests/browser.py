"""Debian's Chromium, driven by Playwright: started once for all the tests of a process.

Lives here: how it is started, and what a page may not do while a test looks at it. Must not know
any page.
"""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

CHROMIUM = shutil.which("chromium")
needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
QUIET = [
    "--no-sandbox",  # the tests may be run by root
    "--disable-gpu",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


@cache
def browser() -> Browser:
    """Return the one browser of this process; it ends with the process."""
    return sync_playwright().start().chromium.launch(executable_path=CHROMIUM, args=QUIET)


@contextmanager
def page_of(url: str, pictures: Path, *, may_fail: bool = False) -> Iterator[Page]:
    """Open a page; fail for an error, a message on its console, or a request to elsewhere.

    With ``may_fail`` requests may fail, which the console tells.

    A picture of the page is in ``pictures`` when the test has failed.
    """
    page = browser().new_page(viewport={"width": 1200, "height": 1400})
    faults: list[str] = []
    origin = "/".join(url.split("/")[:3])
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
        page.close()
