"""JSON Pointers and line ranges: abuse made by rule.

Each case says by its construction whether it resolves; nothing here resolves a locator itself.
"""

from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.proof.places import escaped, places

from citestream.parts.locators import resolve

# Pointers -------------------------------------------------------------------------------------

ARRAY = ["zero", ["one"], {"two": 2}]

NO_INDEX = [
    *(
        "-",
        "--",
        "-0",
        "-1",
        "-3",
        "+0",
        "+1",
        "00",
        "01",
        "007",
        "0x1",
        "0b1",
        "0o1",
        "1_0",
        "0_1",
    ),
    *(" 0", "0 ", " 1", "1 ", "\t1", "1\t", "1\n", "\n1", "1\r", "1\x00", "\u00a01", "1\u2028"),
    *("1.0", "1.", ".1", "1e0", "1E0", "1,0", "1j", "True", "true", "None", "null", "NaN", "inf"),
    *(
        "\u0661",
        "\u0967",
        "\u00b2",
        "\uff11",
        "\u2460",
        "\u4e00",
        "\U0001d7cf",
        "1\u0301",
        "\u200b1",
    ),
    *("", "*", "?", ":", "0:1", "[0]", "$", "..", ".", "length", "__class__", "__len__", "append"),
    *("3", "4", "10", "999999999", "4294967296", "9223372036854775807", "9" * 40, "1" + "0" * 5000),
    *("~00", "~01", "~10", "%30", "%31", "\\0", "0\u0000", "zero", "two"),
]
BAD_ESCAPES = ["~", "~~", "~2", "a~", "~a", "~ 0", "~-0", "~\u0660", "~~0 ", "0~", "~0~", "~1~9"]


def reached(value: Any, keys: list[str]) -> Any:
    """The value wrapped in one object for each key, the last key innermost."""
    for key in reversed(keys):
        value = {key: value}
    return value


def pointer_abuse() -> Iterator[tuple[Any, str]]:
    """Values and pointers into them that never resolve."""
    for token, (keys, tail) in product(
        NO_INDEX, [([], ""), (["rows"], ""), (["a", "b"], ""), ([], "/0"), (["rows"], "/two")]
    ):
        yield reached(ARRAY, keys), "".join(f"/{key}" for key in keys) + f"/{token}{tail}"
    for token, tail in product(BAD_ESCAPES, ["", "/0"]):
        yield {token: ["x"], token.replace("~", ""): ["x"]}, f"/{token}{tail}"
        yield [["x"]], f"/{token}{tail}"
    leaf: Any
    for leaf, token in product(
        ["text", "", "0", 0, 7, 1.5, True, False, None, {}, []],
        ["", "0", "-", "length", "__class__", "real", "upper", "keys"],
    ):
        yield leaf, f"/{token}"
        yield {"leaf": leaf}, f"/leaf/{token}"
    for form in [
        "#",
        "#/",
        "#/a",
        "#/a/0",
        "a",
        "a/0",
        "0",
        "$.a",
        "$['a']",
        "//a",
        "/a/",
        "/a//0",
    ]:
        yield {"a": ["x"], "": {"b": 1}}, form
    for key, near in [
        ("Name", "name"),
        ("name", "name "),
        ("name", " name"),
        ("\u00e9", "e\u0301"),
        ("\ufb01", "fi"),
        ("\u212a", "K"),
        ("stra\u00dfe", "strasse"),
        ("a b", "a%20b"),
        ("a b", "a+b"),
        ("a.b", "a/b"),
        ("a\u200b", "a"),
        ("01", "1"),
        ("1", "01"),
    ]:
        yield {key: 1}, f"/{near}"


POINTER_ABUSE = list(pointer_abuse())


def test_enough_pointer_abuse() -> None:
    assert len(POINTER_ABUSE) >= 400


@pytest.mark.parametrize(("value", "pointer"), POINTER_ABUSE, ids=range(len(POINTER_ABUSE)))
def test_a_pointer_that_never_resolves(value: Any, pointer: str) -> None:
    found = resolve(value, pointer)
    assert found.kind == "unresolved"
    assert found.value is value


KEYS = [key for key in [*NO_INDEX, *BAD_ESCAPES, "0", "1", "a/b", "L1", "#/a"] if len(key) < 1000]


@pytest.mark.parametrize("key", KEYS, ids=ascii)
def test_every_key_of_an_object_is_named_exactly(key: str) -> None:
    """What is no index is still a key: objects know no numbers."""
    value = {"rows": [{key: {"deep": [None, "here"]}}]}
    found = resolve(value, f"/rows/0/{escaped(key)}/deep/1")
    assert (found.kind, found.value) == ("resolved", "here")


def test_null_and_false_are_values() -> None:
    leaf: Any
    for leaf in (None, False, 0, "", [], {}):
        found = resolve({"a": [leaf]}, "/a/0")
        assert found.kind == "resolved"
        assert found.value is leaf


def test_a_pointer_of_ten_megabytes() -> None:
    assert resolve(ARRAY, "/1" * 5_000_000).kind == "unresolved"
    assert resolve(ARRAY, "/" + "9" * 10_000_000).kind == "unresolved"


def test_a_pointer_as_deep_as_the_data_may_be() -> None:
    value: Any = "leaf"
    for _ in range(64):
        value = [value]
    assert resolve(value, "/0" * 64).value == "leaf"
    assert resolve(value, "/0" * 65).kind == "unresolved"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4)
    ),
    max_leaves=12,
)


@settings(max_examples=150, deadline=None)
@given(JSON, st.text("/~01-aL", max_size=8))
def test_exactly_the_places_that_are_there(value: Any, guess: str) -> None:
    there = dict(places(value))
    for pointer, below in there.items():
        found = resolve(value, pointer)
        assert found.kind == "resolved"
        assert found.value is below
    if guess.startswith("/"):
        assert (resolve(value, guess).kind == "resolved") == (guess in there)


# Line ranges ----------------------------------------------------------------------------------

LINES = ["one", "", "three\u2028still\x0bthree\x0c\x1c\x1d\x1e\u0085\u2029", " four ", "five\ttab"]
ENDS = ["\n", "\r\n", "\r"]

NO_RANGE = [
    *("L", "L0", "L00", "L01", "L-1", "L+1", "L1-", "L1-L", "L-L1", "L0-L1", "L1-L0", "L01-L2"),
    *(
        "L1-L02",
        "L1-02",
        "L1-0",
        "L2-L1",
        "L5-L4",
        "L9-L3",
        "L3-1",
        "l1",
        "l1-l2",
        "L1-l2",
        "L1-LL2",
    ),
    *("LL1", "L1L2", "L1-L2-L3", "L1-2-3", "L1--L2", "L1:L2", "L1..L2", "L1,L2", "L1;L2", "L1+L2"),
    *(
        "L1 ",
        " L1",
        "L 1",
        "L1 -L2",
        "L1- L2",
        "L1 - L2",
        "L1\n",
        "\nL1",
        "L1\r",
        "L1-L2\n",
        "L1\x00",
    ),
    *(
        "L\u0661",
        "L\u00b2",
        "L\uff11",
        "L1-L\u0662",
        "\uff2c1",
        "L1\u2013L2",
        "L1\u2212L2",
        "L1\u2011L2",
    ),
    *(
        "L1.0",
        "L1e0",
        "L1_0",
        "L0x1",
        "#L1",
        "#L1-L2",
        "L1C1",
        "line 1",
        "1",
        "1-2",
        "0",
        "L\u200b1",
    ),
    *(
        "L6",
        "L1-L6",
        "L5-L6",
        "L6-L7",
        "L999999999",
        "L1-L999999999999",
        "L1-" + "9" * 5000,
        "L" + "9" * 5000,
    ),
    *(
        "L18446744073709551617",
        "L4294967297",
        "L1-L4294967301",
        "L1-L" + "0" * 50 + "2",
        "L*",
        "L1-L*",
    ),
]


@pytest.mark.parametrize("end", ENDS, ids=ascii)
@pytest.mark.parametrize("locator", NO_RANGE, ids=range(len(NO_RANGE)))
def test_a_range_that_never_resolves(locator: str, end: str) -> None:
    text = end.join(LINES) + end
    found = resolve(text, locator)
    assert found.kind == "unresolved"
    assert found.value is text


def test_enough_range_abuse() -> None:
    assert len(NO_RANGE) * len(ENDS) >= 200


@pytest.mark.parametrize("value", [None, True, 5, 1.5, ["one", "two"], {"L1": "one"}, [], {}])
def test_only_a_string_has_lines(value: Any) -> None:
    assert resolve(value, "L1").kind == "unresolved"


@settings(max_examples=150, deadline=None)
@given(
    lines=st.lists(
        st.text(st.characters(exclude_characters="\r\n"), max_size=4), min_size=1, max_size=6
    ),
    ends=st.lists(st.sampled_from(ENDS), min_size=6, max_size=6),
    closed=st.booleans(),
)
def test_exactly_the_lines_that_are_there(lines: list[str], ends: list[str], closed: bool) -> None:
    """A final line end closes the last line and opens no other."""
    text = lines[0]
    for before, line in zip(ends, lines[1:], strict=False):
        # A CR and the LF of the line end behind an empty line would be one CRLF.
        before = "\r\n" if before == "\n" and text.endswith("\r") else before
        text += before + line
    if closed or lines[-1] == "":
        text += "\r\n"
    for first, last in product(range(8), repeat=2):
        there = 1 <= first <= last <= len(lines)
        for locator in (f"L{first}-L{last}", f"L{first}-{last}"):
            found = resolve(text, locator)
            assert found.kind == ("resolved" if there else "unresolved")
            assert found.value == ("\n".join(lines[first - 1 : last]) if there else text)
        assert resolve(text, f"L{first}").kind == (
            "resolved" if 1 <= first <= len(lines) else "unresolved"
        )


@given(st.lists(st.text("ab", max_size=5), min_size=1, max_size=9), st.integers(0, 60))
def test_enough_of_a_range_is_its_head(lines: list[str], enough: int) -> None:
    text = "\n".join(lines) + "\n"
    locator = f"L1-L{len(lines)}"
    full = resolve(text, locator).value
    short = resolve(text, locator, enough=enough)
    assert short.kind == "resolved"
    assert short.value[:enough] == full[:enough]
    assert full.startswith(short.value)
