"""Context records of stored user messages: kept as they came, projected for a provider (S2)."""

import pytest

from citestream.api.transport.problems import STATUSES
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
    item = (await conversations.session("s", 0, 10))["items"][0]
    bound = {"version": 1, "records": [{**SHOT, "attachmentId": "stored_9"}]}
    assert (item["context"], item["attachments"]) == (bound, {"pending_1": "stored_9"})


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
    link, marker = "[s](t3-context://v1/skill/s)", "[Skill: s; ref=s]"
    entry = '<context kind="skill" id="s" unavailable="true"/>'
    envelope = f'\n\n<t3_context version="1">\n{entry}\n</t3_context>'
    rest = "x" * (PROVIDER_TEXT_LIMIT + over - len(marker + envelope))
    text = link + rest
    if taken:
        await conversations.add_message("s", "m", text, None)
        assert await said(conversations, "s") == [marker + rest + envelope]
        return
    with pytest.raises(Problem) as refused:
        await conversations.add_message("s", "m", text, None)
    assert (STATUSES[refused.value.type], "1 character" in refused.value.detail) == (422, True)
    with pytest.raises(Problem):
        await conversations.session("s", 0, 10)


async def test_a_text_without_references_has_no_limit(turns: StoredTurns) -> None:
    conversations = Conversations(turns)
    text = "x" * (PROVIDER_TEXT_LIMIT + 1)
    await conversations.add_message("s", "m", text, None)
    assert await said(conversations, "s") == [text]


def nested(levels: int) -> object:
    value: object = []
    for _ in range(levels - 1):
        value = [value]
    return value


async def test_records_that_are_unavailable_are_named(turns: StoredTurns) -> None:
    conversations = Conversations(turns)
    chart = {"version": 1, "kind": "chart", "label": "", "payload": 1}
    records = [
        SHOT,
        {**chart, "contextId": "deep", "payload": nested(66)},
        {**chart, "contextId": "twice"},
        {**chart, "contextId": "twice", "payload": 2},
        {**chart, "contextId": "copy"},
        {**chart, "contextId": "copy"},
        {**chart, "contextId": "no id"},
        {**chart, "contextId": "bad", "version": 2},
        BAD,
        "no record",
    ]
    links = "".join(f"[x](t3-context://v1/chart/{id_})" for id_ in ("gone", "copy", "deep", "gone"))
    context = {"version": 1, "records": records}
    created = await conversations.add_message("s", "m", TEXT + links, context)
    unavailable = ["gone", "deep", "twice", "bad", "ctx_2"]
    assert created == {"id": "m", "position": 1, "unavailable": unavailable}
    [item] = (await conversations.session("s", 0, 10))["items"]
    assert item["unavailable"] == unavailable
    # What JSON cannot carry on is left out, the rest is there as it came.
    assert item["context"] == {"version": 1, "records": [records[0], *records[2:]]}
    [content] = await said(conversations, "s")
    assert content.count('unavailable="true"') == 2
    assert '<context kind="chart" id="copy">\n1\n</context>' in content


@pytest.mark.parametrize("context", [{"version": 2, "records": []}, "junk", {}, {"version": 1}])
async def test_a_context_in_another_form_leaves_its_links_unavailable(
    turns: StoredTurns, context: object
) -> None:
    conversations = Conversations(turns)
    created = await conversations.add_message("s", "m", TEXT, context)
    assert created["unavailable"] == ["ctx_1"]
    [item] = (await conversations.session("s", 0, 10))["items"]
    assert item["context"] == context


@pytest.mark.parametrize(
    ("records", "limit"),
    [([SHOT] * 201, "200"), ([{**SHOT, "more": "x" * 8_000_000}] * 2, "16,000,000")],
)
async def test_a_context_over_its_limits_is_refused_with_the_limit(
    turns: StoredTurns, records: list[object], limit: str
) -> None:
    conversations = Conversations(turns)
    with pytest.raises(Problem) as refused:
        await conversations.add_message("s", "m", TEXT, {"version": 1, "records": records})
    assert STATUSES[refused.value.type] == 422
    assert refused.value.detail.startswith("context.records: at most")
    assert limit in refused.value.detail
    with pytest.raises(Problem):
        await conversations.session("s", 0, 10)


async def test_bytes_are_not_stored(turns: StoredTurns) -> None:
    conversations = Conversations(turns)
    data = {"dataUrl": "data:image/png;base64,AAAA"}
    chart = {"version": 1, "contextId": "c", "kind": "chart", "label": "", "payload": data}
    unread = {**SHOT, "contextId": "x", "name": 1, "preview": [data], **data}
    later = {"version": 1, "contextId": "l", "kind": "later", "label": "", "note": 1, **data}
    context = {"version": 1, "records": [{**SHOT, **data}, chart, unread, later], **data}
    await conversations.add_message("s", "m", TEXT, context)
    [item] = (await conversations.session("s", 0, 10))["items"]
    bare = {key: value for key, value in later.items() if key != "dataUrl"}
    kept = {**SHOT, "contextId": "x", "name": 1, "preview": [{}]}
    assert item["context"] == {"version": 1, "records": [SHOT, chart, kept, bare]}
    [stored] = await turns.log.items("s", 0, 10)
    assert (stored.message or b"").count(b"base64") == 1  # the payload is opaque


async def test_a_message_sent_twice_is_one_message(turns: StoredTurns) -> None:
    conversations = Conversations(turns)
    context = {"version": 1, "records": [{**SHOT, "dataUrl": "data:,"}]}
    first = await conversations.add_message("s", "m", TEXT, context, {"pending_1": "stored_9"})
    await conversations.add_message("s", "n", TEXT, None)
    reordered = {"records": [dict(reversed(SHOT.items()))], "version": 1}
    again = await conversations.add_message("s", "m", TEXT, reordered, {"pending_1": "stored_9"})
    assert again == first
    assert len((await conversations.session("s", 0, 10))["items"]) == 2


@pytest.mark.parametrize(
    "other",
    [
        (TEXT + " ", {"version": 1, "records": [SHOT]}, None),
        (TEXT, {"version": 1, "records": [{**SHOT, "sizeBytes": 2048.0}]}, None),
        (TEXT, None, None),
        (TEXT, {"version": 1, "records": [SHOT]}, {"pending_1": "stored_9"}),
    ],
)
async def test_other_content_under_a_message_id_is_a_conflict(
    turns: StoredTurns, other: tuple[str, object, dict[str, str] | None]
) -> None:
    conversations = Conversations(turns)
    await conversations.add_message("s", "m", TEXT, {"version": 1, "records": [SHOT]})
    with pytest.raises(Problem) as refused:
        await conversations.add_message("s", "m", *other)
    assert STATUSES[refused.value.type] == 409
    await conversations.add_message("another", "m", *other)
