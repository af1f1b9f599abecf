"""With ``REQUIRE_ALL=1`` a skipped test has failed: what it needs was to be on this machine."""

import os
from collections.abc import Generator

import pytest

REQUIRE_ALL = os.environ.get("REQUIRE_ALL", "0") != "0"


def fail_if_skipped(report: pytest.TestReport | pytest.CollectReport) -> None:
    expected_to_fail = hasattr(report, "wasxfail")
    if REQUIRE_ALL and report.skipped and not expected_to_fail:
        report.outcome = "failed"
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        report.longrepr = f"REQUIRE_ALL: {reason}"


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
