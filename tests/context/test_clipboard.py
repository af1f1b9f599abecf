"""Fragments and their import where the vectors do not reach."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citestream.context import (
    ContextError,
    Fragment,
    decode_fragment,
    encode_fragment,
    import_fragment,
    read_fragment,
)

SKILL: dict[str, Any] = {"version": 1, "contextId": "s", "kind": "skill", "label": "", "name": "n"}
CHART: dict[str, Any] = {"version": 1, "contextId": "c", "kind": "chart", "label": ""}
IMAGE: dict[str, Any] = {
    "version": 1,
    "contextId": "i",
    "kind": "image",
    "label": "",
    "attachmentId": "att",
    "name": "n",
    "mimeType": "m",
    "sizeBytes": 1,
}
NOTE: dict[str, Any] = {
    "version": 1,
    "contextId": "p",
    "kind": "preview-annotation",
    "label": "",
    "pageUrl": "",
    "annotationId": "",
    "pageTitle": None,
    "comment": "",
    "targetSummary": "",
    "styleChanges": [],
    "screenshotContextId": "i",
}
SOURCE = {"environmentId": "e"}


@given(st.recursive(st.none() | st.integers() | st.text(), st.lists))
def test_what_is_encoded_decodes(payload: object) -> None:
    records = [SKILL, {**CHART, "payload": payload}]
    written = encode_fragment(SOURCE, [*records, IMAGE], {"s", "c"})
    assert written is not None
    assert decode_fragment(written) == Fragment(SOURCE, tuple(records))


@pytest.mark.parametrize("source", [None, {}, {"environmentId": " "}, {**SOURCE, "threadId": 1}])
def test_a_source_names_its_environment(source: object) -> None:
    with pytest.raises(ContextError):
        encode_fragment(source, [SKILL], {"s"})
    assert read_fragment({"version": 1, "source": source, "records": []}) is None


def test_addresses_do_not_travel_in_the_source() -> None:
    written = encode_fragment({**SOURCE, "url": "https://example.org"}, [SKILL], {"s"})
    assert json.loads(written or "")["source"] == SOURCE


@pytest.mark.parametrize("text", ["", "[" * 9_999, '{"version":1}', "[]", '"x"', "x" * 16_000_001])
def test_what_is_no_fragment_is_none(text: str) -> None:
    assert decode_fragment(text) is None


def test_a_fragment_has_at_most_200_records() -> None:
    def written(count: int) -> str:
        return json.dumps({"version": 1, "source": SOURCE, "records": [SKILL] * count})

    assert len((decode_fragment(written(200)) or Fragment({}, ())).records) == 200
    assert decode_fragment(written(201)) is None


def test_a_number_of_any_length_drops_its_record_alone() -> None:
    text = json.dumps({"version": 1, "source": SOURCE, "records": [SKILL, CHART]})
    text = text.replace('"kind": "chart"', '"kind": "chart", "payload": ' + "9" * 5_000)
    assert decode_fragment(text) == Fragment(SOURCE, (SKILL,))


def test_a_label_of_a_rewritten_link_stays_as_it_was() -> None:
    text = "![ a\\b  ](t3-context://v1/image/i) [](t3-context://v1/file/i)"
    imported = import_fragment(text, Fragment(SOURCE, (IMAGE,)), [], "e", {"i": "fresh"})
    assert imported.text == text.replace("/i)", "/fresh)")


def test_a_binary_without_a_fresh_id_waits_under_its_own() -> None:
    text = "![x](t3-context://v1/image/i)"
    imported = import_fragment(text, Fragment(SOURCE, (IMAGE,)), [], "e", {})
    assert (imported.text, imported.fetch, imported.unresolved) == (text, [], ["i"])


def test_an_id_twice_in_a_fragment_is_imported_once() -> None:
    fragment = Fragment(SOURCE, (SKILL, {**SKILL, "name": "other"}))
    assert import_fragment("", fragment, [], "e", {}).records == [SKILL]


def test_a_screenshot_that_the_draft_holds_stays_linked() -> None:
    (record,) = import_fragment("", Fragment(SOURCE, (NOTE,)), ["i"], "e", {"i": "f"}).records
    assert record["screenshotContextId"] == "i"


def test_sources_are_not_changed_by_an_import() -> None:
    fragment = Fragment(SOURCE, (NOTE, IMAGE))
    before = json.dumps(fragment.as_json())
    import_fragment("", fragment, [], "e", {"i": "f"})
    assert json.dumps(fragment.as_json()) == before
