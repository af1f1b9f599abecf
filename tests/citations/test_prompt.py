"""What a model is told: the paragraph, and parts as they can be cited."""

import re
from typing import Any

import pytest
from tests.citations.markers import outcome

from citestream.citations.prompt import INSTRUCTIONS, format_part
from citestream.parts import make_part, resolve


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


def test_title_and_url_stand_on_one_line_each() -> None:
    assert shown(1, title="A\n title", url="https://e.org") == [
        "[tool_data_01] search",
        "A title",
        "https://e.org",
        "1",
    ]
    assert shown(1, title="", url=None) == ["[tool_data_01] search", "1"]
    assert format_part(make_part("a", "", 1)) == "[a]\n1"
