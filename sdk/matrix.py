"""Runs every generator of clients that the document is written for; writes docs/clients.md's table.

    python sdk/matrix.py [--check]

Each client is generated, compiled strictly, and makes one real ``extract``, ``stream`` and ``push``
against the service. ``--check`` compares the table with the page and writes nothing. Needs Node
20.19, npm, Java 11 and the environment of ``make test``.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, NamedTuple

SDK: Final = Path(__file__).parent
ROOT: Final = SDK.parent
sys.path[:0] = [str(ROOT), str(ROOT / "app")]

from tests.serving import process  # noqa: E402

from citestream.api.schemas.examples import (  # noqa: E402
    ANSWER,
    ANSWER_BODY,
    CREATE_TURN_BODY,
    PUSH_ANSWER,
    PUSH_BODY,
)

PAGE: Final = ROOT / "docs" / "clients.md"
GENERATOR: Final = "openapi-generator-cli==7.26.0"
EVENTS: Final = 4
"""Of the stream that answers the example."""
TSC: Final = [
    *("--strict", "--skipLibCheck", "--target", "es2022", "--lib", "es2022,dom,dom.iterable"),
    *("--module", "commonjs", "--moduleResolution", "node10", "--outDir", "js"),
]
UV: Final = [sys.executable, "-m", "uv", "--quiet"]
HTTPX: Final = ["httpx", "httpx-sse", "attrs"]
LIBRARIES: Final = ["urllib3", "python-dateutil", "pydantic", "typing-extensions"]


class Client(NamedTuple):
    """One generator: its row of the table, and how it is tried."""

    name: str
    version: str
    generate: Callable[[Path], None]
    check: Callable[[Path], bool]
    """Compiles the client and its program strictly; tells whether that went well."""
    run: Callable[[Path], list[str]]
    streams: str
    """What the page says of streams, where the call itself succeeds."""


def call(*command: str | Path, cwd: Path = ROOT, **environment: str) -> str:
    """Run a command to its end; raise with all it printed when it fails."""
    done = subprocess.run(
        command, cwd=cwd, env={**os.environ, **environment}, capture_output=True, text=True
    )
    if done.returncode:
        raise RuntimeError(f"{command}: {done.stdout}{done.stderr}")
    return done.stdout


def made(*targets: str) -> Callable[[Path], None]:
    """Return what makes these targets of sdk/Makefile."""

    def generate(out: Path) -> None:
        call("make", "-C", SDK, f"OUT={out}", f"PYTHON={sys.executable}", *targets)

    return generate


def openapi_generator(name: str, folder: str) -> Callable[[Path], None]:
    """Return what runs openapi-generator; its PyPI package carries the program, not Java."""

    def generate(out: Path) -> None:
        call(
            *(*UV, "tool", "run", "--from", GENERATOR, "openapi-generator-cli", "generate"),
            *("-g", name, "-i", ROOT / "openapi" / "openapi.json", "-o", out / folder),
            *("--additional-properties", "packageName=citestream_og"),
        )

    return generate


def compiles(program: str) -> Callable[[Path], bool]:
    """Return what compiles a program in TypeScript with the client that it uses."""

    def check(out: Path) -> bool:
        modules = Path(call("make", "-C", SDK, "--no-print-directory", "where").strip())
        (out / "node_modules").is_symlink() or (out / "node_modules").symlink_to(modules)
        (out / program).write_text((SDK / "matrix" / program).read_text())
        try:
            call("node", modules / "typescript/bin/tsc", *TSC, program, cwd=out)
        except RuntimeError as error:
            print(str(error)[-500:])
            return False
        return True

    return check


def typed(program: str, folder: str, *libraries: str) -> Callable[[Path], bool]:
    """Return what runs mypy over a program in Python, with the types of the client it uses."""

    def check(out: Path) -> bool:
        needs = [part for one in ["mypy", *libraries] for part in ("--with", one)]
        mypy = ["mypy", "--strict", "--follow-imports", "silent", str(SDK / "matrix" / program)]
        try:
            call(*UV, "run", "--no-project", *needs, *mypy, cwd=out, MYPYPATH=str(out / folder))
        except RuntimeError as error:
            print(str(error)[-500:])
            return False
        return True

    return check


def node(program: str) -> Callable[[Path], list[str]]:
    """Return the command that runs a compiled program."""
    return lambda out: ["node", str(out / "js" / program)]


def python(program: str, folder: str, *libraries: str) -> Callable[[Path], list[str]]:
    """Return the command that runs a program in Python with these libraries alone."""
    needs = [part for one in libraries for part in ("--with", one)]
    script = str(SDK / "matrix" / program)
    return lambda out: [
        *("env", f"PYTHONPATH={out / folder}", *UV, "run", "--no-project", *needs),
        *("python", script),
    ]


def npm_version(name: str) -> str:
    """Return the version of a generator that is locked."""
    packages = json.loads((SDK / "package.json").read_text())["devDependencies"]
    return f"{packages[name]}"


def locked_version(name: str) -> str:
    """Return the version of a generator in Python that is locked."""
    lock = (ROOT / "requirements" / "test.txt").read_text()
    [version] = re.findall(rf"^{name}==([\d.]+)", lock, re.MULTILINE)
    return f"{version}"


CLIENTS: Final = (
    Client(
        "openapi-python-client",
        locked_version("openapi-python-client"),
        made("python"),
        typed("openapi_python_client.py", "python", *HTTPX, "types-python-dateutil"),
        python("openapi_python_client.py", "python", *HTTPX, "python-dateutil"),
        "typed events, by `events.py` that `make sdk` adds; `follow_turn` resumes",
    ),
    Client(
        "openapi-generator, `python`",
        GENERATOR.partition("==")[2],
        openapi_generator("python", "og"),
        typed("openapi_generator.py", "og", *LIBRARIES, "types-python-dateutil"),
        python("openapi_generator.py", "og", *LIBRARIES),
        "bytes, by `stream_without_preload_content`; read them with httpx-sse",
    ),
    Client(
        "openapi-generator, `typescript-fetch`",
        GENERATOR.partition("==")[2],
        openapi_generator("typescript-fetch", "typescript-fetch"),
        compiles("typescript_fetch.ts"),
        node("typescript_fetch.js"),
        "the response, by `streamRaw(…).raw`; read its body with eventsource-parser",
    ),
    Client(
        "@hey-api/openapi-ts",
        npm_version("@hey-api/openapi-ts"),
        made("typescript"),
        compiles("hey_api.ts"),
        node("hey_api.js"),
        "typed events",
    ),
    Client(
        "openapi-typescript with openapi-fetch",
        f"{npm_version('openapi-typescript')}, {npm_version('openapi-fetch')}",
        made("others"),
        compiles("openapi_fetch.ts"),
        node("openapi_fetch.js"),
        'a stream of bytes, with `parseAs: "stream"`; read it with eventsource-parser',
    ),
    Client(
        "orval, `fetch`",
        npm_version("orval"),
        made("others"),
        compiles("orval_fetch.ts"),
        node("orval_fetch.js"),
        "none: it reads an answer to its end. Follow a stored turn with `EventSource`",
    ),
)


def tried(client: Client, url: str, out: Path, number: int) -> str:
    """Try a generator; return its row."""
    client.generate(out)
    strict = client.check(out)
    create = {**CREATE_TURN_BODY, "turn_id": f"matrix-{number}"}
    bodies = [json.dumps(one) for one in (ANSWER_BODY, create, PUSH_BODY)]
    told: dict[str, Any] = json.loads(call(*client.run(out), url, *bodies))
    cells = [
        client.name,
        client.version,
        "yes" if strict else "no",
        "yes" if told["extract"] == ANSWER["citations"][0]["offset"] else "no",
        "yes" if told["push"] == PUSH_ANSWER["next"] else "no",
        client.streams if told["stream"] in (0, EVENTS) else "no",
    ]
    return f"| {' | '.join(cells)} |"


def main() -> None:
    """Try all generators, and write or compare the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="compare the table; write nothing")
    check = parser.parse_args().check
    rows = []
    with process(CITESTREAM_STORE_URL="memory:") as server:
        for number, client in enumerate(CLIENTS):
            with tempfile.TemporaryDirectory(prefix="citestream-matrix-") as folder:
                rows.append(tried(client, server.url, Path(folder), number))
                print(rows[-1])
    page = PAGE.read_text(encoding="utf-8")
    head, bar, _ = page.partition("|---|---|---|---|---|---|\n")
    tail = page[len(head) + len(bar) :]
    rest = tail[tail.index("\n\n") :] if "\n\n" in tail else "\n"
    table = head + bar + "\n".join(rows) + rest
    if not check:
        PAGE.write_text(table, encoding="utf-8")
    elif table != page:
        sys.exit("docs/clients.md does not say what the generators do: python sdk/matrix.py")


if __name__ == "__main__":
    main()
