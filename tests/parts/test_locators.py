"""JSON Pointers by RFC 6901 and line ranges by S1: what resolves, to what, and what does not."""

import json
import tracemalloc
from typing import Any

import pytest

from citestream.parts.locators import Resolution, is_line_range, resolve, split_lines

# The document of RFC 6901, section 5, and its table.
RFC_DOCUMENT: dict[str, Any] = json.loads(
    r"""{"foo": ["bar", "baz"], "": 0, "a/b": 1, "c%d": 2, "e^f": 3, "g|h": 4, "i\\j": 5,
    "k\"l": 6, " ": 7, "m~n": 8}"""
)


@pytest.mark.parametrize(
    ("pointer", "value"),
    [
        ("/foo", ["bar", "baz"]),
        ("/foo/0", "bar"),
        ("/foo/1", "baz"),
        ("/", 0),
        ("/a~1b", 1),
        ("/c%d", 2),
        ("/e^f", 3),
        ("/g|h", 4),
        ("/i\\j", 5),
        ('/k"l', 6),
        ("/ ", 7),
        ("/m~0n", 8),
    ],
)
def test_the_examples_of_rfc_6901(pointer: str, value: object) -> None:
    assert resolve(RFC_DOCUMENT, pointer) == Resolution("resolved", value)


@pytest.mark.parametrize("value", [RFC_DOCUMENT, "text", None, [], 0])
def test_an_empty_locator_is_the_whole(value: object) -> None:
    assert resolve(value, "") == Resolution("whole", value)


def resolves(value: object, locator: str) -> bool:
    found = resolve(value, locator)
    if found.kind == "unresolved":
        assert found.value is value
    return found.kind == "resolved"


@pytest.mark.parametrize(
    ("pointer", "value"),
    [
        ("/~01", "tilde one"),
        ("/~10", "slash zero"),
        ("/~00", "tilde zero"),
        ("/~1~0~1", "mixed"),
        ("/x//y", "through an empty key"),
        ("/0", "a digit is a key of an object"),
        ("/-", "so is the minus"),
        ("/01", "and a number with a zero in front"),
    ],
)
def test_escapes_and_keys_that_look_like_something_else(pointer: str, value: str) -> None:
    document = {
        "~1": "tilde one",
        "/0": "slash zero",
        "~0": "tilde zero",
        "/~/": "mixed",
        "x": {"": {"y": "through an empty key"}},
        "0": "a digit is a key of an object",
        "-": "so is the minus",
        "01": "and a number with a zero in front",
    }
    assert resolve(document, pointer) == Resolution("resolved", value)


@pytest.mark.parametrize("token", ["~", "a~", "~2", "~a", "~~0", "~ 0", "~01~", "~1~"])
def test_a_tilde_stands_only_before_0_and_1(token: str) -> None:
    plain = token.replace("~1", "/").replace("~0", "~")
    assert not resolves({token: 1, plain: 1}, f"/{token}")


def test_an_array_index_is_0_or_has_no_zero_in_front() -> None:
    items = list(range(25))
    for index in range(25):
        assert resolve(items, f"/{index}").value == index
    assert not resolves(items, "/25")


NO_INDEX = ["", "-", "-0", "-1", "+1", "00", "01", " 1", "1 ", "1_0", "1.0", "1e0", "0x1", "1\n"]
NO_INDEX += ["\uff11", "\u0661", "\u00b2", "a", "~00"]


@pytest.mark.parametrize("index", NO_INDEX)
def test_anything_else_is_no_index(index: str) -> None:
    assert not resolves(list(range(25)), f"/{index}")


class Endless(list[int]):
    """An array of more items than memory holds."""

    def __len__(self) -> int:
        return 10**12

    def __getitem__(self, index: Any) -> Any:
        return index


def test_an_index_has_at_most_nine_digits() -> None:
    assert resolve(Endless(), "/999999999").value == 999_999_999
    assert not resolves(Endless(), "/1000000000")


@pytest.mark.parametrize(
    "pointer", ["/absent", "/foo/2", "/foo/0/0", "/foo/bar", "/m~0n/", "//", "/foo/", "/FOO"]
)
def test_a_pointer_to_nothing_does_not_resolve(pointer: str) -> None:
    assert not resolves(RFC_DOCUMENT, pointer)


@pytest.mark.parametrize("value", [None, True, 1, 1.5, "text"])
def test_a_scalar_has_no_places(value: object) -> None:
    assert not resolves(value, "/0")
    assert not resolves(value, "/")


@pytest.mark.parametrize("value", [None, False, 0, "", [], {}])
def test_a_value_that_python_holds_false_is_found(value: object) -> None:
    assert resolve({"a": value}, "/a") == Resolution("resolved", value)
    assert resolve([value], "/0") == Resolution("resolved", value)


@pytest.mark.parametrize("locator", ["foo", "foo/0", "#/foo", " /foo", "$.foo", "Paragraph 21"])
def test_a_locator_of_no_known_form_does_not_resolve(locator: str) -> None:
    assert not resolves({"foo": [1], locator: 1}, locator)


def test_a_pointer_has_at_most_64_tokens() -> None:
    value: Any = "leaf"
    for _ in range(65):
        value = {"k": value}
    assert resolves(value, "/k" * 63)
    assert resolves(value, "/k" * 64)
    assert not resolves(value, "/k" * 65)


def test_a_locator_has_at_most_1024_code_points() -> None:
    for length in (1022, 1023):
        assert resolves({"\U0001f600" * length: 1}, "/" + "\U0001f600" * length)
    assert not resolves({"y" * 1024: 1}, "/" + "y" * 1024)


TEXT = "one\ntwo\r\nthree\rfour\n"


@pytest.mark.parametrize(
    ("locator", "lines"),
    [
        ("L1", "one"),
        ("L2", "two"),
        ("L3", "three"),
        ("L4", "four"),
        ("L1-L1", "one"),
        ("L1-L2", "one\ntwo"),
        ("L1-2", "one\ntwo"),
        ("L2-L3", "two\nthree"),
        ("L2-4", "two\nthree\nfour"),
        ("L1-L4", "one\ntwo\nthree\nfour"),
    ],
)
def test_a_line_range_counts_from_1_and_holds_both_ends(locator: str, lines: str) -> None:
    assert resolve(TEXT, locator) == Resolution("resolved", lines)


OUTSIDE = ["L0", "L0-L1", "L0-1", "L5", "L4-L5", "L1-L5", "L5-L6", "L2-L1", "L4-1", "L1-L0", "L1-0"]
OUTSIDE += ["L999999999", "L1-L999999999", "L1000000000", "L1-L1000000000", "L" + "9" * 1000]


@pytest.mark.parametrize("locator", OUTSIDE)
def test_a_range_out_of_the_text_or_reversed_does_not_resolve(locator: str) -> None:
    assert not resolves(TEXT, locator)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", []),
        ("\n", [""]),
        ("\r\n", [""]),
        ("\r", [""]),
        ("\n\r", ["", ""]),
        ("\n\n", ["", ""]),
        ("a", ["a"]),
        ("a\n", ["a"]),
        ("a\n\n", ["a", ""]),
        ("a\r\r\nb", ["a", "", "b"]),
        ("\na", ["", "a"]),
        ("a\x0bb\x0cc\x1cd\x1ee\x85f\u2028g", ["a\x0bb\x0cc\x1cd\x1ee\x85f\u2028g"]),
    ],
)
def test_lines_end_at_lf_crlf_and_cr_alone(text: str, lines: list[str]) -> None:
    assert list(split_lines(text)) == lines
    for number, line in enumerate(lines, 1):
        assert resolve(text, f"L{number}") == Resolution("resolved", line)
    assert not resolves(text, f"L{len(lines) + 1}")


@pytest.mark.parametrize("value", [None, True, 1, ["one"], {"L1": "one"}, ["one\ntwo"]])
def test_only_a_string_has_lines(value: object) -> None:
    assert not resolves(value, "L1")


FORMS = ["L8", "L0", "L08", "L8-L13", "L8-13", "L13-L8", "L" + "9" * 40, "L1-L" + "9" * 40]
NO_FORMS = ["", "L", "l8", "8", "L-8", "L8-", "L8-L", "L8-l13", "L8--13", "L8-L13-L14", "L8 "]
NO_FORMS += [
    " L8",
    "L8 - L13",
    "L8\u2013L13",
    "L\uff18",
    "L\u0668",
    "L8\n",
    "L8-13\n",
    "xL8",
    "L8x",
]


@pytest.mark.parametrize("text", FORMS)
def test_the_forms_of_a_line_range(text: str) -> None:
    assert is_line_range(text)


@pytest.mark.parametrize("text", NO_FORMS)
def test_what_is_no_line_range(text: str) -> None:
    assert not is_line_range(text)
    assert not text or not resolves("one\ntwo\n" * 20, text)


def test_of_a_range_longer_than_enough_comes_one_character_more() -> None:
    text = "\n\naaa\nbb\n\nc\ndddd\n"
    for first in range(1, 8):
        for last in range(first, 8):
            full = "\n".join(text.split("\n")[first - 1 : last])
            for enough in range(len(text) + 3):
                found = resolve(text, f"L{first}-L{last}", enough=enough)
                assert found == Resolution("resolved", full[: enough + 1])


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("length", [0, 1, 7, 4094, 4095, 4096, 4097, 9000])
def test_lines_are_found_far_behind_the_beginning(end: str, length: int) -> None:
    lines = ["x" * length, "", "y" * length, *map(str, range(3000)), "z" * length, "last"]
    text = end.join(lines)
    for number in (1, 2, 3, 4, 5, 500, 1000, 2000, len(lines) - 1, len(lines)):
        assert resolve(text, f"L{number}").value == lines[number - 1]
        assert resolve(text, f"L2-L{number}").value == (
            "\n".join(lines[1:number]) if number > 1 else text
        )
    assert not resolves(text, f"L{len(lines) + 1}")
    assert resolves(text + end, f"L{len(lines)}")
    assert not resolves(text + end, f"L{len(lines) + 1}")


def test_many_short_lines_take_no_more_memory_than_their_text() -> None:
    texts = [f"{number:02d}\n" * 100_000 for number in range(8)]
    tracemalloc.start()
    for text in texts:
        assert resolve(text, "L99999").value == text[:2]
    used, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert used < 300_000


def test_enough_concerns_lines_alone() -> None:
    assert resolve({"a": "long text"}, "/a", enough=1) == Resolution("resolved", "long text")
    assert resolve("long text", "", enough=1) == Resolution("whole", "long text")
    assert resolve("long text", "L9", enough=1) == Resolution("unresolved", "long text")
