"""CPU time of the operations on targets when their input doubles: t(2n) / t(n), at most 2.3.

Run `python benchmarks/targets.py`; it exits 1 when a ratio is over the bound.
"""

import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "app"))

from citestream.targets import OPERATIONS, Preset, load_preset, shipped_preset

BOUND = 2.3
ROUNDS = 7
SHIPPED = shipped_preset()
DECLARING = load_preset(
    'scheme = "desk"\n[kind.event]\ncalendar = "string"\neventId = "string"\nurl = "url?"\n'
    '[kind.file]\npath = "string"\n[read]\n"events/<calendar>/<eventId>" = "event"\n'
    '"files/<path>" = "file"\n'
)

Body = dict[str, object]


def account_row(n: int, accounts: int) -> Body:
    return {"amount": n, "source": "plaid", "source_account_id": f"account-{n % accounts:012}"}


def sql(source: str, rows: list[Body]) -> Body:
    return {"source": f"silvia://your-account/{source}", "rows": rows}


def one_call(results: list[Body]) -> Body:
    return {"calls": [{"tool": "execute_sql", "results": results}]}


def rows(n: int) -> Body:
    return one_call([sql("all", [account_row(row, 200) for row in range(n)])])


def distinct_accounts(n: int) -> Body:
    return one_call([sql("all", [account_row(row, n) for row in range(n)])])


def results(n: int) -> Body:
    return one_call([sql(f"label-{at}", [account_row(at, n)]) for at in range(n)])


def pooled_results(n: int) -> Body:
    return one_call([sql("all", [account_row(at, 200)]) for at in range(n)])


def calls(n: int) -> Body:
    tools = ("execute_python", "read_tax_authority", "search_web")
    return {
        "calls": [
            {"tool": tools[at % 3], "results": [{"source": f"https://example.org/{at}"}]}
            for at in range(n)
        ]
    }


def declared_results(n: int) -> Body:
    event = {"url": "https://cal.example.org/e", "title": "Berth"}
    results = [{"source": f"desk://events/harbour/{at}", **event} for at in range(n)]
    return {"calls": [{"tool": "read", "results": results}]}


def deep_path(n: int) -> Body:
    sources = [f"desk://{folder}/{'a%20b/' * n}" for folder in ("files", "events")]
    return {"calls": [{"tool": "read", "results": [{"source": source} for source in sources]}]}


def wide_result(n: int) -> Body:
    fields = {f"field-{at}": at for at in range(n)}
    return {"calls": [{"tool": "read", "results": [{"source": "desk://events/a/b", **fields}]}]}


def checkpoint(n: int) -> Body:
    target = {"kind": "event", "calendar": "harbour", "eventId": "e", "note": "dropped"}
    return {
        "calls": [],
        "checkpoint": {"citationTargets": {f"desk://{at}": target for at in range(n)}},
    }


def citations(n: int) -> Body:
    cited = [{"type": "search_result_location", "source": f"desk://{at}"} for at in range(n)]
    return {"citations": cited, "checkpoint": checkpoint(n)["checkpoint"]}


def long_query(n: int) -> Body:
    page = "https://www.ecfr.gov/api/versioner/v1/full/current/title-12.xml"
    return {"url": f"{page}?part=1026" + "&view=full" * n}


def hostile_label(n: int) -> Body:
    return {"label": "a" + "\u0301\u0323" * n}


Case = tuple[str, str, Callable[[int], Body], int]
CASES: dict[str, tuple[Preset, tuple[Case, ...]]] = {
    "the shipped preset": (
        SHIPPED,
        (
            ("rows of one result", "derive", rows, 40_000),
            ("rows, all accounts distinct", "derive", distinct_accounts, 40_000),
            ("results", "derive", results, 10_000),
            ("results pooled under one source", "derive", pooled_results, 2_000),
            ("calls", "derive", calls, 10_000),
            ("marks of one label", "slug", hostile_label, 50_000),
            ("query of a download", "humanize-url", long_query, 50_000),
        ),
    ),
    "a preset with kinds of its own": (
        DECLARING,
        (
            ("results", "derive", declared_results, 10_000),
            ("segments of a path", "derive", deep_path, 50_000),
            ("fields of a result", "derive", wide_result, 400_000),
            ("sources of a checkpoint", "derive", checkpoint, 20_000),
            ("citations to attach to", "attach", citations, 10_000),
        ),
    ),
}


def seconds(operation: str, body: Body, preset: Preset) -> float:
    """Return the best of some rounds, the least disturbed by other work on the machine."""
    best = float("inf")
    for _ in range(ROUNDS):
        start = time.process_time()
        OPERATIONS[operation](body, preset)
        best = min(best, time.process_time() - start)
    return best


def main() -> int:
    worst = 0.0
    for title, (preset, cases) in CASES.items():
        print(f"{title:34}{'n':>8}{'t(n) ms':>10}{'t(2n)/t(n)':>12}")
        for name, operation, build, n in cases:
            once = seconds(operation, build(n), preset)
            twice = seconds(operation, build(2 * n), preset)
            worst = max(worst, twice / once)
            print(f"{name:34}{n:8}{once * 1000:10.1f}{twice / once:12.2f}")
    return 1 if worst > BOUND else 0


if __name__ == "__main__":
    raise SystemExit(main())
