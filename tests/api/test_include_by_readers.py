"""``GET …/events?include=``: a reader's fields are those that the turn would have had itself."""

import httpx
import pytest
from tests.api.turning import END, created, delta, events, marker, part, problem, pushed
from tests.sse import Event, events_of

TURN = [
    part("p1", "one\ntwo", title="Tides", url="https://example.org/tides"),
    part("p2", {"rows": [{"a": 1}]}),
    delta("🎉 It turns" + marker("p1", "L2")),
    delta(". Twice" + marker("p2", "/rows/0", "p1")),
    delta(", and again" + marker("p2", "nowhere/else") + "."),
    END,
]


def read(client: httpx.Client, turn: str, query: str, after: int = 0) -> list[Event]:
    headers = {"Last-Event-ID": str(after)} if after else {}
    answer = client.get(f"/v1/turns/{turn}/events?{query}", headers=headers)
    assert answer.status_code == 200, answer.text
    return events_of(answer.content)


@pytest.mark.parametrize(
    "include", [["offsets"], ["source"], ["excerpt"], ["excerpt", "offsets", "source"]]
)
def test_the_stream_is_that_of_a_turn_that_was_asked_for_them(
    client: httpx.Client, include: list[str]
) -> None:
    asked, plain = created(client, include=include), created(client)
    for turn in (asked, plain):
        pushed(client, turn, 1, *TURN)
    query = "&".join(f"include={name}" for name in include)
    whole = events(client, asked)
    assert read(client, plain, query) == whole
    assert events(client, plain) != whole
    for after in range(1, len(whole) - 1):
        assert read(client, plain, query, after) == whole[after:]


@pytest.mark.parametrize("name", ["claim", "check", "registered", "sources", "colour"])
def test_another_field_is_refused_by_name(client: httpx.Client, name: str) -> None:
    turn = created(client)
    found = problem(client.get(f"/v1/turns/{turn}/events?include={name}"), 422, "invalid-input")
    assert found["errors"][0]["field"].startswith("query.include")
    assert "'offsets'" in found["errors"][0]["problem"]
    assert name not in found["errors"][0]["problem"]
