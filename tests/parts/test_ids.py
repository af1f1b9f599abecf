"""The grammar of ids, the user's prefixes, and assigned numbers."""

import sys

import pytest

from citestream.parts.ids import IdCounter, is_part_id, is_source_id, is_user_origin_id

# Unicode White_Space and general category Cc, as PropList.txt and UnicodeData.txt list them.
WHITE_SPACE = (
    "\t\n\x0b\x0c\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009"
    "\u200a\u2028\u2029\u202f\u205f\u3000"
)
CONTROLS = {chr(point) for point in (*range(0x20), *range(0x7F, 0xA0))}
SIGNS = "\ue200\ue201\ue202"


def test_an_id_holds_any_character_but_white_space_controls_and_signs() -> None:
    refused = {
        chr(point) for point in range(sys.maxunicode + 1) if not is_source_id(f"a{chr(point)}b")
    }
    assert refused == {*WHITE_SPACE, *CONTROLS, *SIGNS}


@pytest.mark.parametrize("character", ["a", "\u4e2d", "\U0001f600"])
def test_an_id_has_1_to_128_code_points(character: str) -> None:
    lengths = [length for length in range(300) if is_source_id(character * length)]
    assert lengths == list(range(1, 129))
    assert lengths == [length for length in range(300) if is_part_id(character * length)]


@pytest.mark.parametrize("text", ["a\n", "\na", " a", "a "])
def test_nothing_stands_round_an_id(text: str) -> None:
    assert not is_source_id(text)
    assert not is_part_id(text)


@pytest.mark.parametrize(
    ("text", "source", "part"),
    [
        ("tool_data_01", True, True),
        ("/", True, False),
        ("/a", True, False),
        ("a/b", True, True),
        ("L8", True, True),
        ("a\ud83d", True, False),
        ("\ud800", True, False),
        ("\ud7ff\ue000", True, True),
        ("a b", False, False),
        ("", False, False),
    ],
)
def test_a_given_id_opens_no_pointer_and_holds_no_half(text: str, source: bool, part: bool) -> None:
    assert is_source_id(text) is source
    assert is_part_id(text) is part


def test_no_half_of_a_pair_stands_in_a_given_id() -> None:
    assert [point for point in range(0xD7FF, 0xE001) if is_part_id(chr(point))] == [0xD7FF, 0xE000]


@pytest.mark.parametrize(
    ("text", "users"),
    [
        ("user_data_01", True),
        ("user_text_01", True),
        ("user_data_", True),
        ("user_text_", True),
        ("user_data", False),
        ("user_text", False),
        ("user_file_01", False),
        ("User_data_01", False),
        ("my_user_data_01", False),
        ("tool_data_01", False),
        ("", False),
    ],
)
def test_the_users_ids_are_known_by_their_prefix(text: str, users: bool) -> None:
    assert is_user_origin_id(text) is users


def test_ids_count_by_origin_and_kind_of_data() -> None:
    ids = IdCounter()
    assert [
        ids.assign("tool", "text", ()),
        ids.assign("tool", {}, ()),
        ids.assign("user", "text", ()),
        ids.assign("user", {"value": "text"}, ()),
        ids.assign("user", None, ()),
        ids.assign("tool", [], ()),
    ] == [
        "tool_data_01",
        "tool_data_02",
        "user_text_01",
        "user_data_01",
        "user_data_02",
        "tool_data_03",
    ]
    assert ids.counts == {"tool_data_": 3, "user_text_": 1, "user_data_": 2}


def test_ids_given_by_a_caller_are_passed_over_and_their_numbers_with_them() -> None:
    ids = IdCounter()
    taken = {"tool_data_01", "tool_data_02", "tool_data_04"}
    assert ids.assign("tool", 0, taken) == "tool_data_03"
    assert ids.assign("tool", 0, taken) == "tool_data_05"
    assert ids.assign("tool", 0, ()) == "tool_data_06"


def test_numbers_have_two_digits_and_more_when_needed() -> None:
    ids = IdCounter({"tool_data_": 8})
    assert ids.assign("tool", 0, ()) == "tool_data_09"
    assert ids.assign("tool", 0, ()) == "tool_data_10"
    ids = IdCounter({"tool_data_": 98})
    assert ids.assign("tool", 0, ()) == "tool_data_99"
    assert ids.assign("tool", 0, ()) == "tool_data_100"


def test_a_counter_goes_on_from_counts_and_leaves_them_alone() -> None:
    counts = {"user_text_": 4}
    ids = IdCounter(counts)
    assert ids.assign("user", "text", ()) == "user_text_05"
    assert ids.assign("tool", "text", ()) == "tool_data_01"
    assert counts == {"user_text_": 4}
