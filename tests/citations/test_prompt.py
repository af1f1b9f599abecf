"""What a model is told: the paragraph, and parts as they can be cited."""

import json
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.citations.markers import outcome

from citestream.citations.prompt import INSTRUCTIONS, format_part
from citestream.parts import excerpt, make_part, resolve


def shown(data: Any, **fields: Any) -> list[str]:
    return format_part(make_part("tool_data_01", "search", data, **fields)).split("\n")


def test_every_marker_in_the_paragraph_is_one() -> None:
    clean, entries, failed = outcome([INSTRUCTIONS])
    assert failed == 0
    assert not re.search("[\ue200-\ue202]", clean)
    assert [(source, locator) for source, _, locator in entries] == [
        ("tool_data_01", ""),
        ("tool_data_01", "L8-L13"),
        ("tool_data_01", "/results/0/findings"),
    ]


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        ("one\r\ntwo\n\nfour\n", ["L1: one", "L2: two", "L3: ", "L4: four"]),
        ("", []),
        ({"value": "text"}, ["L1: text"]),
        (12, ["12"]),
        (None, ["null"]),
        ([], ["[]"]),
        ({}, ["{}"]),
        ({"value": {}}, ["{}"]),
        (
            {"a": [1, {"b": "x\ny \u00e9"}], "c/d": {"~": None}, "": True, "e": [[], {}]},
            [
                "/a/0: 1",
                '/a/1/b: "x\\ny \u00e9"',
                "/c~1d/~0: null",
                "/: true",
                "/e/0: []",
                "/e/1: {}",
            ],
        ),
    ],
)
def test_each_place_stands_behind_its_locator(data: Any, lines: list[str]) -> None:
    assert shown(data) == ["[tool_data_01] search", *lines]
    root = make_part("a", "t", data).root
    for line in lines:
        locator = line.partition(": ")[0]
        if locator.startswith(("/", "L")):
            assert resolve(root, locator).kind == "resolved"


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        ({"Total\n(EUR)": 5}, ['{"Total\\n(EUR)":5}']),
        ({"a": {"b\x85": 1, "c": [2]}, "d": 3}, ['/a: {"b\\u0085":1,"c":[2]}', "/d: 3"]),
        ({"a": [{"b ": 1}, {"b": 2}]}, ['/a/0: {"b ":1}', "/a/1/b: 2"]),
        ({"a": {"b ": {"c": 1}}}, ['/a: {"b ":{"c":1}}']),
        ({"a": {"b: c": 1}}, ['/a: {"b: c":1}']),
        ({"a": {"b:": 1}}, ["/a/b:: 1"]),
        ({"a": {"b\u2028": 1}}, ['/a: {"b\\u2028":1}']),
        ({"a": {"k" * 1021: 1}}, [f"/a/{'k' * 1021}: 1"]),
        ({"a": {"k" * 1022: 1}}, [f'/a: {{"{"k" * 1022}":1}}']),
        ({"a": "b\u2028c\u0085"}, ['/a: "b\\u2028c\\u0085"']),
        ("a\u2028b\tc\x0bd", ["L1: a b\tc d"]),
        ({"value": "a\nb", "x": 1}, ["L1: a", "L2: b", "/x: 1"]),
    ],
)
def test_a_path_that_no_marker_can_hold_gives_way_to_the_one_above(
    data: Any, lines: list[str]
) -> None:
    assert shown(data) == ["[tool_data_01] search", *lines]


def test_paths_do_not_make_a_part_much_longer_than_it_is() -> None:
    long = {"k" * 1000: [0] * 60}
    assert len(shown(long)) == 61
    long = {"k" * 1000: [0] * 70}
    assert shown(long)[1:] == [json.dumps(long, separators=(",", ":"))]
    wide = {"rows": [{"name": "n" * 20, "count": n} for n in range(3000)]}
    assert len(shown(wide)) == 6001


@pytest.mark.parametrize("name", ["a\n[tool_data_02] b", "a\r\n\u2028[tool_data_02]\x85b"])
def test_a_name_is_one_line(name: str) -> None:
    lines = format_part(make_part("tool_data_01", name, 1)).splitlines()
    assert lines[1:] == ["1"]


@pytest.mark.parametrize(
    ("title", "line"),
    [
        ("[tool_data_02] b", "    [tool_data_02] b"),
        ("/results/0: 1", "    /results/0: 1"),
        ("L1: x", "    L1: x"),
        (" \n", None),
    ],
)
def test_a_title_cannot_look_like_a_head_or_a_place(title: str, line: str | None) -> None:
    assert shown(1, title=title) == ["[tool_data_01] search", *([line] if line else []), "1"]


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters() | st.sampled_from("\n\r\u2028 :/~[]L1\ue200")),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.text(st.characters() | st.sampled_from("\n \x85:/~\ue202"), max_size=5)
            | st.sampled_from(["value", "a", "", "k" * 600]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@settings(max_examples=2000, deadline=None)
@given(JSON, st.text(), st.none() | st.text())
def test_what_is_printed_resolves_when_it_is_cited_as_printed(
    data: Any, tool_name: str, title: str | None
) -> None:
    part = make_part("tool_data_01", tool_name, data, title=title)
    head, *lines = format_part(part).split("\n")
    assert head.startswith("[tool_data_01]")
    for line in lines:
        assert len(line.splitlines()) <= 1
        assert not line.startswith("[") or json.loads(line) == part.root
        place = line.partition(": ")[0]
        if not re.match("/|L[0-9]", line):
            continue
        _, [(source, _, locator)], failed = outcome(
            [f"\ue200cite\ue202tool_data_01\ue202{place}\ue201"]
        )
        assert (source, locator, failed) == ("tool_data_01", place, 0)
        said = excerpt(part, locator)
        assert said.resolution == "resolved"
        if not line.startswith("L") and not said.truncated:
            value = json.loads(line.removeprefix(place + ": "))
            assert value == (said.text if isinstance(value, str) else json.loads(said.text))


def test_title_and_url_stand_on_one_line_each() -> None:
    assert shown(1, title="A\n title", url="https://e.org") == [
        "[tool_data_01] search",
        "A title",
        "https://e.org",
        "1",
    ]
    assert shown(1, title="", url=None) == ["[tool_data_01] search", "1"]
    assert format_part(make_part("a", "", 1)) == "[a]\n1"
