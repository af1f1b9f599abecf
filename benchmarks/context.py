"""Is the context room linear? Prints t(2n) / t(n) for its hardest inputs; over 2.3 is a failure.

Run from the root of the tree: `PYTHONPATH=app python benchmarks/context.py`.
"""

import gc
import sys
from collections.abc import Callable
from contextlib import suppress
from time import perf_counter
from typing import Any

from citestream.context import (
    ProviderTextLimitError,
    format_reference,
    parse_references,
    plain_text,
    project,
    prune_draft,
    upgrade_message,
)

LIMIT = 2.3
ROUNDS = 5
ATTEMPTS = 4
MEGABYTE = 1_000_000

REVIEW = '<review_comment sectionId="s" filePath="a.py" startIndex="1" endIndex="1">\n'
EXCERPTS = "\n<terminal_context>\n{}</terminal_context>".format(
    "".join(f"- Build {n} line 7:\n  7 | done\n" for n in range(200))
)
EXCERPT = "<terminal_context>\n- Build line 7:\n  7 | done\n</terminal_context>"


def message(size: int) -> tuple[str, list[dict[str, Any]]]:
    """Build a message with about `size` characters of records, 80,000 each."""
    excerpt = {"terminalId": "t", "terminalLabel": "t", "lineStart": 1, "lineEnd": 64_000}
    kinds = [
        {"kind": "terminal", **excerpt, "text": "<context>\n" * 6_400, "unread": "x" * 9_300},
        {"kind": "chart", "payload": ["</t3_context>"] * 3_990, "unread": "x" * 16_000},
    ]
    records: list[dict[str, Any]] = [
        {"version": 1, "contextId": f"r{number}", "label": "log", **kinds[number % 2]}
        for number in range(size // 80_000)
    ]
    links = (format_reference(r["kind"], r["contextId"], r["label"]) for r in records)
    return "\n".join(links), records


def project_whole(text: str, records: list[dict[str, Any]]) -> None:
    with suppress(ProviderTextLimitError):  # raised when all of the text is built and counted
        project(text, list(records))


def read_all(text: str) -> None:
    parse_references(text)
    plain_text(text)
    project_whole(text, [])
    upgrade_message(text)


def fill(piece: str, size: int) -> str:
    return piece * (size // len(piece))


def texts(size: int) -> dict[str, str]:
    opened = {tag: f"<{tag}>\n" for tag in ("terminal_context", "element_context")}
    return {
        "brackets": fill("[", size),
        "exclamation marks": fill("![", size),
        "unfinished links": fill("[a](t3-context://v1/file/", size),
        "unfinished quotes": fill("[Assistant quote](t3-citation://v1/a/b/c?text=", size),
        "unclosed old blocks": fill("".join(opened.values()) + "<preview_annotation>\n", size),
        "unclosed reviews": fill(REVIEW, size),
        "unclosed review tags": fill("<review_comment ", size),
        "one long attribute": f"<review_comment {fill('a', size)}>x</review_comment>",
        "open fences": REVIEW + fill("````diff\n", size),
        "reviews with open fences": fill(REVIEW + "```\n</review_comment>\n", size),
        "closed fences": REVIEW + fill("```\n```\n", size) + "</review_comment>",
        "trailing reviews": fill(REVIEW + "</review_comment>\n", size),
        "trailing blocks": fill(EXCERPT + "\n\n", size),
        "placeholders": fill("\ufffc", size) + EXCERPT,
        "written-out labels": fill("x@build:7.", size) + EXCERPT,
        "at signs, many excerpts": fill("@", size) + EXCERPTS,
    }


def seconds(work: Callable[[], object]) -> float:
    gc.collect()
    started = perf_counter()
    work()
    return perf_counter() - started


def measure(single: Callable[[], object], double: Callable[[], object]) -> tuple[float, float]:
    """Return the best times of both, taken in turn: other work on the machine hits both alike."""
    once = twice = float("inf")
    for _ in range(ATTEMPTS):
        for _ in range(ROUNDS):
            once, twice = min(once, seconds(single)), min(twice, seconds(double))
        if twice / once <= LIMIT:
            break
    return once, twice


def links(count: int) -> tuple[str, list[dict[str, Any]]]:
    record = {"contextId": "t1", "kind": "terminal", "expired": True}
    return "x" + " " * count + "[a](t3-context://v1/terminal/t1)" * count, [record]


def cases() -> dict[str, tuple[Callable[[], object], Callable[[], object]]]:
    half, whole = message(8_000_000), message(16_000_000)
    few, many = links(10_000), links(20_000)
    found = {
        "largest message": (lambda: project_whole(*half), lambda: project_whole(*whole)),
        "expired excerpts": (lambda: prune_draft(*few), lambda: prune_draft(*many)),
    }
    single, double = texts(MEGABYTE), texts(2 * MEGABYTE)
    for name in single:
        found[name] = (
            lambda name=name: read_all(single[name]),  # type: ignore[misc]
            lambda name=name: read_all(double[name]),  # type: ignore[misc]
        )
    return found


def main() -> int:
    slow = 0
    for name, (single, double) in cases().items():
        once, twice = measure(single, double)
        slow += twice / once > LIMIT
        print(f"{name:26} {once * 1e3:9.1f} ms {twice * 1e3:9.1f} ms   x {twice / once:.2f}")
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
