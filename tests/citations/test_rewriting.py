"""Raw answers cut and renamed: no marker is broken, none comes to be."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.citations.test_restoring import ANSWERS, DIALECTS, IDS, MARKERS, TEMPLATE, TEXT, read
from tests.vectors import rows

from citestream.citations.rewriting import namespace, truncate
from citestream.parts import PartRegistry, is_user_origin_id, make_part

OPERATIONS = {"truncate": truncate, "namespace": namespace}
RENAMED: list[Any] = ["guide", "chatgpt", "escaped", TEMPLATE]


@pytest.mark.parametrize(
    "row",
    [row for row in rows("restore.json") if row["op"] != "restore"],
    ids=lambda row: row["id"],
)
def test_vectors(row: dict[str, Any]) -> None:
    operation: Any = OPERATIONS[row["op"]]
    if "refused" in row:
        with pytest.raises(ValueError, match=r"^(raw|prefix|dialect)"):
            operation(**row["input"])
    else:
        assert operation(**row["input"]) == row["expect"]["raw"]


@settings(max_examples=1500, deadline=None)
@given(ANSWERS, st.integers(0, 80))
def test_a_beginning_says_no_more_than_the_whole(answer: tuple[Any, str], limit: int) -> None:
    dialect, raw = answer
    beginning = truncate(raw, limit, dialect, IDS)
    assert raw.startswith(beginning)
    assert len(beginning) <= limit
    whole, cut = read(raw, dialect), read(beginning, dialect)
    named = [(one["data_part_id"], one["locator"]) for one in whole.citations]
    found = [(one["data_part_id"], one["locator"]) for one in cut.citations]
    if dialect != "tags":  # a tag whose end is cut off closes at the end
        assert named[: len(found)] == found
    assert truncate(beginning, limit, dialect, IDS) == beginning
    assert truncate(raw, len(raw), dialect, IDS) == raw


@settings(max_examples=1500, deadline=None)
@given(
    st.sampled_from(RENAMED).flatmap(
        lambda dialect: st.tuples(
            st.just(dialect),
            st.lists(
                st.sampled_from(
                    TEXT + MARKERS[dialect if isinstance(dialect, str) else "template"] * 4
                ),
                max_size=25,
            ).map("".join),
        )
    )
)
def test_the_text_stays_and_each_id_has_the_prefix(answer: tuple[Any, str]) -> None:
    dialect, raw = answer
    renamed = namespace(raw, "zq-9", IDS, dialect)
    before = read(raw, dialect)
    after = read(renamed.replace("zq-9.", ""), dialect)
    assert after == before
    assert not read(renamed, dialect).citations


def test_the_users_own_keep_their_names() -> None:
    raw = "x\ue200cite\ue202user_data_01\ue202/x\ue202user_text_02\ue201"
    renamed = namespace(raw, "a1")
    assert (
        renamed == "x\ue200cite\ue202user_data_01\ue202/x\ue201\ue200cite\ue202user_text_02\ue201"
    )


def test_a_marker_over_its_bound_is_refused() -> None:
    raw = "\ue200url\ue202" + "w" * 4083 + "\ue202aaa\ue201"
    assert len(raw) <= 4096
    with pytest.raises(ValueError, match=r"^raw: a marker would have more than 4096"):
        namespace(raw, "x" * 32, dialect="chatgpt")


def test_parts_go_under_the_same_names() -> None:
    registry = PartRegistry()
    registry.add(make_part("a1.tool_data_01", "search", {"value": "x"}, origin="user"))
    assert registry["a1.tool_data_01"].origin == "user"
    assert not is_user_origin_id("a1.tool_data_01")


@pytest.mark.parametrize("limit", [-1, -100])
def test_a_negative_limit_is_refused(limit: int) -> None:
    with pytest.raises(ValueError, match=r"^limit: "):
        truncate("x", limit)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_an_empty_answer_stays_empty(dialect: Any) -> None:
    assert truncate("", 5, dialect) == ""
