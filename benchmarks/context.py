"""Is the context package linear, and does it let other threads run? A failure where it is not.

Run from the root of the tree: `PYTHONPATH=app python benchmarks/context.py`. For each operation it
prints the hostile text with the worst t(2n) / t(n), which must be at most 2.3, and the most that
one text of a megabyte was worked on before another thread ran, best of three. A loop of Python
alone is the floor, since threads change every 5 ms. All times are of the processor, so that other
work on the machine counts little.
"""

import gc
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from time import clock_gettime, pthread_getcpuclockid, sleep, thread_time
from typing import Any

from citestream.context import DEFAULT_SETTINGS, OPERATIONS, ContextError

RATIO_LIMIT = 2.3
HELD_LIMIT = 3.0
"""Times the floor, which is 6 ms and more: some 20 ms."""
ROUNDS = 3
ATTEMPTS = 4
SIZE = 60_000
MEGABYTE = 1_000_000

SNIPPETS = (
    *(
        "@",
        "[",
        "![",
        "](",
        "<",
        "%",
        "\\",
        '"',
        "'",
        "`",
        "a",
        "é",
        "\U0001f408",
        " ",
        "\n",
        "\r\n",
    ),
    *("{", "}", "&", "=", "\ufffc", "[a](t3-context://v1/file/", "[a](t3-context://v1/file/f)"),
    "[Assistant quote](t3-citation://v1/a/b/c?text=",
    "[Assistant quote](t3-citation://v1/a/b/c?text=a&start=0&end=1&prefix=&suffix=)",
    *("<terminal_context>\n", "<element_context>\n<preview_annotation>\n", "<review_comment "),
    '<review_comment sectionId="s" filePath="a.py" startIndex="1" endIndex="1">\n```\n',
    *("</review_comment>\n", "```\n", "````diff\n```\n", "@build:7 ", "x@build:7.", "(@build:7"),
    *("- a:\n", "  7 | done\n", "- Build line 7:\n  7 | done\n", "  url: a\n", "<context>"),
)

EXCERPT = "<terminal_context>\n- Build line 7:\n  7 | done\n</terminal_context>"
EXCERPTS = "<terminal_context>\n{}</terminal_context>".format(
    "".join(f"- Build{'x' * n} line 7:\n  7 | done\n" for n in range(150))
)
REVIEW = '<review_comment sectionId="s" filePath="a.py" startIndex="1" endIndex="1">'


def record(text: str) -> dict[str, Any]:
    return {"version": 1, "contextId": "f", "kind": "chart", "label": text[:200], "payload": text}


def records(text: str) -> list[dict[str, Any]]:
    """Records that hold a text in pieces that a payload may have."""
    step = 20_000
    pieces = (text[start : start + step] for start in range(0, len(text), step))
    return [record(piece) | {"contextId": f"f{number}"} for number, piece in enumerate(pieces)]


def bodies(text: str) -> dict[str, dict[str, Any]]:
    """The inputs by their names, an operation and what is special about it."""
    fragment = {"version": 1, "source": {"environmentId": "e"}, "records": records(text)}
    draft = {"text": text, "records": [*records(text), record("a") | {"expired": True}]}
    return {
        "parse": {"text": text, "unit": "utf16"},
        "sanitize-label": {"label": text, "kind": "file"},
        "decode": {"context": fragment},
        "decode one": {"context": fragment | {"records": [record(text)]}},
        "project": {"text": text, "records": records(text)},
        "upgrade with an excerpt": {"text": f"{text}\n\n{EXCERPT}"},
        "upgrade with many excerpts": {"text": f"{text}\n\n{EXCERPTS}"},
        "upgrade in an excerpt": {"text": EXCERPT.replace("done", text)},
        "upgrade in elements": {
            "text": EXCERPT.replace("terminal", "element").replace("7 |", text)
        },
        "upgrade in a preview": {"text": f"<preview_annotation>\n{text}\n</preview_annotation>"},
        "upgrade in a review": {"text": f"{REVIEW}{text}</review_comment>"},
        "upgrade in a tag": {"text": f'<review_comment a="{text}">x</review_comment>'},
        "resolve": {"message": {"text": text, "context": fragment, "attachments": {"a": "b"}}},
        "fold-id": {"id": text},
        "fragment-encode": {**fragment, "selected": ["f0", "f1"]},
        "fragment-decode": {"json": text},
        "import": {
            "text": text,
            "fragment": fragment,
            "draft_records": records(text[1:]),
            "environment_id": "e",
            "fresh_ids": {},
        },
        "rebind": {"records": records(text), "attachments": []},
        "prune": draft,
        "remove": {**draft, "ids": ["f"]},
        "hydrate": draft,
        "plain": {"text": text},
        "quote-parse": {"text": text, "unit": "utf16"},
    }


def work(name: str, snippet: str, size: int) -> Callable[[], object]:
    body = bodies(snippet * (size // len(snippet)))[name]
    operation = OPERATIONS[name.split()[0]]

    def run() -> None:
        with suppress(ContextError):  # over a limit: that is an answer, too
            operation(body, DEFAULT_SETTINGS)

    return run


def seconds(run: Callable[[], object]) -> float:
    started = thread_time()
    run()
    return thread_time() - started


def ratio(single: Callable[[], object], double: Callable[[], object]) -> float:
    """Return t(2n) / t(n) of the best times, taken in turn: other work hits both alike."""
    once = twice = float("inf")
    for _ in range(ATTEMPTS):
        for _ in range(ROUNDS):
            once, twice = min(once, seconds(single)), min(twice, seconds(double))
        if twice / once <= RATIO_LIMIT or twice < 1e-3:  # too short to tell
            break
    return min(twice / once, RATIO_LIMIT) if twice < 1e-3 else twice / once


def held(run: Callable[[], object]) -> float:
    """Return the most that this thread worked while another one could not run."""
    clock = pthread_getcpuclockid(threading.get_ident())
    longest = 0.0
    over = threading.Event()
    ready = threading.Event()

    def tick() -> None:
        nonlocal longest
        last = clock_gettime(clock)
        ready.set()
        while not over.is_set():
            sleep(0.0005)
            now = clock_gettime(clock)
            longest, last = max(longest, now - last), now

    ticking = threading.Thread(target=tick)
    ticking.start()
    ready.wait()
    run()
    over.set()
    ticking.join()
    return longest


def python_alone() -> None:
    for number in range(3_000_000):
        _ = number * number


def main() -> int:
    gc.disable()
    floor = min(held(python_alone) for _ in range(ROUNDS))
    print(f"floor: Python alone holds up another thread for {floor * 1e3:.1f} ms")
    failed = False
    for name in bodies("a"):
        ratios = {
            snippet: ratio(work(name, snippet, SIZE), work(name, snippet, 2 * SIZE))
            for snippet in SNIPPETS
        }
        worst = max(ratios, key=lambda snippet: ratios[snippet])
        holds = {}
        for snippet in SNIPPETS:
            run = work(name, snippet, MEGABYTE)
            holds[snippet] = held(run)
            if holds[snippet] > HELD_LIMIT * floor:
                holds[snippet] = min(holds[snippet], *(held(run) for _ in range(ROUNDS)))
        longest = max(holds, key=lambda snippet: holds[snippet])
        gc.collect()
        slow = ratios[worst] > RATIO_LIMIT or holds[longest] > HELD_LIMIT * floor
        failed = failed or slow
        print(
            f"{name:27} x {ratios[worst]:.2f} {worst[:20]!r:24}"
            f" held {holds[longest] * 1e3:5.1f} ms, x {holds[longest] / floor:.1f} of the floor"
            f" {longest[:20]!r}{'   TOO SLOW' if slow else ''}",
            flush=True,
        )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
