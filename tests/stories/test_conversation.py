"""A session of a research assistant: three tools, a follow-up that cites the first answer's part, a
reload after a restart, and an export for people.
"""

from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.api.turning import delta, marker
from tests.serving import DEADLINE, process

TIDES = {"title": "Tide tables", "url": "https://example.org/tides", "snippet": "High at noon."}
LOG = {"type": "part", "tool_name": "harbour_log", "title": "Log", "data": "wind 4\nwind 6"}
FERRY = {"type": "part", "tool_name": "ferry_db", "title": "Ferries", "data": {"draught_m": 3.2}}
END = {"type": "end", "reason": "complete"}


def posted(client: httpx.Client, path: str, body: dict[str, Any]) -> dict[str, Any]:
    answer = client.post(path, json=body)
    assert answer.is_success, answer.text
    found: dict[str, Any] = answer.json()
    return found


def held(client: httpx.Client) -> None:
    """Hold the conversation."""
    posted(client, "/v1/sessions/s/messages", {"id": "m1", "text": "When may it sail?"})
    posted(client, "/v1/turns", {"turn_id": "one", "session_id": "s"})
    found = posted(
        client,
        "/v1/turns/one/input",
        {
            "seq": 1,
            "events": [
                {"type": "results", "tool_name": "web_search", "results": [TIDES]},
                LOG,
                FERRY,
            ],
        },
    )
    assert [part["id"] for part in found["parts"]] == [f"tool_data_0{n}" for n in (1, 2, 3)]
    assert found["tool_output"][0]["text"].startswith("[1] Tide tables\n")
    shown = client.get(found["prompt"]).json()["parts"]
    assert [part["id"] for part in shown] == [f"tool_data_0{n}" for n in (1, 2, 3)]
    wind, draught = marker("tool_data_02", "L2"), marker("tool_data_03", "/draught_m")
    deltas = ("High at noon [1]. Wind rises", f"{wind}, draught 3.2{draught}.")
    events = [*map(delta, deltas), END]
    posted(client, "/v1/turns/one/input", {"seq": 4, "events": events})
    posted(client, "/v1/sessions/s/messages", {"id": "m2", "text": "When did the wind rise?"})
    posted(client, "/v1/turns", {"turn_id": "two", "session_id": "s", "carry": True})
    events = [delta(f"Second entry{marker('tool_data_02', 'L2')}."), END]
    posted(client, "/v1/turns/two/input", {"seq": 1, "events": events})


def read(client: httpx.Client) -> dict[str, str]:
    """Return all that readers, models and people read of it."""
    found = {
        path: client.get(f"/v1/{path}")
        for path in (
            *("turns/one", "turns/two", "sessions/s", "turns/two/parts/tool_data_02"),
            *(f"sessions/s/export?to={form}" for form in ("markdown", "html", "text")),
            *("sessions/s/history?for=anthropic", "sessions/s/history?markers=restore"),
        )
    }
    assert all(answer.status_code == 200 for answer in found.values())
    return {path: answer.text for path, answer in found.items()}


@pytest.fixture
def conversation(tmp_path: Path) -> tuple[dict[str, str], httpx.Response]:
    """What was read before a restart, the same after it, and the second answer."""
    store = {"CITESTREAM_STORE_URL": f"sqlite:///{tmp_path}/turns.db"}
    reads = []
    for start in range(2):
        with process(**store) as server, httpx.Client(base_url=server.url, timeout=DEADLINE) as own:
            if not start:
                held(own)
            reads.append(read(own))
            second = own.get("/v1/turns/two")
    assert reads[0] == reads[1]
    return reads[1], second


def test_a_conversation(conversation: tuple[dict[str, str], httpx.Response]) -> None:
    found, second = conversation
    answer = second.json()
    assert answer["citations"] == [{"data_part_id": "tool_data_02", "offset": 13, "locator": "L2"}]
    [part] = answer["artifact"]["parts"][1:]
    assert part == {
        "data": {"value": LOG["data"]},
        "metadata": {"dataPartId": "tool_data_02", "toolName": "harbour_log"},
    }
    text = found["sessions/s/export?to=text"]
    assert "High at noon [1]. Wind rises,[2] draught 3.2.[3]" in text
    assert "[1] Tide tables <https://example.org/tides>\n[2] Log\n[3] Ferries" in text
    assert text.endswith("Second entry.[1]\n\nSources\n\n[1] Log\n")
    html = found["sessions/s/export?to=html"]
    assert [html.count(f'<section class="{role}">') for role in ("user", "assistant")] == [2, 2]
    assert "\ue200" not in "".join(value for path, value in found.items() if "restore" not in path)
    restored = found["sessions/s/history?markers=restore"]
    assert "Second entry.\\ue200" in restored or "Second entry.\ue200" in restored
