"""What a template may be, and how its markers are read."""

from typing import Any

import pytest
from tests.citations.dialects.beside import BESIDE
from tests.citations.dialects.contract import DialectContract, fed
from tests.citations.known import Sources

from citestream.citations.dialects.template import Template, template_of


class TestTemplate(DialectContract):
    dialects = (Template("[[cite:", "]]", "|"),)
    known = Sources()
    pieces = ("[[cite:a]]", "[[cite:a|/x]y]]", "[[cite:", "[[ci", "]]", "]", "|", "a b", *BESIDE)
    bounds = (
        ("[[cite:", "x", "]]", 7 + 128 + 2),
        ("[[cite:x|", "y", "]]", 1024),
    )


class TestOverlapping(DialectContract):
    """Signs that repeat themselves, and signs of letters."""

    dialects = (Template("[[", "]]"), Template("<<a", "a>>", "ab"))
    known = Sources()
    pieces = ("[[", "[", "a", "]]", "]", "<<", "<", "b", "ab", ">", ">>", "x", " ", "\n")


class TestOneOpener(DialectContract):
    dialects = (Template("<<", ">]"), Template("<<", ">>"))
    known = Sources()
    pieces = ("<<a>>", "<<b>]", "<<", ">", ">>", "]", "c d", *BESIDE)


def test_the_last_of_several_openers_counts() -> None:
    assert fed((Template("[[", "]]"),), Sources(), ["[[[a]]"]) == ("[", [("a", "")], 1)


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ({}, "dialect.open: required"),
        ({"open": "["}, "dialect.close: required"),
        ({"open": "[", "close": "]", "x": 1}, "dialect: unknown field"),
        ({"open": "", "close": "]"}, "dialect.open: must have 1 to 64"),
        ({"open": "[", "close": "]" * 65}, "dialect.close: must have 1 to 64"),
        ({"open": "[", "close": "]", "separator": "|" * 9}, "dialect.separator: must have 0 to 8"),
        ({"open": 1, "close": "]"}, "dialect.open: must have"),
        ({"open": "[", "close": "]", "separator": None}, "dialect.separator: must have"),
        ({"open": "[\n", "close": "]"}, "dialect.open: must hold no control"),
        ({"open": "[", "close": "\ue201"}, "dialect.close: must hold no control"),
        ({"open": "[", "close": "\ud800"}, "dialect.close: must hold no control"),
        ({"open": "[", "close": " ]"}, "dialect.close: must not begin or end with a blank"),
        ({"open": "[", "close": "["}, "dialect.open: must not be contained"),
        ({"open": "[[", "close": "["}, "dialect.close: must not be contained"),
        ({"open": "1[", "close": "]"}, "dialect.open: must not begin with a letter or digit"),
    ],
)
def test_what_no_template_is(template: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}"):
        template_of(template)


@pytest.mark.parametrize(
    "template",
    [
        {"open": "[", "close": "]"},
        {"open": "[" * 64, "close": "]" * 64, "separator": "|" * 8},
        {"open": "_x", "close": "z y"},
    ],
)
def test_a_template_as_json_and_back(template: dict[str, str]) -> None:
    assert template_of(template).as_json() == template
    assert template_of({**template, "separator": template.get("separator", "")}) == template_of(
        template
    )
