"""Stored turns over a real socket: create, push, follow, resume, read, remove."""

import json
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.api.test_openapi import check
from tests.api.turning import (
    END,
    FACT,
    NDJSON,
    created,
    delta,
    events,
    following,
    lines_of,
    marker,
    part,
    problem,
    push,
    push_lines,
    pushed,
    told,
)
from tests.raw_http import Closed, RawClient
from tests.serving import DEADLINE, Served, serving, until
from tests.sse import Event, events_of, text_of

from citestream import main
from citestream.settings import Settings

# -- create --------------------------------------------------------------------------------------


def test_a_turn_gets_random_ids_and_waits_for_its_first_event(client: httpx.Client) -> None:
    answers = [client.post("/v1/turns", json={}) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [201, 201]
    ids = set()
    for answer in answers:
        found = answer.json()
        assert found.keys() == {"id", "session_id", "next"}
        assert found["next"] == 1
        ids |= {found["id"], found["session_id"]}
    assert len(ids) == 4
    assert all(len(one) == 22 for one in ids)  # 128 bits in base64


def test_given_ids_and_labels_are_kept(client: httpx.Client) -> None:
    body = {"turn_id": "given-1", "session_id": "s-given", "labels": {"tenant": "n\u00f6rd"}}
    assert client.post("/v1/turns", json=body).json() == {
        "id": "given-1",
        "session_id": "s-given",
        "next": 1,
    }
    found = client.get("/v1/turns/given-1").json()
    assert (found["session_id"], found["labels"]) == ("s-given", {"tenant": "n\u00f6rd"})
    assert (found["status"], found["ended"], found["next"]) == ("open", None, 1)
    problem(client.post("/v1/turns", json=body), 409, "exists")


@pytest.mark.parametrize("name", ["turn_id", "session_id"])
@pytest.mark.parametrize(
    "value",
    ["", ".", "..", ".a", "a/b", "a b", "a\n", "\u00e9", "a%2f", "x" * 129, 7, "\ud800", "a?b"],
)
def test_an_id_that_is_none_is_refused(client: httpx.Client, name: str, value: Any) -> None:
    body = json.dumps({name: value}).encode()
    answer = client.post("/v1/turns", content=body, headers={"Content-Type": "application/json"})
    found = problem(answer, 422, "invalid-input")
    assert found["errors"][0]["field"] == name


@pytest.mark.parametrize("value", ["a", "x" * 128, "A-b_c~d.e", "-", "~", "0"])
def test_an_id_may_be_any_of_these(client: httpx.Client, value: str) -> None:
    assert created(client, turn_id=value) == value
    assert client.get(f"/v1/turns/{value}").json()["id"] == value
    assert client.delete(f"/v1/turns/{value}").status_code == 204


@pytest.mark.parametrize(
    ("field", "body"),
    [
        ("labels", {"labels": {str(n): "" for n in range(17)}}),
        ("labels", {"labels": {"a": "x" * 257}}),
        ("labels", {"labels": {"x" * 65: "a"}}),
        ("labels", {"labels": {"a": 1}}),
        ("options", {"options": {"colour": "red"}}),
        ("include", {"include": ["everything"]}),
    ],
)
def test_a_field_that_may_not_be_is_named(
    client: httpx.Client, field: str, body: dict[str, Any]
) -> None:
    found = problem(client.post("/v1/turns", json=body), 422, "invalid-input")
    assert found["errors"][0]["field"].startswith(field)


def test_labels_at_their_limits_are_kept(client: httpx.Client) -> None:
    labels = {f"{n:02}".ljust(64, "x"): "\U0001f30a" * 256 for n in range(16)}
    turn = created(client, labels=labels)
    assert client.get(f"/v1/turns/{turn}").json()["labels"] == labels


def test_options_and_include_hold_for_the_turn(client: httpx.Client) -> None:
    turn = created(client, options={"invalid_markers": "drop"}, include=["offsets"])
    broken = "\ue200cite\ue202p1 "
    pushed(client, turn, 1, part(), delta(broken + "a" + marker("p1")), END)
    found = client.get(f"/v1/turns/{turn}").json()
    assert "\ue200" not in found["text"]
    assert found["citations"][0]["offsets"]["rune"] == len(found["text"])


# -- Idempotency-Key -----------------------------------------------------------------------------


def test_a_creation_with_a_key_is_done_once(client: httpx.Client) -> None:
    headers = {"Idempotency-Key": "once"}
    first = client.post("/v1/turns", json={"labels": {"a": "b"}}, headers=headers)
    again = client.post("/v1/turns", json={"labels": {"a": "b"}}, headers=headers)
    assert (again.status_code, again.json()) == (201, first.json())
    other = client.post("/v1/turns", json={"labels": {"a": "c"}}, headers=headers)
    problem(other, 422, "key-reused")
    assert client.post("/v1/turns", json={"labels": {"a": "b"}}).json() != first.json()


def test_a_key_does_not_bring_an_id_a_second_turn(client: httpx.Client) -> None:
    created(client, turn_id="taken")
    for _ in range(2):
        answer = client.post(
            "/v1/turns", json={"turn_id": "taken"}, headers={"Idempotency-Key": "late"}
        )
        problem(answer, 409, "exists")


@pytest.mark.parametrize("key", ["x" * 128, "a b", "~!"])
def test_keys_may_be_long(client: httpx.Client, key: str) -> None:
    headers = {"Idempotency-Key": key}
    answers = [client.post("/v1/turns", json={}, headers=headers).json() for _ in range(2)]
    assert answers[0] == answers[1]


def test_a_key_that_is_too_long_is_refused(client: httpx.Client) -> None:
    answer = client.post("/v1/turns", json={}, headers={"Idempotency-Key": "x" * 129})
    problem(answer, 422, "invalid-input")


def test_racing_creations_with_one_key_make_one_turn(server: Served) -> None:
    gate = threading.Barrier(6)

    def create(_: int) -> list[Any]:
        found = []
        with httpx.Client(base_url=server.url, timeout=DEADLINE) as own:
            for race in range(10):
                gate.wait()
                headers = {"Idempotency-Key": f"race-{race}"}
                answer = own.post("/v1/turns", json={"session_id": "race"}, headers=headers)
                assert answer.status_code == 201
                found.append(answer.json())
        return found

    with ThreadPoolExecutor(6) as pool:
        first, *others = pool.map(create, range(6))
    assert all(other == first for other in others)
    with httpx.Client(base_url=server.url, timeout=DEADLINE) as own:
        items = own.get("/v1/sessions/race").json()["items"]
    assert [item["id"] for item in items] == [answer["id"] for answer in first]


# -- push ----------------------------------------------------------------------------------------


def test_a_producer_learns_assigned_ids_before_it_calls_the_model(client: httpx.Client) -> None:
    turn = created(client)
    found = pushed(client, turn, 1, part(None), part("own"), part(None, origin="user"))
    assert found == {
        "next": 4,
        "parts": [
            {"id": "tool_data_01", "tool_name": "search"},
            {"id": "own", "tool_name": "search"},
            {"id": "user_text_01", "tool_name": "search"},
        ],
        "tool_output": [],
        "status": "open",
        "prompt": f"/v1/turns/{turn}/prompt",
    }


def test_the_same_push_again_is_answered_as_before(client: httpx.Client) -> None:
    turn = created(client)
    answers = [pushed(client, turn, 1, part(None), delta("a")) for _ in range(3)]
    assert answers[0] == answers[1] == answers[2]
    found = pushed(client, turn, 2, delta("a"), delta("b"), END)
    assert (found["next"], found["status"]) == (5, "completed")
    assert pushed(client, turn, 2, delta("a"), delta("b"), END) == found
    assert text_of(events(client, turn)) == "ab"


def test_what_does_not_follow_is_refused_with_the_number_that_does(client: httpx.Client) -> None:
    turn = created(client)
    assert problem(push(client, turn, 2, delta("a")), 409, "out-of-step")["next"] == 1
    pushed(client, turn, 1, delta("a"))
    assert problem(push(client, turn, 1, delta("x")), 409, "out-of-step")["next"] == 2
    assert problem(push(client, turn, 1, delta("x"), END), 409, "out-of-step")["next"] == 2
    pushed(client, turn, 2, END)
    assert problem(push(client, turn, 3, delta("a")), 409, "turn-ended")["next"] == 3
    problem(push(client, turn, 4, delta("a")), 409, "turn-ended")
    assert client.get(f"/v1/turns/{turn}/input").json() == {"next": 3, "status": "completed"}


def test_a_push_is_taken_whole_or_not_at_all(client: httpx.Client) -> None:
    turn = created(client)
    bad = push(client, turn, 1, delta("a"), part("p"), part("p", "other"))
    assert problem(bad, 409, "part-conflict")["detail"].startswith("events[2]")
    assert client.get(f"/v1/turns/{turn}/input").json()["next"] == 1
    found = pushed(client, turn, 1, delta("b"), END)
    assert found["next"] == 3
    assert text_of(events(client, turn)) == "b"


def test_an_empty_push_tells_where_the_turn_stands(client: httpx.Client) -> None:
    turn = created(client)
    pushed(client, turn, 1, part(None))
    found = pushed(client, turn, 2)
    assert found == {"next": 2, "parts": [], "tool_output": [], "status": "open"}


@pytest.mark.parametrize("seq", [0, -1, "1", 1.5, None, True])
def test_a_number_that_is_none_is_refused(client: httpx.Client, seq: Any) -> None:
    answer = client.post("/v1/turns/none/input", json={"seq": seq, "events": [END]})
    assert problem(answer, 422, "invalid-input")["errors"][0]["field"] == "seq"


def test_two_producers_never_mix(server: Served) -> None:
    """Each number is one producer's; who loses learns it, and what was accepted is one's own."""

    def produce(turn: str, name: str, gate: threading.Barrier) -> list[int]:
        won = []
        with httpx.Client(base_url=server.url, timeout=DEADLINE) as own:
            gate.wait()
            for number in range(1, 11):
                answer = push(own, turn, number, delta(f"{name}{number} "))
                if answer.status_code == 200:
                    won.append(number)
                else:
                    problem(answer, 409, "out-of-step")
        return won

    with httpx.Client(base_url=server.url, timeout=DEADLINE) as own, ThreadPoolExecutor(2) as pool:
        for _ in range(10):
            turn = created(own)
            gate = threading.Barrier(2)
            runs = [pool.submit(produce, turn, name, gate) for name in "ab"]
            won = {name: run.result() for name, run in zip("ab", runs, strict=True)}
            assert sorted(won["a"] + won["b"]) == list(range(1, 11))
            pushed(own, turn, 11, END)
            owner = {n: name for name, numbers in won.items() for n in numbers}
            expected = "".join(f"{owner[n]}{n} " for n in range(1, 11))
            assert text_of(events(own, turn)) == expected


def test_an_answer_that_cites_only_the_users_own_is_asked_for_again(
    server: Served, client: httpx.Client
) -> None:
    turn = created(client)
    own = marker("user_data_01")
    first = [delta(own), END]
    with following(server.port, turn) as reader:
        assert pushed(client, turn, 1, *first)["status"] == "retry_required"
        assert pushed(client, turn, 1, *first)["status"] == "retry_required"
        assert client.get(f"/v1/turns/{turn}").json()["ended"] is None
        assert pushed(client, turn, 3, *FACT)["status"] == "completed"
        seen = list(reader.events())
    assert text_of(seen) == "Tides turn."
    assert [event.type for event in seen].count("artifact") == 1
    assert client.get(f"/v1/turns/{turn}/raw").json()["text"] == f"Tides turn{marker('p1')}."


def test_the_second_such_answer_closes_the_turn(client: httpx.Client) -> None:
    turn = created(client)
    again = [delta(marker("user_text_01")), END]
    pushed(client, turn, 1, *again)
    assert pushed(client, turn, 3, *again)["status"] == "retry_required"
    found = client.get(f"/v1/turns/{turn}").json()
    assert (found["status"], found["artifact"]) == ("retry_required", {"parts": []})
    problem(push(client, turn, 5, delta("a")), 409, "turn-ended")


# -- push by lines -------------------------------------------------------------------------------


def test_lines_are_visible_to_a_follower_before_the_body_ends(
    server: Served, client: httpx.Client
) -> None:
    turn = created(client)
    with following(server.port, turn) as reader, RawClient(server.port) as producer:
        producer.request(f"/v1/turns/{turn}/input?seq=1")
        for number in range(1, 6):
            producer.line(delta(f"{number} "))
            event = reader.event()
            assert (event.id, event.value["text"]) == (str(number), f"{number} ")
            assert client.get(f"/v1/turns/{turn}/input").json()["next"] == number + 1
        producer.line(END)
        assert [event.type for event in reader.events()] == ["citations_summary", "artifact"]
        producer.end()
        assert producer.status() == 200
        assert json.loads(producer.body())["next"] == 7


def test_lines_are_answered_as_one_push(client: httpx.Client) -> None:
    turn = created(client)
    answer = push_lines(client, turn, 1, lines_of(part(None), delta("a"), part(None), END))
    assert answer.json() == {
        "next": 5,
        "parts": [{"id": f"tool_data_0{number}", "tool_name": "search"} for number in (1, 2)],
        "tool_output": [],
        "status": "completed",
        "prompt": f"/v1/turns/{turn}/prompt",
    }
    again = push_lines(client, turn, 1, lines_of(part(None), delta("a"), part(None), END))
    assert again.json() == answer.json()


def test_a_broken_push_of_lines_goes_on_where_it_stopped(
    server: Served, client: httpx.Client
) -> None:
    turn = created(client)
    every = lines_of(*FACT)
    cut = len(lines_of(*FACT[:2])) + 20  # in the middle of the third line
    with RawClient(server.port) as producer:
        producer.request(f"/v1/turns/{turn}/input?seq=1")
        producer.chunk(every[:cut])
        until(lambda: client.get(f"/v1/turns/{turn}/input").json()["next"] == 3)
        producer.reset()
    assert push_lines(client, turn, 3, lines_of(*FACT[2:])).json()["status"] == "completed"
    assert text_of(events(client, turn)) == "Tides turn."


@pytest.mark.parametrize("size", [1, 3, 7, 50, 4096])
def test_lines_may_be_cut_anywhere(server: Served, client: httpx.Client, size: int) -> None:
    turn = created(client)
    body = lines_of(part(None, {"a": "\u00e9"}), delta("\U0001f30a"), delta(marker("tool_data_01")))
    body += b"\r\n\n" + lines_of(END)[:-1]
    with RawClient(server.port) as producer:
        producer.request(f"/v1/turns/{turn}/input?seq=1")
        for at in range(0, len(body), size):
            producer.chunk(body[at : at + size])
        producer.end()
        assert producer.status() == 200
    found = client.get(f"/v1/turns/{turn}").json()
    assert (found["text"], found["next"]) == ("\U0001f30a", 5)
    assert [one["data_part_id"] for one in found["citations"]] == ["tool_data_01"]


@pytest.mark.parametrize(
    ("bad", "status", "kind"),
    [
        (b'{"type":"delta"}\n', 422, "invalid-input"),
        (b"{\n", 400, "malformed-json"),
        (b'{"type":"delta","text":NaN}\n', 400, "malformed-json"),
        (lines_of(part("p1", "other")), 409, "part-conflict"),
        (lines_of({"type": "start"}), 422, "event-order"),
    ],
)
@pytest.mark.parametrize("whole", [True, False])
def test_a_bad_line_is_named_and_what_stands_before_it_is_kept(
    server: Served, client: httpx.Client, bad: bytes, status: int, kind: str, whole: bool
) -> None:
    turn = created(client)
    before = [lines_of(event) for event in (part(), delta("a"), delta("b"))]
    with RawClient(server.port) as producer:
        producer.request(f"/v1/turns/{turn}/input?seq=1")
        if whole:
            producer.chunk(b"".join([*before, b"\n", bad, lines_of(END)]))
        else:
            for line in [*before, b"\n", bad]:
                producer.chunk(line)
        assert producer.status() == status
        found = json.loads(producer.body())
    assert found["type"].endswith(kind)
    assert found["line"] == 5
    assert found["detail"].startswith("line 5: ")
    assert "events[" not in found["detail"]
    assert client.get(f"/v1/turns/{turn}/input").json() == {"next": 4, "status": "open"}


def test_lines_behind_the_end_are_refused(client: httpx.Client) -> None:
    turn = created(client)
    answer = push_lines(client, turn, 1, lines_of(delta("a"), END, delta("b")))
    assert problem(answer, 409, "turn-ended")["line"] == 3
    assert client.get(f"/v1/turns/{turn}").json()["text"] == "a"


def test_lines_need_an_address_and_the_right_number(client: httpx.Client) -> None:
    problem(push_lines(client, "nobody", 1, lines_of(END)), 404, "not-found")
    turn = created(client)
    assert problem(push_lines(client, turn, 3, lines_of(END)), 409, "out-of-step")["next"] == 1
    for number in ("0", "x", "-1"):
        answer = client.post(f"/v1/turns/{turn}/input?seq={number}", content=b"", headers=NDJSON)
        problem(answer, 422, "invalid-input")


@pytest.mark.parametrize("kind", ["text/plain", "", "application/jsonl", "text/event-stream"])
def test_another_kind_of_body_is_refused(client: httpx.Client, kind: str) -> None:
    turn = created(client)
    answer = client.post(
        f"/v1/turns/{turn}/input?seq=1", content=b"{}", headers={"Content-Type": kind}
    )
    problem(answer, 415, "media-type")


# -- follow --------------------------------------------------------------------------------------


def test_every_reader_gets_the_same_events(server: Served, client: httpx.Client) -> None:
    """Live from the start, live from in between, and behind the end: one path."""
    turn = created(client)
    seen: dict[str, list[Event]] = {}
    with following(server.port, turn) as early:
        pushed(client, turn, 1, *FACT[:3])
        with following(server.port, turn, 1) as late:
            pushed(client, turn, 4, *FACT[3:])
            seen["late"] = list(late.events())
        seen["early"] = list(early.events())
    seen["replay"] = events(client, turn)
    assert [event.type for event in seen["early"]] == [
        "delta",
        "delta",
        "citation",
        "citations_summary",
        "artifact",
    ]
    assert [event.id for event in seen["early"]] == list("12345")
    assert seen["replay"] == seen["early"]
    assert seen["late"] == seen["early"][1:]


def test_readers_from_every_event_agree_before_and_after_a_restart(tmp_path: Path) -> None:
    settings = Settings(store_url=f"sqlite:///{tmp_path}/turns.db")

    def read(base: str, turn: str) -> tuple[list[list[Event]], int, Any]:
        with httpx.Client(base_url=base, timeout=DEADLINE) as own:
            whole = events(own, turn)
            tails = [events(own, turn, after) for after in range(len(whole))]
            headers = {"Last-Event-ID": str(len(whole))}
            last = own.get(f"/v1/turns/{turn}/events", headers=headers).status_code
            return [whole, *tails], last, own.get(f"/v1/turns/{turn}").json()

    with serving(settings) as server, httpx.Client(base_url=server.url, timeout=DEADLINE) as own:
        turn = told(own)
        open_turn = created(own)
        pushed(own, open_turn, 1, *FACT[:3])
        before = read(server.url, turn)
    whole, *tails = before[0]
    assert before[1] == 204
    assert tails == [whole[after:] for after in range(len(whole))]

    with serving(settings) as server, httpx.Client(base_url=server.url, timeout=DEADLINE) as own:
        assert read(server.url, turn) == before
        assert own.get(f"/v1/turns/{open_turn}/input").json() == {"next": 4, "status": "open"}
        pushed(own, open_turn, 4, *FACT[3:])
        assert events(own, open_turn) == whole
        assert own.get(f"/v1/turns/{open_turn}").json()["artifact"] == before[2]["artifact"]


def resumed(
    client: httpx.Client, turn: str, header: str | None, query: str | None
) -> httpx.Response:
    headers = {} if header is None else {"Last-Event-ID": header}
    params = {} if query is None else {"last_event_id": query}
    return client.get(f"/v1/turns/{turn}/events", headers=headers, params=params)


@pytest.mark.parametrize(
    ("header", "query", "first"),
    [
        (None, "2", 3),
        ("2", None, 3),
        ("2", "4", 3),
        ("4", "nonsense", 5),
        ("", None, 1),
        ("", "2", 1),
        (None, "", 1),
    ],
)
def test_the_header_wins(
    client: httpx.Client, header: str | None, query: str | None, first: int
) -> None:
    found = events_of(resumed(client, told(client), header, query).content)
    assert [event.id for event in found] == [str(n) for n in range(first, 6)]


@pytest.mark.parametrize(
    "cursor",
    [
        "-1",
        "+1",
        "1 1",
        "1.0",
        "x",
        "0x1",
        "1,2",
        "9" * 16,
        "9" * 5000,
        "\u0661",
        "null",
        "\u00b2",
        "1_0",
    ],
)
@pytest.mark.parametrize("place", ["header", "query"])
def test_a_malformed_cursor_is_refused_before_the_headers(
    client: httpx.Client, cursor: str, place: str
) -> None:
    turn = told(client)
    if place == "header":
        answer = client.get(f"/v1/turns/{turn}/events", headers={b"Last-Event-ID": cursor.encode()})
    else:
        answer = resumed(client, turn, None, cursor)
    found = problem(answer, 400, "bad-cursor")
    assert cursor not in found["detail"]


def test_a_cursor_ahead_is_refused_also_while_the_turn_runs(client: httpx.Client) -> None:
    turn = told(client)
    assert resumed(client, turn, "5", None).status_code == 204
    problem(resumed(client, turn, "6", None), 409, "cursor-ahead")
    running = created(client)
    problem(resumed(client, running, "1", None), 409, "cursor-ahead")


def test_behind_the_last_event_there_is_nothing(client: httpx.Client) -> None:
    answer = resumed(client, told(client), "5", None)
    assert (answer.status_code, answer.content) == (204, b"")
    assert "content-type" not in answer.headers


def test_past_retention_the_turn_itself_is_kept(server: Served, client: httpx.Client) -> None:
    turn = told(client)
    whole, found = events(client, turn), client.get(f"/v1/turns/{turn}").json()
    log = server.config.app.state.turns.log  # type: ignore[union-attr]
    while server.call(log.trim(found["ended"] + 1, 100)):
        pass
    for after in (None, "0", "3"):
        gone = problem(resumed(client, turn, after, None), 410, "cursor-gone")
        assert "read the turn itself" in gone["detail"]
    assert events(client, turn, 4) == whole[4:]
    assert resumed(client, turn, "5", None).status_code == 204
    assert client.get(f"/v1/turns/{turn}").json() == found
    assert client.get(f"/v1/turns/{turn}/raw").json()["text"] == f"Tides turn{marker('p1')}."


def test_a_reader_that_comes_back_like_a_browser_gets_all_once(
    server: Served, client: httpx.Client
) -> None:
    """An ``EventSource`` repeats the last id until it is told 204."""
    turn = created(client)
    got: list[Event] = []

    def read(cuts: int) -> None:
        while True:
            with RawClient(server.port) as raw:
                cursor = f"Last-Event-ID: {got[-1].id}\r\n" if got else ""
                raw.send(
                    f"GET /v1/turns/{turn}/events HTTP/1.1\r\nHost: [::1]\r\n{cursor}\r\n".encode()
                )
                if raw.status() == 204:
                    return
                try:
                    for _ in range(cuts):
                        got.append(raw.event())  # noqa: PERF401 - it may close in between
                except Closed:
                    continue
                raw.reset()

    reader = threading.Thread(target=read, args=(3,))
    reader.start()
    for number in range(1, 40):
        pushed(client, turn, number, delta(f"{number} "))
    pushed(client, turn, 40, END)
    reader.join(DEADLINE)
    assert not reader.is_alive()
    assert got == events(client, turn)


def test_a_reader_is_asked_to_come_back_after_some_time() -> None:
    with (
        serving(Settings(follow_seconds=0.2)) as server,
        httpx.Client(base_url=server.url, timeout=DEADLINE) as own,
    ):
        turn = created(own)
        pushed(own, turn, 1, delta("a"))
        with following(server.port, turn) as reader:
            assert [event.value["text"] for event in reader.events()] == ["a"]
            assert reader.reader.retry


def test_deletion_ends_followers(server: Served, client: httpx.Client) -> None:
    turn = created(client)
    pushed(client, turn, 1, delta("a"))
    with following(server.port, turn) as reader:
        assert reader.event().value["text"] == "a"
        assert client.delete(f"/v1/turns/{turn}").status_code == 204
        assert list(reader.events()) == []
    problem(resumed(client, turn, "1", None), 404, "not-found")


# -- read ----------------------------------------------------------------------------------------


def test_a_turn_is_the_answer_of_extract_and_what_belongs_to_it(client: httpx.Client) -> None:
    turn = told(client, session_id="whose", labels={"a": "b"})
    found = client.get(f"/v1/turns/{turn}").json()
    body = {"parts": [{**FACT[0]}], "text": "Tides turn" + marker("p1") + "."}
    body["parts"][0].pop("type")  # type: ignore[attr-defined]
    extracted = client.post("/v1/extract", json=body).json()
    assert {name: found[name] for name in extracted} == extracted
    own = {name: value for name, value in found.items() if name not in extracted}
    assert own.keys() == {"id", "session_id", "labels", "created", "ended", "next"}
    assert (own["id"], own["session_id"], own["labels"], own["next"]) == (
        turn,
        "whose",
        {"a": "b"},
        6,
    )
    assert own["created"] <= own["ended"]
    artifact = json.loads(events(client, turn)[-1].data)
    assert artifact["artifact"] == found["artifact"]


def test_a_running_turn_is_shown_as_far_as_it_has_come(client: httpx.Client) -> None:
    turn = created(client)
    pushed(client, turn, 1, *FACT[:3], delta(" \ue200ci"))
    found = client.get(f"/v1/turns/{turn}").json()
    assert (found["status"], found["reason"], found["text"]) == ("open", None, "Tides turn ")
    assert [one["data_part_id"] for one in found["citations"]] == ["p1"]


def test_only_a_cited_part_is_passed_on(client: httpx.Client) -> None:
    turn = created(client)
    pushed(
        client, turn, 1, part("cited", {"a": 1}), part("not"), delta("x" + marker("cited") + " y")
    )
    assert client.get(f"/v1/turns/{turn}/parts/cited").json() == {
        "data": {"value": {"a": 1}},
        "metadata": {"dataPartId": "cited", "toolName": "search"},
    }
    for other in ("not", "nobody"):
        problem(client.get(f"/v1/turns/{turn}/parts/{other}"), 404, "not-found")


@pytest.mark.parametrize("id_", ["a:b%?\u00e9", "docs/1", "a/../b", "../a", "a%2Fb"])
def test_a_large_part_is_fetched_by_its_address(client: httpx.Client, id_: str) -> None:
    turn = created(client)
    data = "x" * 300_000
    pushed(client, turn, 1, part(id_, data), delta("y" + marker(id_)), END)
    artifact = client.get(f"/v1/turns/{turn}").json()["artifact"]
    (shown,) = artifact["parts"][1:]
    assert "data" not in shown
    assert client.get(shown["href"]).json()["data"] == {"value": data}


def test_a_turn_with_a_large_part_is_what_the_document_says(client: httpx.Client) -> None:
    turn = created(client)
    pushed(client, turn, 1, part("big", "x" * 300_000), delta("y" + marker("big")), END)
    check({"$ref": "#/components/schemas/StoredAnswer"}, client.get(f"/v1/turns/{turn}").json())
    for event in events(client, turn):
        check({"$ref": "#/components/schemas/StreamEvent"}, event.value)


@pytest.mark.parametrize("place", ["labels", "attachments"])
def test_the_caller_s_own_keys_are_not_echoed(client: httpx.Client, place: str) -> None:
    key = "kanari" * 20
    path = "/v1/turns" if place == "labels" else "/v1/sessions/keys/messages"
    for value in ({key: 1}, {key: ["kanari"]}, {key: None}):
        answer = client.post(
            path, json={"text": "a", place: value} if "sess" in path else {place: value}
        )
        found = problem(answer, 422, "invalid-input")
        assert found["detail"].startswith(f"{place}: ")
        assert "kanari" not in answer.text


def test_the_raw_text_is_every_character_of_the_model(client: httpx.Client) -> None:
    turn = created(client)
    raw = "a\0\u2028" + marker("nobody") + "\U0001f30a \ue200cite"
    pushed(client, turn, 1, *(delta(character) for character in raw), END)
    assert client.get(f"/v1/turns/{turn}/raw").json() == {"text": raw}


def test_a_turn_without_input_ends_and_keeps_what_it_has() -> None:
    with (
        serving(Settings(silence_seconds=0.4)) as server,
        httpx.Client(base_url=server.url, timeout=DEADLINE) as own,
    ):
        turn = created(own)
        pushed(own, turn, 1, *FACT[:3], delta(" and \ue200cite"))
        with following(server.port, turn) as reader:
            seen = list(reader.events())
        assert seen[-1].value["status"] == "interrupted"
        found = own.get(f"/v1/turns/{turn}").json()
        assert (found["status"], found["reason"]) == ("interrupted", "timeout")
        assert found["text"] == text_of(seen) == "Tides turn and \ue200cite"
        assert len(found["citations"]) == 1
        problem(push(own, turn, found["next"], delta("late")), 409, "turn-ended")


def test_a_silent_push_of_lines_is_let_go() -> None:
    with (
        serving(Settings(silence_seconds=0.4)) as server,
        httpx.Client(base_url=server.url, timeout=DEADLINE) as own,
    ):
        turn = created(own)
        with RawClient(server.port) as producer:
            producer.request(f"/v1/turns/{turn}/input?seq=1")
            producer.line(delta("kept"))
            assert producer.status() == 408
            assert json.loads(producer.body())["type"].endswith("body-timeout")
            producer.closed()
        assert own.get(f"/v1/turns/{turn}").json()["text"] == "kept"


# -- unknown and refused -------------------------------------------------------------------------

CALLS: list[tuple[str, str]] = [
    ("GET", ""),
    ("GET", "/input"),
    ("GET", "/events"),
    ("GET", "/raw"),
    ("GET", "/parts/p1"),
    ("DELETE", ""),
    ("POST", "/input"),
]


def called(client: httpx.Client, method: str, turn: str, rest: str) -> httpx.Response:
    body = {"seq": 1, "events": [END]} if method == "POST" else None
    return client.request(method, f"/v1/turns/{turn}{rest}", json=body)


@pytest.mark.parametrize(("method", "rest"), CALLS)
def test_an_unknown_turn_and_a_removed_one_look_the_same(
    client: httpx.Client, method: str, rest: str
) -> None:
    gone = told(client)
    assert client.delete(f"/v1/turns/{gone}").status_code == 204
    answers = [called(client, method, turn, rest) for turn in ("never", gone)]
    problem(answers[0], 404, "not-found")
    assert answers[0].content == answers[1].content
    assert answers[0].headers.keys() == answers[1].headers.keys()


@pytest.mark.parametrize(("method", "rest"), CALLS)
@pytest.mark.parametrize("turn", ["x" * 129, ".hidden", "a%20b", "a%00b", "%C3%A9", "a%0Ab"])
def test_an_id_that_can_be_none_is_refused(
    client: httpx.Client, method: str, rest: str, turn: str
) -> None:
    found = problem(called(client, method, turn, rest), 422, "invalid-input")
    assert "path.turn_id" in json.dumps(found)


@pytest.mark.parametrize("rest", ["", "/input", "/events", "/raw", "/parts/p1"])
def test_head_answers_as_get_does_without_a_body(client: httpx.Client, rest: str) -> None:
    turn = told(client)
    answer, whole = client.head(f"/v1/turns/{turn}{rest}"), client.get(f"/v1/turns/{turn}{rest}")
    assert (answer.status_code, answer.content) == (whole.status_code, b"")
    for name in ("content-type", "content-length"):
        assert answer.headers.get(name) == whole.headers.get(name)


# -- the whole process stops ---------------------------------------------------------------------


def drained(server: Served, grace: Callable[[], None]) -> None:
    async def drain() -> None:
        server.config.app.state.streams.drain(server.loop.time())  # type: ignore[union-attr]

    server.call(drain())
    grace()


def test_a_process_that_stops_takes_pushes_and_no_new_turn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(main, "DRAIN_SPREAD_SECONDS", 0.1)
    with (
        serving(Settings(drain_seconds=0.3)) as server,
        httpx.Client(base_url=server.url, timeout=DEADLINE) as own,
    ):
        turn = created(own)
        with RawClient(server.port) as producer:
            producer.request(f"/v1/turns/{turn}/input?seq=1")
            producer.line(delta("a"))
            until(lambda: own.get(f"/v1/turns/{turn}/input").json()["next"] == 2)

            def grace() -> None:
                answer = own.post("/v1/turns", json={})
                problem(answer, 503, "not-ready")
                assert answer.headers["retry-after"]
                producer.line(delta("b"))
                until(lambda: own.get(f"/v1/turns/{turn}/input").json()["next"] == 3)

            drained(server, grace)
            assert producer.status() == 503
            assert json.loads(producer.body())["type"].endswith("not-ready")
            assert producer.headers["connection"] == "close"
            producer.closed()
        pushed(own, turn, 3, END)
        assert own.get(f"/v1/turns/{turn}").json()["text"] == "ab"
