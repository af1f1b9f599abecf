"""Context records of stored user messages: kept as they came, projected for a provider (S2)."""

import pytest

from citestream.context import PROVIDER_TEXT_LIMIT
from citestream.service.problems import Problem
from citestream.service.sessions import Conversations
from citestream.service.stored.turns import StoredTurns

pytestmark = pytest.mark.anyio

SHOT = {
    "version": 1,
    "contextId": "ctx_1",
    "kind": "image",
    "label": "shot.png",
    "attachmentId": "pending_1",
    "name": "shot.png",
    "mimeType": "image/png",
    "sizeBytes": 2048,
}
BAD = {"version": 1, "contextId": "ctx_2", "kind": "image", "label": "no name"}
TEXT = "Look at ![shot.png](t3-context://v1/image/ctx_1)."
PROJECTED = (
    "Look at [Image: shot.png; ref=ctx_1].\n\n"
    '<t3_context version="1">\n'
    '<context kind="image" id="ctx_1">\n'
    "name: shot.png\nmimeType: image/png\nsizeBytes: 2048\nattachmentId: {}\n"
    "</context>\n</t3_context>"
)
OLD = "See \ufffc\n\n<terminal_context>\n- Build line 7:\n  7 | done\n</terminal_context>"


async def said(conversations: Conversations, session_id: str) -> list[str]:
    history = await conversations.history(session_id, "openai", "clean")
    return [one["content"] for one in history["messages"]]


async def test_records_are_kept_as_they_came_and_projected_for_the_provider(
    turns: StoredTurns,
) -> None:
    conversations = Conversations(turns)
    context = {"version": 1, "records": [SHOT, BAD, "no record"]}
    await conversations.add_message("s", "m", TEXT, context)
    shown = (await conversations.session("s", 0, 10))["items"][0]
    assert (shown["text"], shown["context"]) == (TEXT, context)
    assert await said(conversations, "s") == [PROJECTED.format("pending_1")]


async def test_attachments_are_bound_to_what_they_are_stored_under(turns: StoredTurns) -> None:
    conversations = Conversations(turns)
    context = {"version": 1, "records": [SHOT]}
    await conversations.add_message("s", "m", TEXT, context, {"pending_1": "stored_9"})
    assert await said(conversations, "s") == [PROJECTED.format("stored_9")]
    assert (await conversations.session("s", 0, 10))["items"][0]["context"] == context


async def test_an_older_message_is_upgraded_when_it_is_read_and_never_rewritten(
    turns: StoredTurns,
) -> None:
    conversations = Conversations(turns)
    await conversations.add_message("s", "m", OLD, None)
    [content] = await said(conversations, "s")
    assert content.startswith("See [Terminal: ")
    assert '<context kind="terminal" id="legacy_terminal_1">' in content
    shown = (await conversations.session("s", 0, 10))["items"][0]
    assert (shown["text"], shown["context"]) == (OLD, None)


async def test_text_without_references_changes_in_no_byte(turns: StoredTurns) -> None:
    conversations = Conversations(turns)
    text = "hello **world**  \n\u2028 [1](https://example.org) \x00"
    await conversations.add_message("s", "m", text, None)
    assert await said(conversations, "s") == [text]


@pytest.mark.parametrize(("over", "taken"), [(-1, True), (0, True), (1, False)])
async def test_more_than_a_provider_takes_is_refused_before_it_is_kept(
    turns: StoredTurns, over: int, taken: bool
) -> None:
    conversations = Conversations(turns)
    text = "x" * (PROVIDER_TEXT_LIMIT + over)
    if taken:
        await conversations.add_message("s", "m", text, None)
        assert await said(conversations, "s") == [text]
        return
    with pytest.raises(Problem) as refused:
        await conversations.add_message("s", "m", text, None)
    assert (refused.value.kind.status, "1 character" in refused.value.detail) == (422, True)
    with pytest.raises(Problem):
        await conversations.session("s", 0, 10)
