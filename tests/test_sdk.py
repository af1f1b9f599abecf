"""The generated client packages, against the running service."""

import asyncio
import fcntl
import importlib
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from citestream.api.schemas.examples import (
    ANSWER,
    ANSWER_BODY,
    CREATE_TURN_BODY,
    PUSH_BODY,
    STREAM_EVENTS,
)
from tests.serving import process

ROOT = Path(__file__).parents[1]
SDK = ROOT / "sdk"
CITATION = ANSWER["citations"][0]
DETAIL = "body: give either deltas or text"
EVENTS = [
    {"type": "delta", "text": "The limit is 450 mg/m²."},
    {"type": "citation", "citation": CITATION},
    {"type": "citations_summary", "citations": [CITATION]},
    {
        "type": "artifact",
        **{key: ANSWER[key] for key in ANSWER.keys() - {"text", "citations"}},
    },
]


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    store = tmp_path_factory.mktemp("store") / "turns.db"
    with process(CITESTREAM_STORE_URL=f"sqlite:///{store}") as server:
        yield server.url


def generate(out: Path, *targets: str) -> None:
    # One at a time: the first to come installs the generators.
    with (SDK / "package-lock.json").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        make = ["make", "-C", str(SDK), f"OUT={out}", f"PYTHON={sys.executable}", *targets]
        made = subprocess.run(make, capture_output=True, text=True, timeout=300, check=False)
    assert made.returncode == 0, made.stdout + made.stderr


@pytest.fixture(scope="module")
def sdk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """What the generated package for Python offers."""
    out = tmp_path_factory.mktemp("sdk")
    generate(out, "python")
    sys.path.insert(0, str(out / "python"))
    offered: dict[str, Any] = {}
    for module in ("", ".models", ".events"):
        offered |= vars(importlib.import_module(f"citestream_client{module}"))
    for call in ("answers.extract", "turns.turns_create", "turns.turns_push"):
        module = importlib.import_module(f"citestream_client.api.{call}")
        offered[call.rpartition(".")[2]] = module
    yield SimpleNamespace(**offered)
    sys.path.remove(str(out / "python"))


def test_python_extracts(sdk: Any, url: str) -> None:
    with sdk.Client(url) as client:
        answer = sdk.extract.sync(client=client, body=sdk.AnswerBody.from_dict(ANSWER_BODY))
    assert isinstance(answer, sdk.Answer)
    assert answer.citations[0].offsets.utf8 == 24
    assert answer.to_dict() == ANSWER


def test_python_streams_typed_events(sdk: Any, url: str) -> None:
    body = sdk.AnswerBody.from_dict(ANSWER_BODY)
    with sdk.Client(url) as client:
        events = list(sdk.stream_events(client, body))
        resumed = list(sdk.stream_events(client, body, "3"))
        over = list(sdk.stream_events(client, body, "4"))
    kinds = [sdk.TextDelta, sdk.CitationEvent, sdk.CitationsSummary, sdk.ArtifactEvent]
    assert [type(event) for event in events] == kinds
    assert [event.to_dict() for event in events] == EVENTS
    assert resumed == events[3:]
    assert over == []


def test_python_streams_without_blocking(sdk: Any, url: str) -> None:
    async def run() -> list[Any]:
        body = sdk.AnswerBody.from_dict(ANSWER_BODY)
        async with sdk.Client(url) as client:
            return [event.to_dict() async for event in sdk.stream_events_async(client, body)]

    assert asyncio.run(run()) == EVENTS


def test_python_follows_a_stored_turn(sdk: Any, url: str) -> None:
    create = sdk.CreateTurnBody.from_dict(CREATE_TURN_BODY)
    with sdk.Client(url) as client:
        turn = sdk.turns_create.sync(client=client, body=create)
        push = sdk.PushBody.from_dict(PUSH_BODY)
        sdk.turns_push.sync(turn.id, client=client, body=push)
        events = list(sdk.turn_events(client, turn.id))
        resumed = list(sdk.turn_events(client, turn.id, "4"))
    assert [event.to_dict() for event in events] == STREAM_EVENTS
    assert resumed == events[4:]


def test_python_gets_typed_problems(sdk: Any, url: str) -> None:
    neither = sdk.AnswerBody()
    with sdk.Client(url) as client:
        problem = sdk.extract.sync(client=client, body=neither)
        with pytest.raises(sdk.RefusedError) as refused:
            list(sdk.stream_events(client, neither))
    assert isinstance(problem, sdk.Problem)
    assert problem.status == 422
    assert problem.detail == DETAIL
    assert refused.value.problem == problem


def test_python_reads_an_error_in_a_stream(sdk: Any, url: str) -> None:
    request = {
        "method": "post",
        "url": "/v1/stream",
        "content": json.dumps({"type": "delta", "text": "x" * (1024 * 1024 + 1)}),
        "headers": {"Content-Type": "application/x-ndjson"},
    }
    with sdk.Client(url) as client:
        [error] = sdk._events(client, request)
    assert isinstance(error, sdk.ErrorEvent)
    assert error.error.line == 1


def test_python_follows_through_broken_connections(sdk: Any, url: str) -> None:
    class Breaking(httpx.HTTPTransport):
        """Breaks off after the second event of each answer; refuses in between."""

        asked = 0

        def handle_request(self, request: httpx.Request) -> httpx.Response:
            self.asked += 1
            if self.asked == 2:
                return httpx.Response(502, text="<html>")
            answer = super().handle_request(request)
            if answer.status_code != 200 or request.method != "GET":
                return answer
            events = answer.read().split(b"\n\n")[:2]

            def broken() -> Iterator[bytes]:
                yield b"\n\n".join([*events, b""])
                raise httpx.ReadError("broken")

            return httpx.Response(200, headers=answer.headers, content=broken())

    sdk_events = sys.modules["citestream_client.events"]
    create = sdk.CreateTurnBody.from_dict({"turn_id": "turn-9"})
    transport = Breaking()
    with sdk.Client(url) as client:
        turn = sdk.turns_create.sync(client=client, body=create)
        sdk.turns_push.sync(turn.id, client=client, body=sdk.PushBody.from_dict(PUSH_BODY))
    with pytest.MonkeyPatch.context() as patch, sdk.Client(url) as client:
        patch.setattr(sdk_events, "FIRST_PAUSE", 0.01)
        client.set_httpx_client(httpx.Client(base_url=url, transport=transport))
        followed = list(sdk.follow_turn(client, turn.id))
        with pytest.raises(sdk.RefusedError):
            list(sdk.follow_turn(client, "nobody"))
    assert [one.event.to_dict() for one in followed] == STREAM_EVENTS
    assert [one.id for one in followed] == [str(n + 1) for n in range(len(STREAM_EVENTS))]
    assert transport.asked > 3


def node() -> str:
    """Return what keeps JavaScript from running here, or nothing."""
    if not (shutil.which("node") and shutil.which("npm")):
        return "Node and npm are not installed"
    version = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True)
    found = tuple(map(int, version.stdout.strip().lstrip("v").split(".")))
    return "" if found >= (20, 19) else "Node is older than 20.19"


needs_node = pytest.mark.skipif(bool(node()), reason=node())


def tools() -> Path:
    shown = subprocess.run(
        ["make", "-C", str(SDK), "--no-print-directory", "where"],
        capture_output=True,
        text=True,
        check=True,
    )
    return Path(shown.stdout.strip())


def compile_strictly(folder: Path, *files: str) -> None:
    options = [
        "--strict",
        "--target",
        "es2022",
        "--lib",
        "es2022,dom,dom.iterable",
        "--module",
        "commonjs",
    ]
    made = subprocess.run(
        ["node", tools() / "typescript/bin/tsc", *options, "--outDir", "js", *files],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.returncode == 0, made.stdout


@needs_node
def test_typescript_extracts_streams_and_gets_typed_problems(tmp_path: Path, url: str) -> None:
    generate(tmp_path, "typescript")
    shutil.copy(ROOT / "tests" / "sdk.ts", tmp_path / "drive.ts")
    compile_strictly(tmp_path, "drive.ts")
    ran = subprocess.run(
        ["node", "js/drive.js", url, json.dumps(ANSWER_BODY)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    told = json.loads(ran.stdout)
    assert told["answer"] == ANSWER
    assert told["events"] == EVENTS
    assert told["text"] == "The limit is 450 mg/m²."
    assert told["problem"]["detail"] == DETAIL


@needs_node
def test_other_generators_read_the_document(tmp_path: Path) -> None:
    generate(tmp_path, "others")
    compile_strictly(tmp_path, "openapi-typescript.ts", "orval.ts")
