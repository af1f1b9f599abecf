"""Stored messages where the vectors and the service do not reach."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citestream.context import (
    ContextError,
    ContextSettings,
    bound_context,
    decode_context,
    parse_references,
    project,
    resolve_message,
    storable_message,
)
from citestream.context.encoding import compact_json, read_json

EXCERPT = "<terminal_context>\n- Build line 7:\n  7 | done\n</terminal_context>"
SKILL: dict[str, Any] = {"version": 1, "contextId": "s", "kind": "skill", "label": "", "name": "n"}
FILE: dict[str, Any] = {
    "version": 1,
    "contextId": "f",
    "kind": "file",
    "label": "",
    "attachmentId": "before",
    "name": "n",
    "mimeType": "m",
    "sizeBytes": 1,
}


def test_a_context_that_cannot_be_read_is_a_context() -> None:
    for context in ({"version": 2, "records": []}, {}, "junk", {"version": 1, "records": [0]}):
        resolved = resolve_message(EXCERPT, context)
        assert (resolved.text, resolved.records, resolved.upgraded) == (EXCERPT, (), False)


def test_a_message_without_context_is_upgraded() -> None:
    resolved = resolve_message(f"see\n\n{EXCERPT}", None)
    assert resolved.upgraded
    assert [record["contextId"] for record in resolved.records] == ["legacy_terminal_1"]
    assert not resolve_message("see", None).upgraded


def test_attachments_are_bound_and_must_be_ids() -> None:
    context = {"version": 1, "records": [FILE, SKILL]}
    stored = {"before": "after"}
    bound = [{**FILE, "attachmentId": "after"}, SKILL]
    assert list(resolve_message("", context, attachments=stored).records) == bound
    assert bound_context(context, stored) == {"version": 1, "records": bound}
    assert bound_context(None, stored) is None
    for message in (context, None):
        with pytest.raises(ContextError) as error:
            resolve_message("", message, attachments={"before": "a/b"})
        assert error.value.field == "attachments.after"


def test_what_no_provider_reads_is_not_storable() -> None:
    small = ContextSettings(text_limit=10)
    with pytest.raises(ContextError) as error:
        storable_message("[s](t3-context://v1/skill/s)", None, settings=small)
    assert error.value.field == "text"
    assert storable_message("no reference in this", None, settings=small)["unavailable"] == []


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=4)
    | st.sampled_from(["s", "f", "skill", "file", "\ud83d"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from([*FILE, "payload", "name", "dataUrl", "é"]), inner, max_size=6
        )
    ),
    max_leaves=12,
)
RECORDS = JSON | st.builds(
    lambda record, field, value: {**record, field: value},
    st.sampled_from([SKILL, FILE, {**SKILL, "kind": "later"}]),
    st.sampled_from([*FILE, "payload", "path", "dataUrl"]),
    JSON,
)
CONTEXTS = JSON | st.builds(
    lambda records: {"version": 1, "records": records}, st.lists(RECORDS, max_size=5)
)
TEXT = "[s](t3-context://v1/skill/s) ![f](t3-context://v1/file/f)"


@given(CONTEXTS)
@settings(max_examples=2_000)
def test_any_json_whatsoever_as_context_never_fails_a_message(context: Any) -> None:
    stored = storable_message(TEXT, context)
    assert read_json(compact_json(stored)) == stored
    assert "dataUrl" not in compact_json(
        [without_payload(record) for record in decode_context(context).records or ()]
    )
    # Read back, it says to a provider what it said before, and names the same records.
    before, after = resolve_message(TEXT, context), resolve_message(TEXT, stored["context"])
    if context is not None:
        assert project(after.text, list(after.records)) == project(
            before.text, list(before.records)
        )
        named = [i for i in before.unavailable if i in {"s", "f"}]
        assert [i for i in after.unavailable if i in {"s", "f"}] == named
    assert stored["unavailable"] == list(before.unavailable)
    shown = project(TEXT, list(before.records))
    for link in parse_references(TEXT):
        is_unavailable = f'id="{link.context_id}" unavailable="true"' in shown
        assert is_unavailable == (link.context_id in stored["unavailable"])


def without_payload(record: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in record.items() if key != "payload"}
