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
        records = [{**SKILL, "contextId": f"s{number}"} for number in range(count)]
        return json.dumps({"version": 1, "source": SOURCE, "records": records})

    assert len((decode_fragment(written(200)) or Fragment({}, ())).records) == 200
    assert decode_fragment(written(201)) is None


def test_a_number_of_any_length_drops_its_record_alone() -> None:
    text = json.dumps({"version": 1, "source": SOURCE, "records": [SKILL, CHART]})
    text = text.replace('"kind": "chart"', '"kind": "chart", "payload": ' + "9" * 5_000)
    assert decode_fragment(text) == Fragment(SOURCE, (SKILL,))


def test_a_large_fragment_reads_as_a_small_one_does() -> None:
    # Over the size from which the decoder in Python reads.
    records = [{**CHART, "contextId": f"c{n}", "payload": ["é\ud83d", n] * 900} for n in range(60)]
    written = json.dumps({"version": 1, "source": SOURCE, "records": records})
    assert len(written) > 300_000
    fragment = decode_fragment(written)
    assert fragment is not None
    assert [record["contextId"] for record in fragment.records] == [f"c{n}" for n in range(60)]
    assert fragment.records[7]["payload"] == ["é\ufffd", 7] * 900
    assert decode_fragment(written[:-1]) is None
