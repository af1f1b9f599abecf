"""The grammar of the dialect ``guide``: every limit one below, at and one beyond it."""

import pytest
from tests.citations.markers import DELIM, HEAD, START, STOP, marker, outcome, shown_one_by_one

from citestream.citations import GUIDE, Engine

MAX_MARKER = 4096
CONTROLS = [chr(point) for point in (*range(0x20), *range(0x7F, 0xA0))]
SPACES = "\xa0\u1680\u2000\u2001\u2005\u200a\u2028\u2029\u202f\u205f\u3000"


def is_marker(text: str) -> bool:
    """Tell whether the engine strips ``text``: whole, in characters, and cut near its ends."""
    cuts = [at for at in (*range(1, 8), *range(len(text) - 4, len(text))) if 0 < at < len(text)]
    found = outcome([text])
    for deltas in ([*text], *([text[:at], text[at:]] for at in cuts)):
        assert outcome(deltas) == found
    shown, entries, failed = found
    assert (shown == "", bool(entries), failed == 0) in {(True,) * 3, (False,) * 3}
    return shown == ""


def fails_at(text: str) -> int:
    """Return the index of the character that the candidate could not go on with."""
    engine = Engine()
    for index, character in enumerate(text):
        shown = engine.feed(character)
        if engine.invalid_markers:
            assert shown == text[: index + 1]
            assert engine.held == 0
            return index
        assert shown == ""
    assert engine.held == (0 if text[-1] == STOP else len(text))
    return len(text)


def test_the_signs() -> None:
    assert GUIDE.name == "guide"
    assert GUIDE.head == "\ue200cite\ue202"
    assert set(GUIDE.stray_signs) == {"\ue201", "\ue202"}


@pytest.mark.parametrize(
    "text",
    [
        marker("a"),
        marker("/a"),
        marker("L8"),
        marker("a", ""),
        marker("a", "", ""),
        marker("a", "  "),
        marker(" a "),
        marker("   a", " /b ", "   "),
        marker("\u4e2d\U0001f600\u200b\ue1ff\ue203"),
        marker("a", "\u4e2d \U0001f600\u200b\ue1ff\ue203"),
        marker("cite"),
    ],
)
def test_markers(text: str) -> None:
    assert is_marker(text)
    assert fails_at(text) == len(text)


@pytest.mark.parametrize(
    ("before", "behind"),
    [
        (START, "Cite"),
        (START, " cite"),
        (START + "c", "ote"),
        (START + "cite", "d" + DELIM + "a" + STOP),
        (START + "cite", " " + DELIM + "a" + STOP),
        (START + "cite", STOP),
        (START, DELIM + "a" + STOP),
        (START, STOP),
        (HEAD, STOP),
        (HEAD, DELIM + "a" + STOP),
        (HEAD + "  ", STOP),
        (HEAD + "  ", DELIM + "a" + STOP),
        (HEAD + "a ", "b" + STOP),
        (HEAD + " a  ", "b" + STOP),
        (HEAD + "a" + DELIM + "/b c", "\n" + STOP),
    ],
)
def test_a_candidate_fails_at_the_character_that_no_marker_has_there(
    before: str, behind: str
) -> None:
    assert fails_at(before + behind) == len(before)
    assert not is_marker(before + behind)


@pytest.mark.parametrize("character", [*CONTROLS, *SPACES])
def test_an_id_holds_no_white_space_and_no_control_character(character: str) -> None:
    for before in (HEAD, HEAD + " ", HEAD + "a", HEAD + "a "):
        assert fails_at(before + character + "b" + STOP) == len(before)


@pytest.mark.parametrize("character", CONTROLS)
def test_a_field_holds_no_control_character(character: str) -> None:
    for before in (HEAD + "a" + DELIM, HEAD + "a" + DELIM + "/b "):
        assert fails_at(before + character + STOP) == len(before)


@pytest.mark.parametrize("character", SPACES)
def test_a_field_with_white_space_is_a_locator(character: str) -> None:
    for field in (character, f"b{character}c"):
        assert is_marker(marker("a", field))
        assert outcome([marker("a", field)])[1] == [("a", 0, field)]


@pytest.mark.parametrize("character", ["x", "\u4e2d", "\U0001f600"])
@pytest.mark.parametrize("blanks", ["", " ", "  " * 40])
def test_an_id_has_at_most_128_characters_blanks_apart(character: str, blanks: str) -> None:
    for length in (127, 128):
        assert is_marker(marker(blanks + character * length + blanks))
    before = HEAD + blanks + character * 128
    assert fails_at(before + character + STOP) == len(before)


@pytest.mark.parametrize("content", ["/", "\u4e2d", " "])
def test_a_field_has_at_most_1024_characters_blanks_counted(content: str) -> None:
    for length in (1023, 1024):
        assert is_marker(marker("a", content * length))
        assert is_marker(marker("a", content * length, "b"))
    before = HEAD + "a" + DELIM + content * 1024
    assert fails_at(before + content + STOP) == len(before)
    assert fails_at(before + DELIM + content * 1025) == len(before) + 1 + 1024


@pytest.mark.parametrize("field", ["s", "", " ", "/x"])
def test_a_marker_has_at_most_32_fields(field: str) -> None:
    for later in (30, 31):
        assert is_marker(marker("s", *[field] * later))
    before = HEAD + DELIM.join(["s", *[field] * 31])
    assert fails_at(before + DELIM + field + STOP) == len(before)


def filled(length: int, tail: str) -> str:
    """Return the open head of a marker of ``length`` characters that ends with ``tail``."""
    head = HEAD + "s" + (DELIM + "/" * 1000) * 4 + DELIM
    return head + "/" * (length - len(head) - len(tail)) + tail


@pytest.mark.parametrize("tail", ["", "/", " ", DELIM, DELIM + "s", "\u4e2d"])
def test_a_marker_has_at_most_4096_characters_in_its_last_field(tail: str) -> None:
    for length in (MAX_MARKER - 1, MAX_MARKER):
        assert is_marker(filled(length - 1, tail) + STOP)
    assert fails_at(filled(MAX_MARKER, tail) + STOP) == MAX_MARKER - 1


def test_the_last_place_of_a_marker_is_for_stop_alone() -> None:
    for character in ("/", " ", DELIM, "s"):
        assert fails_at(filled(MAX_MARKER - 1, "") + character) == MAX_MARKER - 1


def test_a_field_opened_near_the_end_gets_no_more_than_is_left() -> None:
    head = HEAD + "s" + (DELIM + "/" * 1000) * 4
    left = MAX_MARKER - len(head) - 2
    assert is_marker(head + DELIM + "x" * left + STOP)
    assert fails_at(head + DELIM + "x" * (left + 1)) == MAX_MARKER - 1


def test_blanks_before_the_id_leave_room_for_it() -> None:
    room = MAX_MARKER - len(HEAD) - len("i" + STOP)
    assert is_marker(HEAD + " " * room + "i" + STOP)
    assert is_marker(HEAD + " " * (room - 1) + "id" + STOP)
    assert fails_at(HEAD + " " * (room + 1)) == len(HEAD) + room
    assert fails_at(HEAD + " " * room + "id") == MAX_MARKER - 1
    assert fails_at(HEAD + " " * (room - 100) + "i" * 128) == MAX_MARKER - 1


def test_blanks_behind_the_id_leave_room_for_stop() -> None:
    room = MAX_MARKER - len(HEAD) - len("i" + STOP)
    assert is_marker(HEAD + "i" + " " * room + STOP)
    assert is_marker(HEAD + "i" + " " * (room - 1) + DELIM + STOP)
    assert fails_at(HEAD + "i" + " " * (room + 1)) == MAX_MARKER - 1
    assert fails_at(HEAD + "i" + " " * room + DELIM) == MAX_MARKER - 1


def test_what_failed_is_released_with_the_character_it_failed_at() -> None:
    assert shown_one_by_one("a" + HEAD + "bc d") == ["a", *[""] * 9, HEAD + "bc d", ""]


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        (["a"], [("a", "")]),
        ([" a "], [("a", "")]),
        (["a", ""], [("a", "")]),
        (["a", "  ", ""], [("a", "")]),
        (["a", "/x"], [("a", "/x")]),
        (["a", " /x y "], [("a", "/x y")]),
        (["a", "/"], [("a", "/")]),
        (["a", "b"], [("a", ""), ("b", "")]),
        (["X", "XbX"], [("X", ""), ("XbX", "")]),
        (["a", "b", "/x"], [("a", ""), ("b", "/x")]),
        (["a", "/x", "b"], [("a", "/x"), ("b", "")]),
        (["a", "/x", "/y"], [("a", "/x"), ("a", "/y")]),
        (["a", "/x", "", "/y", "b", "", "L1"], [("a", "/x"), ("a", "/y"), ("b", "L1")]),
        (["a", "b", "c", "/x", "d"], [("a", ""), ("b", ""), ("c", "/x"), ("d", "")]),
        (["a", "a"], [("a", ""), ("a", "")]),
        (["a", "L8"], [("a", "L8")]),
        (["a", " L8-L13 "], [("a", "L8-L13")]),
        (["a", "L8-13"], [("a", "L8-13")]),
        (["a", "L0"], [("a", "L0")]),
        (["a", "L8-L"], [("a", ""), ("L8-L", "")]),
        (["a", "l8"], [("a", ""), ("l8", "")]),
        (["a", "L\uff18"], [("a", ""), ("L\uff18", "")]),
        (["a", "8-13"], [("a", ""), ("8-13", "")]),
        (["a", "b/c"], [("a", ""), ("b/c", "")]),
        (["a", "Paragraph 21"], [("a", "Paragraph 21")]),
        (["a", "x" * 128], [("a", ""), ("x" * 128, "")]),
        (["a", " " + "x" * 128 + " "], [("a", ""), ("x" * 128, "")]),
        (["a", "x" * 129], [("a", "x" * 129)]),
        (["/a"], [("/a", "")]),
        (["L8", "/x"], [("L8", "/x")]),
        (["a", "\xa0/x"], [("a", "\xa0/x")]),
    ],
)
def test_the_sources_and_locators_of_a_marker(
    fields: list[str], named: list[tuple[str, str]]
) -> None:
    expected = ("", [(source, 0, locator) for source, locator in named], 0)
    assert outcome([marker(*fields)]) == expected
    assert outcome(marker(*fields)) == expected


@pytest.mark.parametrize(
    ("candidate", "following", "words"),
    [
        (START, "x", ""),
        (START, "", ""),
        (START, STOP, ""),
        (START + "c", "a", "c"),
        (START + "cit", "y", "cit"),
        (START + "cit", STOP, "cit"),
        (START + "cit", START, "cit"),
        (START + "c", "", ""),
        (START + "ci", "", ""),
        (START + "cit", "", ""),
        (START + "cite", "", ""),
        (START + "cite", STOP, ""),
        (START + "cite", DELIM, ""),
        (START + "cite", "d", "cite"),
        (START + "cite", " ", "cite"),
        (START + "cite", START, "cite"),
        (HEAD, STOP, ""),
        (HEAD, "", ""),
        (HEAD, START, ""),
        (HEAD + "  ", STOP, ""),
        (HEAD + "a", "\n", ""),
        (HEAD + " a", "\n", ""),
        (HEAD + "a ", "b", " "),
        (HEAD + "a  ", "", "  "),
        (HEAD + "a" + DELIM, "\n", ""),
        (HEAD + "a" + DELIM + "/b", "\n", ""),
        (HEAD + "a" + DELIM + "/b word", "\n", " word"),
        (HEAD + "a" + DELIM + " word", "\n", " word"),
        (HEAD + "a" + DELIM + "/b" + DELIM + "c" + DELIM + DELIM + "d", "", ""),
        (HEAD + "a " + DELIM + "/b", "\n", " " + DELIM + "/b"),
        (HEAD + "a" + DELIM + "b c" + DELIM + "d", "", " c" + DELIM + "d"),
    ],
)
def test_the_words_that_stay_of_a_dropped_candidate(
    candidate: str, following: str, words: str
) -> None:
    assert GUIDE.residue(candidate, following) == words
