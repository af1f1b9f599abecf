"""Pastes where the vectors do not reach."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citestream.context import (
    ContextError,
    Fragment,
    Imported,
    decode_record,
    import_fragment,
    parse_references,
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
    (record,) = import_fragment("", Fragment(SOURCE, (NOTE,)), [IMAGE], "e", {"i": "f"}).records
    assert record["screenshotContextId"] == "i"


def test_sources_are_not_changed_by_an_import() -> None:
    fragment = Fragment(SOURCE, (NOTE, IMAGE))
    before = json.dumps(fragment.as_json())
    import_fragment("", fragment, [], "e", {"i": "f"})
    assert json.dumps(fragment.as_json()) == before


def paste(text: str, pasted: list[dict[str, Any]], draft: list[Any], **more: Any) -> Imported:
    options = {"environment_id": "e", "fresh_ids": {}} | more
    return import_fragment(text, Fragment(SOURCE, tuple(pasted)), draft, **options)


@pytest.mark.parametrize(
    "fresh",
    [
        {"i": "f"},  # the draft's
        {"i": "s"},  # the paste's
        {"i": "x", "j": "x"},
        {"i": "dead"},  # a link of the paste that no record is behind
        {"i": "a b"},
        {"unused": ""},
    ],
)
def test_fresh_ids_that_collide_are_the_caller_s_mistake(fresh: dict[str, str]) -> None:
    pasted = [IMAGE, {**IMAGE, "contextId": "j"}, SKILL]
    with pytest.raises(ContextError) as error:
        paste(
            "[](t3-context://v1/file/dead)", pasted, [{**SKILL, "contextId": "f"}], fresh_ids=fresh
        )
    assert error.value.field == "fresh_ids"


def test_an_image_may_keep_its_id_where_the_draft_does_not_use_it() -> None:
    (fetch,) = paste("", [IMAGE], [], fresh_ids={"i": "i"}).fetch
    assert (fetch.context_id, fetch.attachment_id) == ("i", "att")
    with pytest.raises(ContextError):
        paste("", [IMAGE], [{**IMAGE, "name": "other"}], fresh_ids={"i": "i"})


def test_another_image_under_a_known_id_from_elsewhere_waits_under_a_fresh_one() -> None:
    imported = paste(
        "![](t3-context://v1/image/i)", [IMAGE, NOTE], [{**IMAGE, "name": "x"}], environment_id="f"
    )
    assert imported.text == "![](t3-context://v1/image/i-2)"
    assert (imported.fetch, imported.unresolved) == ([], ["i-2"])
    assert "screenshotContextId" not in imported.records[0]


def test_another_image_under_a_known_id_is_fetched_and_its_annotation_follows() -> None:
    imported = paste("", [IMAGE, NOTE], [{**IMAGE, "name": "x"}])
    assert [(one.context_id, one.attachment_id) for one in imported.fetch] == [("i-2", "att")]
    assert imported.records == [{**NOTE, "screenshotContextId": "i-2"}]


def test_a_fresh_id_is_cut_to_what_an_id_may_have() -> None:
    long = {**SKILL, "contextId": "s" * 128}
    (record,) = paste(
        "", [long], [{**long, "name": "x"}, {**SKILL, "contextId": "s" * 126 + "-2"}]
    ).records
    assert record["contextId"] == "s" * 126 + "-3"


def test_a_record_that_the_draft_holds_in_other_words_is_the_same() -> None:
    chart = {**CHART, "payload": {"a": 1, "b": [True]}}
    held = {**CHART, "payload": {"b": [True], "a": 1}, "expired": True, "label": ""}
    assert paste("", [chart], [held]).records == []
    (record,) = paste("", [chart], [{**held, "payload": {"a": True, "b": [1]}}]).records
    assert record["contextId"] == "c-2"


def test_pasting_an_annotation_again_adds_nothing() -> None:
    first = paste("", [IMAGE, NOTE], [], fresh_ids={"i": "x"})
    draft = [*first.records, {**IMAGE, "contextId": "x"}]
    assert paste("", [IMAGE, NOTE], draft, fresh_ids={"i": "y"}).records == []


IDS = st.sampled_from(["a", "b", "a-2", "i", "j"])
RECORDS = st.builds(
    lambda kind, id_, word: {**kind, "contextId": id_, "label": word},
    st.sampled_from([SKILL, IMAGE, NOTE, {**CHART, "size": 1}]),
    IDS,
    st.sampled_from(["x", "y"]),
)
LINK = st.builds("[{0}](t3-context://v1/file/{1})".format, st.sampled_from("xy"), IDS)


@given(
    st.lists(LINK | st.sampled_from([" ", "é\n"])).map("".join),
    st.lists(RECORDS, max_size=5),
    st.lists(RECORDS | st.sampled_from([None, {"contextId": "b"}]), max_size=5),
    st.sampled_from(["e", "elsewhere"]),
    st.dictionaries(IDS, st.sampled_from(["n1", "n2", "n3"]), max_size=3),
)
@settings(max_examples=2_000)
def test_a_paste_fits_into_any_draft(
    text: str,
    pasted: list[dict[str, Any]],
    draft: list[Any],
    environment_id: str,
    fresh_ids: dict[str, str],
) -> None:
    fragment = Fragment(SOURCE, tuple(pasted))
    try:
        imported = import_fragment(text, fragment, draft, environment_id, fresh_ids)
    except ContextError:
        assert len(set(fresh_ids.values())) < len(fresh_ids)
        return
    held = [record["contextId"] for record in draft if record]
    added = [record["contextId"] for record in imported.records]
    fetched = [fetch.context_id for fetch in imported.fetch]
    # Nothing new takes an id that is taken, and every record new or old is valid.
    assert len({*added, *fetched}) == len(added) + len(fetched)
    assert not {*added, *fetched} & set(held)
    assert all(decode_record(record) == record for record in imported.records)
    # Each link of the paste points at what it pointed at.
    originals = {record["contextId"]: record for record in reversed(pasted)}
    new = {record["contextId"]: record for record in imported.records}
    before, after = parse_references(text), parse_references(imported.text)
    assert len(before) == len(after)
    for old, now in zip(before, after, strict=True):
        assert (old.label, old.kind) == (now.label, now.kind)
        record = originals.get(old.context_id)
        if record is None:
            assert now.context_id == old.context_id
        elif now.context_id in new:
            assert without_id(new[now.context_id]) == without_id(record)
        elif now.context_id in held:
            same = [one for one in draft if one and one["contextId"] == now.context_id]
            assert without_id(record) in [without_id(one) for one in same]
        else:
            assert record["kind"] == "image"
            assert now.context_id in imported.unresolved
    known = {*held, *added, *fetched}
    for record in imported.records:
        assert record.get("screenshotContextId") in {None, *held, *fetched}
    assert set(imported.unresolved) == {
        link.context_id for link in after if link.context_id not in known - set(fetched)
    }


def without_id(record: dict[str, Any]) -> str:
    left_out = {"contextId", "screenshotContextId", "attachmentId"}
    return json.dumps({key: record[key] for key in record if key not in left_out}, sort_keys=True)
