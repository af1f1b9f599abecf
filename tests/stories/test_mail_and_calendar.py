"""A mail-and-calendar product, from tool result to rendered links, against a real server.

The product has kinds of target of its own, pages of its own that they open, and web tools. One
question is answered from a mail that is read twice, a calendar entry and a web page; then the
service is started anew.
"""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.api.turning import delta, marker
from tests.serving import DEADLINE, process
from tests.sse import events_of

PRESET = """\
scheme = "desk"
link.mail = "https://mail.example.org/#/<messageId>"
link.event = "/calendar/<calendar>/<eventId>"

[kind.mail]
messageId = "string"
thread = "string?"

[kind.event]
calendar = "string"
eventId = "string"
url = "url?"

[read_mail]
"mail/<messageId>" = "mail"

[read_calendar]
"calendar/<calendar>/<eventId>" = "event"

[search_web]
"<url>" = "web"
"""
MAIL = {
    "source": "desk://mail/m%2F17",
    "title": "Re: berth",
    "thread": "t-3",
    "body": "Hello,\nberth 7 is yours from noon.",
}
ENTRY = {
    "source": "desk://calendar/harbour/e-1",
    "title": "Berth 7",
    "rows": [{"from": "12:00", "to": "18:00"}],
}
TIDES = {"title": "Tide tables", "url": "https://example.org/tides", "snippet": "High at noon."}
MAIL_TARGET = {"kind": "mail", "messageId": "m/17", "thread": "t-3"}
EVENT_TARGET = {"kind": "event", "calendar": "harbour", "eventId": "e-1", "url": None}


class Desk:
    """The service as the product runs it: each start is a process of its own on one store."""

    def __init__(self, folder: Path) -> None:
        preset = folder / "desk.toml"
        preset.write_text(PRESET, encoding="utf-8")
        self.environment = {
            "CITESTREAM_TARGET_PRESET": str(preset),
            "CITESTREAM_STORE_URL": f"sqlite:///{folder}/turns.db",
        }

    @contextmanager
    def client(self) -> Iterator[httpx.Client]:
        with (
            process(**self.environment) as service,
            httpx.Client(base_url=service.url, timeout=DEADLINE) as client,
        ):
            yield client
            service.stop()

    def verify(self) -> str:
        """Compare the store with its input, as `citestream verify` does."""
        command = "import sys; from citestream.cli import main; sys.exit(main(['verify']))"
        done = subprocess.run(
            [sys.executable, "-c", command],
            env={**self.environment, "PYTHONPATH": "app"},
            cwd=Path(__file__).parents[2],
            capture_output=True,
            text=True,
            timeout=DEADLINE,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


def told(answer: httpx.Response, status: int = 200) -> Any:
    assert answer.status_code == status, answer.text
    return answer.json()


def ask(client: httpx.Client) -> str:
    """Say what the user asks, and begin the turn that is to answer."""
    asked = {"id": "m-1", "text": "When may we come in?"}
    told(client.post("/v1/sessions/harbour/messages", json=asked), 201)
    body = {"turn_id": "turn-1", "session_id": "harbour", "include": ["source", "excerpt"]}
    told(client.post("/v1/turns", json=body), 201)
    return "/v1/turns/turn-1"


def push(client: httpx.Client, turn: str, seq: int, *events: dict[str, Any]) -> Any:
    return told(client.post(f"{turn}/input", json={"seq": seq, "events": events}))


def results(tool: str, *items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "results", "tool_name": tool, "results": list(items)}


def answer_question(client: httpx.Client, turn: str) -> None:
    """Give the model what the tools returned, and push what it answers, cited as it was shown."""
    shown = push(
        client,
        turn,
        1,
        results("read_mail", MAIL),
        results("read_calendar", ENTRY),
        results("search_web", TIDES),
        results("read_mail", {**MAIL, "body": "berth 7 is yours from noon."}),
    )
    assert [part["id"] for part in shown["parts"]] == [f"tool_data_0{n}" for n in (1, 2, 3, 4)]
    texts = [output["text"] for output in shown["tool_output"]]
    assert "[tool_data_01]" in texts[0]
    assert "L2: berth 7 is yours from noon." in texts[0]
    assert "/rows/0/from" in texts[1]
    assert texts[2].startswith("[1] Tide tables")
    answer = (
        f"Berth 7 is yours{marker('tool_data_01', 'L2')} from noon{marker('tool_data_04', 'L1')}"
        f" to six{marker('tool_data_02', '/rows/0/to')}. High water is at noon [1]."
    )
    pieces = [delta(answer[at : at + 7]) for at in range(0, len(answer), 7)]
    push(client, turn, 5, *pieces, {"type": "end"})


def live(client: httpx.Client, turn: str) -> list[dict[str, Any]]:
    """Return the citations that a reader of the stream gets, one by one."""
    events = events_of(client.get(f"{turn}/events").content)
    return [event.value["citation"] for event in events if event.type == "citation"]


def test_from_tool_result_to_rendered_links(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    with desk.client() as client:
        turn = ask(client)
        answer_question(client, turn)
        citations = live(client, turn)
        assert [one["target"] for one in citations] == [MAIL_TARGET, MAIL_TARGET, EVENT_TARGET]
        assert [one["excerpt"]["text"] for one in citations] == [
            "berth 7 is yours from noon.",
            "berth 7 is yours from noon.",
            "18:00",
        ]
        session = told(client.get("/v1/sessions/harbour"))
        answer = session["items"][1]
        assert answer["inline_citations"] == citations
        mail, entry = answer["citations"]
        assert (mail["title"], mail["source"]) == (MAIL["title"], MAIL["source"])
        assert (mail["target"], mail["data_part_ids"]) == (
            MAIL_TARGET,
            ["tool_data_01", "tool_data_04"],
        )
        assert (entry["source"], entry["target"]) == (ENTRY["source"], EVENT_TARGET)
        check_rendered(client, answer)
        for one in citations:
            parsed = told(client.post("/v1/targets/parse", json={"value": one["target"]}))
            assert parsed == {"target": one["target"]}
    with desk.client() as client:
        assert told(client.get("/v1/sessions/harbour")) == session
        assert live(client, turn) == citations
    assert "no difference" in desk.verify()


def check_rendered(client: httpx.Client, answer: dict[str, Any]) -> None:
    """The mail has one number although it was read twice; the web page keeps the number 1."""
    body = {
        "text": answer["text"],
        "citations": answer["inline_citations"],
        "sources": answer["sources"],
    }
    mail, entry = "https://mail.example.org/#/m%2F17", "/calendar/harbour/e-1"
    markdown = told(client.post("/v1/render", json={**body, "to": "markdown"}))
    assert markdown["cited"] == markdown["listed"] == [1, 2, 3]
    assert markdown["text"].partition("_Sources_\n\n")[2].splitlines() == [
        f"- [\\[1\\]]({TIDES['url']}) Tide tables",
        f"- [\\[2\\]]({mail}) Re: berth",
        f"- [\\[3\\]]({entry}) Berth 7",
    ]
    assert markdown["text"].count(f"]({mail})") == 3
    html = told(client.post("/v1/render", json={**body, "to": "html"}))["text"]
    assert html.count(f'href="{mail}"') == 3
    assert html.count(f'href="{entry}"') == html.count(f'href="{TIDES["url"]}"') == 2


def test_a_turn_goes_on_after_a_restart_in_the_middle(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    with desk.client() as client:
        turn = ask(client)
        push(client, turn, 1, results("read_mail", MAIL), delta("Berth 7"))
    with desk.client() as client:
        given = {**MAIL_TARGET, "messageId": "m-18", "subject": "Berth"}
        part = {"type": "part", "id": "own", "tool_name": "desk", "data": "x", "target": given}
        cited = f" is yours{marker('tool_data_01')}{marker('own')}."
        push(client, turn, 3, part, delta(cited), {"type": "end"})
        again = push(client, turn, 3, part, delta(cited), {"type": "end"})
        assert (again["status"], again["parts"]) == (
            "completed",
            [{"id": "own", "tool_name": "desk"}],
        )
        assert [one["target"] for one in live(client, turn)] == [
            MAIL_TARGET,
            {**MAIL_TARGET, "messageId": "m-18"},
        ]
    assert "no difference" in desk.verify()


@pytest.mark.parametrize("target", [{"kind": "berth"}, {"kind": "mail", "messageId": ""}])
def test_a_target_that_is_none_is_refused_by_name_at_every_endpoint(
    target: dict[str, Any], tmp_path: Path
) -> None:
    part = {"tool_name": "desk", "data": "x", "target": target}
    with Desk(tmp_path).client() as client:
        turn = ask(client)
        places = {
            "/v1/extract": ({"parts": [part], "text": "x"}, "parts[0].target"),
            "/v1/stream": ({"parts": [part], "text": "x"}, "parts[0].target"),
            "/v1/prompt": ({"parts": [part]}, "parts[0].target"),
            f"{turn}/input": (
                {"seq": 1, "events": [delta("x"), {"type": "part", **part}]},
                "events[1].target",
            ),
        }
        for path, (body, field) in places.items():
            problem = told(client.post(path, json=body), 422)
            assert problem["errors"][0]["field"] == field, path
            assert "berth" not in json.dumps(problem)
        assert told(client.get(f"{turn}/input"))["next"] == 1
