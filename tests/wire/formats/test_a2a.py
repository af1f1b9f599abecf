"""A2A 1.0 and 0.3: a task, an artifact that grows, a data part of the citations, an end."""

from typing import Any

import pytest
from tests.wire.formats import streams
from tests.wire.formats.test_vendor_writer import written

from citestream.turns import ErrorEvent
from citestream.wire.formats.a2a import EXTENSION, A2aOldWriter, A2aWriter
from citestream.wire.formats.clean_text import View


def test_the_events_of_a_cited_answer() -> None:
    task, *grown, ended = written(A2aWriter, view=View(turn_id="t1"))
    assert task["task"] == {
        "id": "t1",
        "contextId": "t1",
        "status": {"state": "TASK_STATE_WORKING"},
    }
    updates = [one["artifactUpdate"] for one in grown]
    assert [one.get("append") for one in updates] == [None, *[True] * (len(updates) - 1)]
    *texts, listed = [one["artifact"] for one in updates]
    assert "".join(one["parts"][0]["text"] for one in texts) == "🗼 one. Two"
    assert listed["extensions"] == [EXTENSION]
    assert updates[-1]["lastChunk"] is True
    [citation] = listed["parts"][0]["data"]["citations"]
    assert (citation["start"], citation["end"], citation["offset"]) == (0, 6, 6)
    assert (citation["url"], citation["title"]) == ("https://example.org/a", "T")
    assert ended["statusUpdate"]["status"] == {"state": "TASK_STATE_COMPLETED"}


def test_the_older_events_say_their_kind_and_which_is_the_last() -> None:
    found = written(A2aOldWriter)
    assert [one["kind"] for one in found] == [
        "task",
        *["artifact-update"] * (len(found) - 2),
        "status-update",
    ]
    assert found[0]["status"] == {"state": "working"}
    assert found[1]["artifact"]["parts"] == [{"kind": "text", "text": "🗼 one"}]
    assert found[-2]["artifact"]["parts"][0]["kind"] == "data"
    assert (found[-1]["final"], found[-1]["status"]["state"]) == (True, "completed")


@pytest.mark.parametrize(
    ("make", "state", "role"),
    [(A2aWriter, "TASK_STATE_FAILED", "ROLE_AGENT"), (A2aOldWriter, "failed", "agent")],
)
def test_an_error_ends_the_task(make: Any, state: str, role: str) -> None:
    _, ended = list(streams.events(make().encode(ErrorEvent({"title": "Broken"}), 1)))
    status = ended.get("statusUpdate", ended)["status"]
    assert status["state"] == state
    assert (status["message"]["role"], status["message"]["parts"][0]["text"]) == (role, "Broken")
