"""Records: limits of the whole list, and that a bad record spoils itself alone."""

import copy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citestream.context import decode_context, decode_record, decode_records, project

SKILL: dict[str, Any] = {"version": 1, "contextId": "s", "kind": "skill", "label": "", "name": "n"}
CHART: dict[str, Any] = {"version": 1, "contextId": "c", "kind": "chart", "label": ""}

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda v: st.lists(v, max_size=3) | st.dictionaries(st.text(max_size=3), v, max_size=3),
    max_leaves=8,
)


@given(st.lists(VALUES | st.fixed_dictionaries(dict.fromkeys(SKILL, VALUES)), max_size=6))
@settings(max_examples=200)
def test_junk_never_fails_a_good_record(junk: list[object]) -> None:
    decoded = decode_records([*junk, SKILL])
    assert decoded.records is not None
    assert decoded.records[-1] == SKILL
    assert decoded.dropped + len(decoded.records) == len(junk) + 1


@given(VALUES)
def test_any_value_is_some_context_or_none(value: object) -> None:
    assert decode_context(value).records in (None, ())


def test_decoding_is_idempotent_and_leaves_its_input() -> None:
    record = {**SKILL, "name": " n ", "more": 1}
    before = copy.deepcopy(record)
    decoded = decode_record(record)
    assert decoded == SKILL
    assert decode_record(decoded) == decoded
    assert record == before


def test_two_hundred_records_are_the_most() -> None:
    assert decode_records([SKILL] * 200).records == (SKILL,)
    assert decode_records([SKILL] * 201).records is None


def test_sixteen_million_characters_are_the_most() -> None:
    def padded(length: int) -> list[object]:
        return [{**SKILL, "padding": "x" * length}, "y"]

    empty = len(
        '[{"version":1,"contextId":"s","kind":"skill","label":"","name":"n","padding":""},"y"]'
    )
    assert decode_records(padded(16_000_000 - empty)).records == (SKILL,)
    assert decode_records(padded(16_000_000 - empty + 1)).records is None


def test_a_payload_of_64_000_characters_is_the_most() -> None:
    assert decode_record({**CHART, "payload": "x" * 63_998}) is not None
    assert decode_record({**CHART, "payload": "x" * 63_999}) is None
    assert decode_record({**CHART, "payload": '"' * 31_999}) is not None
    assert decode_record({**CHART, "payload": '"' * 32_000}) is None


@pytest.mark.parametrize("kind", [" skill", "Skill", "", None, 1, ["skill"], {"skill": 1}])
def test_a_kind_is_exactly_a_name(kind: object) -> None:
    # A payload must not save a known kind that is written in another way.
    assert decode_record({**SKILL, "kind": kind, "payload": 1}) is None


def test_lone_surrogates_become_replacement_characters() -> None:
    record = decode_record({**CHART, "payload": {"a\ud800": ["\udc00"]}, "label": "\ud83d\ude00"})
    assert record == {**CHART, "payload": {"a\ufffd": ["\ufffd"]}, "label": "😀"}


def test_by_id_leaves_out_what_several_claim() -> None:
    other = {**SKILL, "name": "other"}
    decoded = decode_records([SKILL, {**SKILL, "contextId": "t"}, other])
    assert list(decoded.by_id()) == ["t"]


def test_a_later_kind_has_a_payload_or_its_own_fields_bounded_alike() -> None:
    later = {**CHART, "rows": [1], "note": {"a": 1, "dataUrl": "data:,"}, "dataUrl": "data:,"}
    assert decode_record(later) == {**CHART, "rows": [1], "note": {"a": 1}}
    assert decode_record({**later, "payload": None}) == {**CHART, "payload": None}
    # `{"rows":""}` around the characters.
    assert decode_record({**CHART, "rows": "x" * (64_000 - 11)}) is not None
    assert decode_record({**CHART, "rows": "x" * (64_000 - 10)}) is None


def test_copies_of_a_record_are_one_and_others_make_it_ambiguous() -> None:
    other = {**CHART, "payload": 1}
    decoded = decode_records(
        [SKILL, {**SKILL, "more": 1}, other, {**other, "payload": True}, other]
    )
    assert decoded.records == (SKILL, other, {**other, "payload": True})
    assert (decoded.dropped, decoded.ambiguous, decoded.unavailable) == (0, ("c",), ("c",))


def test_dropped_records_are_named_where_they_name_themselves() -> None:
    deep: list[object] = []
    for _ in range(64):
        deep = [deep]
    values = [{**SKILL, "name": 1}, {**CHART, "payload": deep}, {"contextId": "a b"}, 1, SKILL]
    decoded = decode_records(values)
    assert (decoded.records, decoded.dropped, decoded.unavailable) == ((SKILL,), 4, ("c",))


@given(st.recursive(VALUES, lambda inner: st.lists(inner, max_size=3), max_leaves=4))
@settings(max_examples=2_000)
def test_any_json_whatsoever_as_payload_fails_nothing(payload: object) -> None:
    later = {**CHART, "contextId": "d", "fields": payload}
    decoded = decode_records([SKILL, {**CHART, "payload": payload}, later])
    assert decoded.records is not None
    assert decoded.records[0] == SKILL
    assert decoded.dropped in (0, 2)
    assert set(decoded.unavailable) == ({"c", "d"} if decoded.dropped else set())
    link = "[c](t3-context://v1/chart/c) [d](t3-context://v1/chart/d)"
    shown = project(link, [SKILL, {**CHART, "payload": payload}, later])
    assert shown.count('unavailable="true"') == decoded.dropped
