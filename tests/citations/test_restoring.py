"""The way back: markers put into a clean text are read as the citations that they were."""

from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.vectors import rows

from citestream.citations import EngineOptions
from citestream.citations.engine import Engine
from citestream.citations.fields import read_fields
from citestream.citations.restoring import known_ids, restore_markers, restore_readable

TEMPLATE = {"open": "[[cite:", "close": "]]", "separator": "|"}
DIALECTS: list[Any] = ["guide", "chatgpt", "lenticular", "numbers", "tags", "escaped", TEMPLATE]
IDS = ["a", "b-2", "tool_data_01", "1", "23", "4:0"]

MARKERS = {
    "guide": ["\ue200cite\ue202a\ue201", "\ue200cite\ue202b-2\ue202L3\ue202a\ue201", "\ue200cite"],
    "chatgpt": [
        "\ue200filecite\ue202a\ue202/x\ue201",
        "\ue200url\ue202word\ue202a\ue201",
        "\ue203",
    ],
    "lenticular": ["【4:0†source】", "【a】", "【b-2†L1-L2】", "【no】"],
    "numbers": ["[1]", "[^23]", "[1, 23]", "[9]", "[1](x)", "a[1]"],
    "tags": ['<cite id="a">', "</cite>", '<cite ref="b-2"/>', "<co: 1>", "</co>", "<cite>"],
    "escaped": ["\\ue200cite\\ue202a\\ue201", "\\uE200cite\\uE202a\\uE202/x\\uE201", "\\ue200"],
    "template": ["[[cite:a]]", "[[cite:b-2|L4]]", "[[cite:"],
}
TEXT = [
    *"aZ1.,;!)]}”’(【\\`*_> \n",
    "word ",
    "Fact. ",
    "2.5",
    "dog's",
    "中文。",
    "😀",
    "```\n",
    "- ",
]


class Answer(NamedTuple):
    text: str
    citations: list[dict[str, Any]]


def read(raw: str, dialect: Any) -> Answer:
    """Read a raw answer whose parts are all of :data:`IDS`."""
    known = known_ids(IDS)
    engine = Engine(EngineOptions(dialect=dialect, numbers="strip"), known)
    text = engine.feed(raw) + engine.finish()
    citations = [
        {"data_part_id": source_id, "offset": entry.offset, "locator": locator}
        for entry in engine.take()
        for source_id, locator in read_fields(
            entry.source_id, entry.locator, entry.undecided, known.is_id
        )
        or ()
    ]
    citations = [one for one in citations if one["data_part_id"] in IDS]
    return Answer(text, sorted(citations, key=lambda one: one["offset"]))


def name_of(dialect: Any) -> str:
    return dialect if isinstance(dialect, str) else "template"


ANSWERS = st.sampled_from(DIALECTS).flatmap(
    lambda dialect: st.tuples(
        st.just(dialect),
        st.lists(st.sampled_from(TEXT + MARKERS[name_of(dialect)] * 4), max_size=25).map("".join),
    )
)


@settings(max_examples=5000, deadline=None)
@given(ANSWERS)
def test_what_is_restored_is_read_again(answer: tuple[Any, str]) -> None:
    dialect, raw = answer
    text, citations = read(raw, dialect)
    try:
        restored = restore_markers(text, citations, dialect)
    except ValueError:
        # Refused, then, because of the text itself or because of one of the places.
        alone = read(text, dialect)
        assert (
            alone != (text, [])
            or not all(can_be_put(text, one, dialect) for one in citations)
            or has_fence(text)
        )
        return
    assert read(restored, dialect) == (text, citations)


def has_fence(text: str) -> bool:
    """Tell whether a marker may change what is code, and with it the place of another."""
    return "```" in text or "~~~" in text


def can_be_put(text: str, citation: dict[str, Any], dialect: Any) -> bool:
    try:
        restore_markers(text, [citation], dialect)
    except ValueError:
        return False
    return True


@settings(max_examples=1000, deadline=None)
@given(st.lists(st.sampled_from(TEXT + MARKERS["guide"][:2] * 6), max_size=25).map("".join))
def test_text_without_signs_is_never_refused(raw: str) -> None:
    text, citations = read(raw, "guide")
    assert read(restore_markers(text, citations), "guide") == (text, citations)


@pytest.mark.parametrize(
    "row",
    [row for row in rows("restore.json") if row["op"] == "restore"],
    ids=lambda row: row["id"],
)
def test_vectors(row: dict[str, Any]) -> None:
    if "refused" in row:
        with pytest.raises(ValueError, match=r"^(text|citations)"):
            restore_markers(**row["input"])
    else:
        assert restore_markers(**row["input"]) == row["expect"]["raw"]


def test_a_citation_may_be_an_object() -> None:
    class Cited(NamedTuple):
        data_part_id: str
        offset: int
        locator: str

    assert restore_markers("Fact.", [Cited("a", 5, "")]) == "Fact.\ue200cite\ue202a\ue201"


@pytest.mark.parametrize(
    ("dialect", "message"),
    [("none", "dialect"), (["guide"], "dialect"), ({"open": "<|"}, "dialect.close")],
)
def test_dialects_that_are_none(dialect: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        restore_markers("Fact.", [], dialect)


def test_an_error_names_the_citation() -> None:
    with pytest.raises(ValueError, match=r"^citations.1.offset: outside"):
        restore_markers(
            "Fact.",
            [
                {"data_part_id": "a", "offset": 5, "locator": ""},
                {"data_part_id": "a", "offset": 6, "locator": ""},
            ],
        )


@settings(max_examples=1000, deadline=None)
@given(ANSWERS)
def test_what_can_be_restored_is(answer: tuple[Any, str]) -> None:
    dialect, raw = answer
    text, citations = read(raw, dialect)
    restored = restore_readable(text, citations, dialect)
    alone = read(text, dialect)
    if alone == (text, []):
        again = read(restored, dialect)
        assert again.text == text
        kept = [one for one in citations if can_be_put(text, one, dialect)]
        # Together some may be read where one alone is not: a marker may change what is before it.
        assert all(one in citations for one in again.citations)
        if len(kept) == len(citations) and not has_fence(text):
            assert again.citations == citations
    else:
        assert restored == text or read(restored, dialect).text == text


def test_what_cannot_be_spelled_is_left_out() -> None:
    citations = [
        {"data_part_id": "a", "offset": 3, "locator": ""},
        {"data_part_id": "my file", "offset": 3, "locator": ""},
        {"data_part_id": "b", "offset": 99, "locator": ""},
        {"data_part_id": "b", "offset": 5, "locator": "page3"},
        {"data_part_id": "b", "offset": 5, "locator": "L3"},
    ]
    assert restore_readable("One. Two", citations) == (
        "One\ue200cite\ue202a\ue201. \ue200cite\ue202b\ue202L3\ue201Two"
    )
    assert restore_readable("`One` [x](y)", citations[:1], "escaped") == "`One` [x](y)"
