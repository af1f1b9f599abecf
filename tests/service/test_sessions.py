import pytest
from tests.service.stored_turns import (
    END,
    answer_of,
    cite,
    deltas,
    histories,
    key,
    part,
    session_of,
)

from citestream.api.transport.problems import STATUSES
from citestream.citations import EngineOptions
from citestream.service.history import PAGE
from citestream.service.problems import Problem
from citestream.service.sessions import Conversations
from citestream.service.stored.turns import StoredTurns
from citestream.stores.port import Key
from citestream.turns import EndInput

pytestmark = pytest.mark.anyio


@pytest.fixture
def conversations(turns: StoredTurns) -> Conversations:
    return Conversations(turns)


async def talk(turns: StoredTurns, conversations: Conversations) -> None:
    """Two questions and answers, an answer that asks for another, one that was broken off, one
    that still runs."""
    await conversations.add_message("s", "m1", "Is it safe?", {"version": 1, "records": ["\ud83d"]})
    await turns.create(turn_id="t1", session_id="s", labels={"model": "m"})
    events = [part("one", title="One", url="https://one"), part("two"), part("unused")]
    text = deltas("B", cite("tool_data_02"), "A", cite("tool_data_01"), cite("tool_data_02"), ".")
    await turns.push("t1", 1, [*events, *text, END])
    await conversations.add_message("s", "m2", "And why?", None)
    await turns.create(turn_id="t2", session_id="s")
    for seq in (1, 3):
        await turns.push("t2", seq, [*deltas(cite("user_data_01")), END])
    await turns.create(turn_id="t3", session_id="s")
    await turns.push("t3", 1, [*deltas("Because"), EndInput("failed")])
    await turns.create(turn_id="t4", session_id="s")
    await turns.push("t4", 1, deltas("Still run"))


async def test_a_session_as_a_reader_sees_it_again(
    turns: StoredTurns, conversations: Conversations
) -> None:
    await talk(turns, conversations)
    session = await session_of(turns, 0, 50)
    items = session["items"]
    assert (session["id"], session["next"]) == ("s", None)
    assert [item["id"] for item in items] == ["m1", "t1", "m2", "t2", "t3", "t4"]
    assert [item["position"] for item in items] == [1, 2, 3, 4, 5, 6]
    assert items[0]["text"] == "Is it safe?"
    assert items[0]["context"] == {"version": 1, "records": ["\ufffd"]}
    answer = items[1]
    assert (answer["text"], answer["status"], answer["labels"]) == (
        "BA.",
        "completed",
        {"model": "m"},
    )
    assert answer["citations"] == [
        {"data_part_id": "tool_data_02", "tool_name": "search", "title": None, "url": None},
        {
            "data_part_id": "tool_data_01",
            "tool_name": "search",
            "title": "One",
            "url": "https://one",
        },
    ]
    assert [(one["data_part_id"], one["offset"]) for one in answer["inline_citations"]] == [
        ("tool_data_02", 1),
        ("tool_data_01", 3),
        ("tool_data_02", 3),
    ]
    statuses = [item["status"] for item in items if item["type"] == "turn"]
    assert statuses == ["completed", "retry_required", "interrupted", "open"]
    assert items[5]["text"] == "Still run"


async def test_what_was_stored_before_a_field_existed_shows_what_it_has(
    turns: StoredTurns, conversations: Conversations, monkeypatch: pytest.MonkeyPatch
) -> None:
    await talk(turns, conversations)

    async def old(wanted: dict[Key, list[str]]) -> dict[Key, dict[str, bytes]]:
        about = b'{"tool_name":"search"}'
        return {turn: dict.fromkeys(ids, about) for turn, ids in wanted.items()}

    monkeypatch.setattr(turns.log, "about_parts", old)
    items = (await session_of(turns, 0, 50))["items"]
    assert [one["title"] for one in items[1]["citations"]] == [None, None]


async def test_pages(turns: StoredTurns, conversations: Conversations) -> None:
    await talk(turns, conversations)
    seen = []
    after: int | None = 0
    while after is not None:
        page = await session_of(turns, after, 4)
        seen += [item["position"] for item in page["items"]]
        after = page["next"]
    assert seen == [1, 2, 3, 4, 5, 6]


async def test_the_history_for_the_next_call(
    turns: StoredTurns, conversations: Conversations
) -> None:
    await talk(turns, conversations)
    clean = await histories(turns).history("s", "openai", "clean")
    assert clean == {
        "messages": [
            {"role": "user", "content": "Is it safe?"},
            {"role": "assistant", "content": "BA."},
            {"role": "user", "content": "And why?"},
            {"role": "assistant", "content": "Because"},
        ],
        "text": None,
    }
    raw = await histories(turns).history("s", "anthropic", "raw")
    assert raw["messages"][1]["content"] == await turns.reader.raw(key("t1"))
    text = await histories(turns).history("s", "text", "clean")
    assert text["text"] == (
        "User: Is it safe?\n\nAssistant: BA.\n\nUser: And why?\n\nAssistant: Because"
    )


async def test_a_long_history_is_whole(turns: StoredTurns, conversations: Conversations) -> None:
    for n in range(PAGE + 3):
        await conversations.add_message("s", f"m{n}", f"{n}", None)
    history = await histories(turns).history("s", "openai", "clean")
    assert [one["content"] for one in history["messages"]] == [f"{n}" for n in range(PAGE + 3)]


async def test_a_session_goes_with_its_turns(
    turns: StoredTurns, conversations: Conversations
) -> None:
    await talk(turns, conversations)
    await conversations.delete("s")
    for call in (
        conversations.delete("s"),
        conversations.session("s", 0, 9),
        histories(turns).history("s", "openai", "clean"),
        answer_of(turns, "t1"),
        turns.push("t4", 2, deltas("ning")),
    ):
        with pytest.raises(Problem) as caught:
            await call
        assert STATUSES[caught.value.type] == 404


async def test_a_history_has_the_markers_of_resolved_citations_alone(
    turns: StoredTurns, conversations: Conversations
) -> None:
    await talk(turns, conversations)
    history = await histories(turns).history("s", "openai", "restore")
    assert [one["content"] for one in history["messages"]] == [
        "Is it safe?",
        f"B{cite('tool_data_02')}A.{cite('tool_data_01')}{cite('tool_data_02')}",
        "And why?",
        "Because",
    ]


async def test_a_history_leaves_out_what_taught_the_model_wrong(
    turns: StoredTurns, conversations: Conversations
) -> None:
    await turns.create(turn_id="t", session_id="s")
    written = ("One", cite("gone"), cite("user_data_01"), " \ue200cite two", cite("tool_data_01"))
    await turns.push("t", 1, [part("one"), *deltas(*written), END])
    history = await histories(turns).history("s", "openai", "restore")
    (answer,) = history["messages"]
    assert answer["content"] == f"One \ue200cite two{cite('tool_data_01')}"


async def test_a_history_is_written_in_the_dialect_of_its_turn(
    turns: StoredTurns, conversations: Conversations
) -> None:
    options = EngineOptions(dialect=["tags", "guide"])
    await turns.create(turn_id="t", session_id="s", options=options)
    marked = f'One{cite("tool_data_01")}, two<cite id="tool_data_01"/>.'
    await turns.push("t", 1, [part("one"), *deltas(marked), END])
    history = await histories(turns).history("s", "openai", "restore")
    (answer,) = history["messages"]
    tag = '<cite id="tool_data_01"/>'
    assert answer["content"] == f"One,{tag} two.{tag}"
