"""What became of each marker of a stored answer."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.service.stored_turns import (
    END,
    answer_of,
    cite,
    deltas,
    differences,
    key,
    part,
    turns_on,
)

from citestream.citations import EngineOptions
from citestream.service.stored.explaining import Passage, explain
from citestream.service.stored.turns import StoredTurns
from citestream.stores.memory import MemoryLog

pytestmark = pytest.mark.anyio


async def test_what_became_of_each_candidate(turns: StoredTurns) -> None:
    await turns.create(turn_id="t")
    events = [part({"value": ["a", "b"]}), part("u", origin="user")]
    text = (
        "Fact" + cite("tool_data_01", "/1", "/9", "nobody") + " and "
        "\ue200cite x" + cite("user_text_01") + "\ue201\ue200cite\ue202tool"
    )
    await turns.push("t", 1, [*events, *deltas(text)])
    running = await explain(turns.log, key("t"))
    kinds = "text marker text failed text marker text open"
    assert [one.kind for one in running] == kinds.split()
    assert "".join(one.raw for one in running) == text
    assert running[3] == Passage("failed", "\ue200cite", why="U+0020")
    assert [
        (n.data_part_id, n.locator, n.outcome, n.offset, n.resolution) for n in running[1].named
    ] == [
        ("tool_data_01", "/1", "citation", 4, "resolved"),
        ("tool_data_01", "/9", "citation", 4, "unresolved"),
        ("nobody", "", "waiting", None, None),
    ]
    assert running[5].named[0].outcome == "user_origin"
    await turns.push("t", 4, [END])
    ended = await explain(turns.log, key("t"))
    assert ended[1].named[2].outcome == "unknown_part"
    assert (ended[7].kind, ended[7].why) == ("failed", "the end of the text")


async def test_an_answer_brought_again_explains_the_last(turns: StoredTurns) -> None:
    await turns.create(turn_id="t")
    await turns.push("t", 1, [*deltas(cite("user_data_01")), END, *deltas("x"), END])
    assert await explain(turns.log, key("t")) == [Passage("text", "x")]


PIECES = st.lists(
    st.sampled_from(
        ["\ue200", "\ue201", "\ue202", "cite", "p1", "p2", "L3", " ", ".", "\u00e9", "x"]
    )
    | st.just(cite("p1", "L1"))
    | st.just(cite("p2", "p1")),
    max_size=14,
)


@given(PIECES, st.sampled_from(["keep", "drop"]), st.sampled_from(["keep", "tidy"]))
@settings(max_examples=150, deadline=None)
async def test_passages_are_the_raw_text_and_its_entries(
    pieces: list[str], invalid: str, whitespace: str
) -> None:
    log = MemoryLog()
    await log.open()
    turns = turns_on(log)
    options = EngineOptions(invalid, whitespace)  # type: ignore[arg-type]
    await turns.create(turn_id="t", options=options)
    await turns.push("t", 1, [part("one", "p1"), *deltas(*pieces), END])
    assert await differences(turns, "t") == []
    passages = await explain(turns.log, key("t"))
    answer = await answer_of(turns, "t")
    assert "".join(one.raw for one in passages) == "".join(pieces)
    assert sum(one.kind == "failed" for one in passages) == answer["invalid_markers"]
    named = [one for passage in passages for one in passage.named]
    told = [(n.data_part_id, n.locator, n.offset) for n in named if n.outcome == "citation"]
    assert told == [(c["data_part_id"], c["locator"], c["offset"]) for c in answer["citations"]]
    lost = [(n.data_part_id, n.outcome) for n in named if n.outcome != "citation"]
    assert lost == [(d["data_part_id"], d["reason"]) for d in answer["dropped"]]
    assert all(one.kind != "open" for one in passages)
