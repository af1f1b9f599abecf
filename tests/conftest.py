"""For the whole run: skipped is failed under ``REQUIRE_ALL=1``, Ctrl-C reaches processes.

A skipped test has failed because what it needs was to be on this machine.
"""

import os
import signal
from collections.abc import Generator

import pytest
from hypothesis import settings

REQUIRE_ALL = os.environ.get("REQUIRE_ALL", "0") != "0"


def fail_if_skipped(report: pytest.TestReport | pytest.CollectReport) -> None:
    expected_to_fail = hasattr(report, "wasxfail")
    if REQUIRE_ALL and report.skipped and not expected_to_fail:
        report.outcome = "failed"
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        report.longrepr = f"REQUIRE_ALL: {reason}"


# A time limit for each example would fail whenever other work slows the machine down.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")


def pytest_configure() -> None:
    # A run that a script has put into the background ignores SIGINT, and would hand that down.
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    fail_if_skipped(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    fail_if_skipped(report)
    return report
