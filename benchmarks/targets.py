"""Time of `derive` when rows, results or calls double: t(2n) / t(n), at most 2.3 when linear.

Run `python benchmarks/targets.py`; it exits 1 when a ratio is over the bound.
"""

import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "app"))

from citestream.targets import OPERATIONS, shipped_preset

BOUND = 2.3
ROUNDS = 7
PRESET = shipped_preset()

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


def hostile_label(n: int) -> Body:
    return {"label": "a" + "\u0301\u0323" * n}


CASES: tuple[tuple[str, str, Callable[[int], Body], int], ...] = (
    ("rows of one result", "derive", rows, 40_000),
    ("rows, all accounts distinct", "derive", distinct_accounts, 40_000),
    ("results", "derive", results, 10_000),
    ("results pooled under one source", "derive", pooled_results, 2_000),
    ("calls", "derive", calls, 10_000),
    ("marks of one label", "slug", hostile_label, 50_000),
)


def seconds(operation: str, body: Body) -> float:
    """Return the best of some rounds, the least disturbed by other work on the machine."""
    best = float("inf")
    for _ in range(ROUNDS):
        start = time.perf_counter()
        OPERATIONS[operation](body, PRESET)
        best = min(best, time.perf_counter() - start)
    return best


def main() -> int:
    worst = 0.0
    print(f"{'':34}{'n':>8}{'t(n) ms':>10}{'t(2n)/t(n)':>12}")
    for name, operation, build, n in CASES:
        once, twice = seconds(operation, build(n)), seconds(operation, build(2 * n))
        worst = max(worst, twice / once)
        print(f"{name:34}{n:8}{once * 1000:10.1f}{twice / once:12.2f}")
    return 1 if worst > BOUND else 0


if __name__ == "__main__":
    raise SystemExit(main())
