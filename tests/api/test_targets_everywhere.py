"""A target is the same at every entry: library, extract, stream, lines, push, session, restart."""

import json
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.api.turning import NDJSON, delta, marker
from tests.serving import DEADLINE, serving, stored_in
from tests.sse import events_of

from citestream import Turn
from citestream.targets import load_preset

PRESET = (
    'scheme = "desk"\n[kind.mail]\nmessageId = "string"\nthread = "string?"\n[kind.event]\n'
    'calendar = "string"\neventId = "string"\nurl = "url?"\n[read_mail]\n'
    '"mail/<messageId>" = "mail"\n[read_calendar]\n"calendar/<calendar>/<eventId>" = "event"\n'
    '[sql]\n"money/<label>" = "account"\n[read_law]\n"<url>" = "tax_reference"\n'
    '"law/<path>" = "tax_reference"\n[search_web]\n"<url>" = "web"\n'
)
LAW = "https://www.ecfr.gov/api/versioner/v1/full/current/title-26.xml"
ACCOUNTS = ("Lr5nQ8_wT-2bXy7KdEoJc1MvZa4PiSh9UgFk0", "qK7mVx2RtB9dLw4ZpYc8NjHs3GfAe6UoTi1Dx")
Call = tuple[str, list[Any]]

rows = st.lists(
    st.fixed_dictionaries(
        {"source_account_id": st.sampled_from([*ACCOUNTS, "17"])},
        optional={"source": st.sampled_from(["plaid", "wallet", None])},
    ),
    max_size=2,
)
results = st.fixed_dictionaries(
    {
        "source": st.sampled_from(
            [
                *("desk://mail/m-1", "desk://mail/m%2F2", "desk://mail/", "desk://calendar/a/b"),
                *("desk://money/checking", "desk://law/1", "https://example.org/p", LAW),
            ]
        )
    },
    optional={
        "title": st.sampled_from(["T", None]),
        "thread": st.sampled_from(["t", None, "", 7]),
        "url": st.sampled_from([LAW, "https://example.org/p", "javascript:1", None]),
        "body": st.just("Hello\nworld"),
        "rows": rows,
    },
)
calls_of_a_turn = st.lists(
    st.tuples(
        st.sampled_from(["read_mail", "read_calendar", "sql", "read_law", "search_web", "other"]),
        st.lists(results, min_size=1, max_size=2),
    ),
    min_size=1,
    max_size=4,
)


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    with started(tmp_path_factory.mktemp("desk"), PRESET) as found:
        yield found


def ok(answer: httpx.Response) -> Any:
    assert answer.status_code in (200, 201), answer.text
    return answer.json()


def in_the_library(calls: list[Call], text: str) -> Any:
    turn = Turn(include=["source"], preset=load_preset(PRESET))
    for tool, items in calls:
        turn.register_results(tool, items)
    turn.feed(text)
    turn.finish()
    return [one.as_json() for one in turn.answer().citations]


def summary_in(stream: bytes) -> Any:
    return next(one.value for one in events_of(stream) if one.type == "citations_summary")


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(calls=calls_of_a_turn)
def test_a_target_is_the_same_at_every_entry(client: httpx.Client, calls: list[Call]) -> None:
    count = sum(len(items) for _, items in calls)
    text = "x" + "".join(marker(f"tool_data_{n:02}") for n in range(1, count + 1))
    events = [{"type": "results", "tool_name": tool, "results": items} for tool, items in calls]
    given = [{"tool_name": tool, "results": items} for tool, items in calls]
    body = {"results": given, "text": text, "include": ["source"]}
    expected = in_the_library(calls, text)
    assert ok(client.post("/v1/extract", json=body))["citations"] == expected
    assert summary_in(client.post("/v1/stream", json=body).content)["citations"] == expected
    start = {"type": "start", "include": ["source"]}
    lines = [start, *events, delta(text), {"type": "end"}]
    content = "".join(f"{json.dumps(line)}\n" for line in lines)
    streamed = client.post("/v1/stream", content=content, headers=NDJSON).content
    assert summary_in(streamed)["citations"] == expected
    turn_id = f"t{uuid.uuid4().hex}"
    created = {"turn_id": turn_id, "session_id": turn_id, "include": ["source"]}
    ok(client.post("/v1/turns", json=created))
    turn = f"/v1/turns/{turn_id}"
    for seq, event in enumerate([*events, delta(text), {"type": "end"}], 1):
        ok(client.post(f"{turn}/input", json={"seq": seq, "events": [event]}))
    assert summary_in(client.get(f"{turn}/events").content)["citations"] == expected
    assert ok(client.get(turn))["citations"] == expected
    (shown,) = ok(client.get(f"/v1/sessions/{turn_id}"))["items"]
    assert shown["inline_citations"] == expected
    for entry in shown["citations"]:
        (first, *_) = [one for one in expected if one["data_part_id"] == entry["data_part_id"]]
        assert entry.get("target") == first.get("target")
        assert (entry["url"], entry.get("source")) == (
            first["source"]["url"],
            first["source"].get("source"),
        )
    listed = [
        name
        for one in shown["citations"]
        for name in one.get("data_part_ids") or [one["data_part_id"]]
    ]
    assert sorted(listed) == sorted({one["data_part_id"] for one in expected})


@contextmanager
def started(folder: Path, preset: str) -> Iterator[httpx.Client]:
    """Start the service on the store in ``folder`` with this preset."""
    (folder / "preset.toml").write_text(preset, encoding="utf-8")
    with (
        serving(stored_in(folder, target_preset=folder / "preset.toml")) as served,
        httpx.Client(base_url=served.url, timeout=DEADLINE) as found,
    ):
        yield found


def test_a_restart_with_another_preset_changes_no_target(tmp_path: Path) -> None:
    item = {"source": "desk://mail/m-1", "thread": "t"}
    found = {"type": "results", "tool_name": "read_mail", "results": [item]}
    events = [found, delta(f"x{marker('tool_data_01')} y"), {"type": "end"}]
    with started(tmp_path, PRESET) as client:
        for name, count in (("ended", 3), ("open", 2)):
            ok(client.post("/v1/turns", json={"turn_id": name, "session_id": name}))
            pushed = {"seq": 1, "events": events[:count]}
            ok(client.post(f"/v1/turns/{name}/input", json=pushed))
        before = [ok(client.get(f"/v1/sessions/{name}")) for name in ("ended", "open")]
    target = {"kind": "mail", "messageId": "m-1", "thread": "t"}
    for session in before:
        (turn,) = session["items"]
        assert turn["inline_citations"][0]["target"] == turn["citations"][0]["target"] == target
    with started(tmp_path, 'scheme = "other"') as client:
        assert [ok(client.get(f"/v1/sessions/{name}")) for name in ("ended", "open")] == before
        # What is accepted from now on is typed by the other preset; the mail was accepted before.
        other = {"id": "late", "source": "desk://mail/m-2"}
        later = {"type": "results", "tool_name": "read_mail", "results": [other]}
        more = [delta(marker("late") + marker("tool_data_01")), {"type": "end"}]
        ok(client.post("/v1/turns/open/input", json={"seq": 3, "events": [later, *more]}))
        citations = ok(client.get("/v1/turns/open"))["citations"]
        assert [one.get("target") for one in citations] == [target, None, target]
