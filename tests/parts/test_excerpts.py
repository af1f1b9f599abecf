"""Excerpts: what they say, and where they end."""

import json
import tracemalloc
from collections.abc import Iterator
from typing import Any

import pytest

from citestream.parts.excerpts import Excerpt, excerpt
from citestream.parts.part import DataPart


def part(data: Any) -> DataPart:
    return DataPart("p", "tool", data)


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ("a text\nas it is\r\n", "a text\nas it is\r\n"),
        ("", ""),
        (None, "null"),
        (True, "true"),
        (12.5, "12.5"),
        ([1, "a", None], '[1,"a",null]'),
        ({"b": {"c": []}, "a": "\u00e9 \u4e2d"}, '{"b":{"c":[]},"a":"\u00e9 \u4e2d"}'),
        ({"value": "inside"}, "inside"),
        ({"value": {"x": 1}, "other": 2}, '{"value":{"x":1},"other":2}'),
    ],
)
def test_the_whole_part_is_its_string_or_its_compact_json(data: object, text: str) -> None:
    assert excerpt(part(data), "") == Excerpt("whole", text, truncated=False)


@pytest.mark.parametrize(
    ("locator", "text"),
    [
        ("/notes", "one\r\ntwo\nthree"),
        ("/rows/0", '{"n":"Rome","p":2800000}'),
        ("/rows/0/n", "Rome"),
        ("/rows/0/p", "2800000"),
        ("/empty", "null"),
    ],
)
def test_a_pointer_gives_the_value_there(locator: str, text: str) -> None:
    data = {
        "notes": "one\r\ntwo\nthree",
        "rows": [{"n": "Rome", "p": 2_800_000}],
        "empty": None,
    }
    assert excerpt(part({"value": data}), locator) == Excerpt("resolved", text, truncated=False)
    assert excerpt(part(data), locator) == Excerpt("resolved", text, truncated=False)


def test_lines_are_joined_by_lf() -> None:
    found = excerpt(part({"value": "one\r\ntwo\rthree"}), "L1-L2")
    assert found == Excerpt("resolved", "one\ntwo", truncated=False)


@pytest.mark.parametrize("locator", ["/absent", "L9", "Paragraph 21"])
def test_a_place_that_is_not_there_gives_the_whole_part(locator: str) -> None:
    assert excerpt(part("text"), locator) == Excerpt("unresolved", "text", truncated=False)
    assert excerpt(part([1]), locator) == Excerpt("unresolved", "[1]", truncated=False)


@pytest.mark.parametrize(
    ("length", "kept", "truncated"), [(1999, 1999, False), (2000, 2000, False), (2001, 2000, True)]
)
class TestTheLimitOf2000CodePoints:
    def test_a_string(self, length: int, kept: int, truncated: bool) -> None:
        found = excerpt(part("\U0001f600" * length), "")
        assert found == Excerpt("whole", "\U0001f600" * kept, truncated)

    def test_a_string_at_a_pointer(self, length: int, kept: int, truncated: bool) -> None:
        found = excerpt(part({"a": "x" * length}), "/a")
        assert found == Excerpt("resolved", "x" * kept, truncated)

    def test_the_json_of_one_long_string(self, length: int, kept: int, truncated: bool) -> None:
        data = ["x" * (length - 4)]
        found = excerpt(part(data), "")
        assert found == Excerpt("whole", f'["{data[0]}"]'[:kept], truncated)

    def test_the_json_of_many_values(self, length: int, kept: int, truncated: bool) -> None:
        data = [1] * 900 + ["x" * (length - 1804)]
        found = excerpt(part(data), "")
        assert found == Excerpt("whole", f'[{"1," * 900}"{data[-1]}"]'[:kept], truncated)

    def test_one_line(self, length: int, kept: int, truncated: bool) -> None:
        found = excerpt(part("y\n" + "x" * length + "\nz"), "L2")
        assert found == Excerpt("resolved", "x" * kept, truncated)

    def test_lines(self, length: int, kept: int, truncated: bool) -> None:
        found = excerpt(part("x" * (length - 2) + "\ny\nz"), "L1-L2")
        assert found == Excerpt("resolved", ("x" * (length - 2) + "\ny")[:kept], truncated)

    def test_the_last_line_is_empty(self, length: int, kept: int, truncated: bool) -> None:
        found = excerpt(part("x" * (length - 1) + "\n\nz"), "L1-L2")
        assert found == Excerpt("resolved", ("x" * (length - 1) + "\n")[:kept], truncated)


def test_a_line_that_fills_the_excerpt_hides_no_line_behind_it() -> None:
    found = excerpt(part("x" * 2000 + "\ny"), "L1-L2")
    assert found == Excerpt("resolved", "x" * 2000, truncated=True)


def test_a_big_part_is_cut_off_where_its_json_would_be() -> None:
    data = {"rows": [{"name": f"row {n}", "n": n, "sub": [n, {"x": None}]} for n in range(5000)]}
    whole = json.dumps(data, separators=(",", ":"))
    assert excerpt(part(data), "") == Excerpt("whole", whole[:2000], truncated=True)


def test_the_json_of_a_part_is_written_no_further_than_it_is_shown() -> None:
    class Rows(list[str]):
        def __iter__(self) -> Iterator[str]:
            yield from ["x"] * 2000
            pytest.fail("read on")

    assert excerpt(part(Rows("x")), "") == Excerpt(
        "whole", ("[" + '"x",' * 500)[:2000], truncated=True
    )


def test_of_a_long_range_no_more_is_copied_than_is_shown() -> None:
    text = "x" * 99 + "\n"
    whole = part(text * 20_000)
    tracemalloc.start()
    try:
        found = excerpt(whole, "L2-L19999")
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert found == Excerpt("resolved", text * 20, truncated=True)
    assert peak < 100_000


def test_a_part_nested_to_the_limit_has_an_excerpt() -> None:
    data: Any = 0
    for _ in range(64):
        data = [data]
    assert excerpt(part(data), "").text == "[" * 64 + "0" + "]" * 64


def test_columns_that_were_read_are_left_out_of_the_whole_alone() -> None:
    rows: list[Any] = [{"id": "x", "eur": 1}, ["id"], {"id": "y"}, "id", {"in": {"id": 1}}]
    read = DataPart("a", "sql", {"id": 7, "rows": rows}, columns=("id", "absent"))
    whole = '{"id":7,"rows":[{"eur":1},["id"],{},"id",{"in":{"id":1}}]}'
    assert [excerpt(read, locator).text for locator in ("", "/no", "L1")] == [whole] * 3
    assert excerpt(read, "/rows/0").text == '{"id":"x","eur":1}'
    for data in ({"rows": {"id": 1}}, {"value": {"rows": {"id": 1}}}, [{"id": 1}], "id", {"id": 1}):
        assert excerpt(DataPart("b", "sql", data, columns=("id",)), "") == excerpt(part(data), "")


def test_a_cut_excerpt_without_columns_is_the_head_of_the_whole_one() -> None:
    rows = [{"id": "secret", "eur": at} for at in range(10_000)]
    shown = excerpt(DataPart("a", "sql", {"rows": rows}, columns=("id",)), "")
    assert shown.truncated
    assert len(shown.text) == 2000
    bare = {"rows": [{"eur": at} for at in range(10_000)]}
    assert json.dumps(bare, separators=(",", ":")).startswith(shown.text)
