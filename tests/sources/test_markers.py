import pytest

from citestream.sources import Source, read_markers

SOURCES = [Source(n, f"T{n}", f"https://e.org/{n}") for n in (1, 2, 3)]
MEMO = Source(4, "Memo", "javascript:x")


def cited(text: str) -> list[str]:
    reading = read_markers(text, [*SOURCES, MEMO])
    return [reading.text[marker.start : marker.end] for marker in reading.markers]


@pytest.mark.parametrize(
    ("text", "brackets"),
    [
        ("a [1][^2] [3]", ["[1]", "[^2]", "[3]"]),
        ("[1][2][", ["[1]", "[2]"]),
        ("[1] [2](x) [3](x y)", ["[1]", "[3]"]),
        ("\\![1] ![1] !![1] \\\\![1]", ["[1]"]),
        ("\\][1] ][2] a\\\\][3]", ["[1]", "[2]", "[3]"]),
        ("\\[1] \\\\[2]", ["[2]"]),
        ("[a][b][1]\n\n[b]: u\n", ["[1]"]),
        ("[a][b][1]\n\n[c]: u\n", ["[1]"]),
        ("[a][1][2]\n\n[1]: u\n", ["[2]"]),
        ("[[1]](u) [x [1]][2]\n\n[2]: u\n", []),
        ("[1][2][3]\n\n[2]: u\n", ["[1]", "[2]", "[3]"]),
        ("[1][9] [9][2] [3]\n\n[9]: u\n", ["[2]", "[3]"]),
        ("[1][] [2][]\n\n[2]: u\n", ["[1]"]),
        ("[1, 9][2, 3]", ["[2, 3]"]),
        ("<a href=u>[1]</a> <code>[2]</code> <b>[3]</b>", ["[3]"]),
        ("![1]\n\n[1]: u\n", []),
        ("[1]: a b\n", ["[1]"]),
        ("a\n\n[1]: ab\n", []),
        ("> [1]: ab\n", ["[1]"]),
        ("[1,\n2] [1\t] [^ 1] [1 ,  ^2]", ["[1 ,  ^2]"]),
        ("[1, 4]", ["[1, 4]"]),
        ("| a [1] | b |\n|-|-|\n| c | d | [1] |\n", ["[1]"]),
        ("<x a='[1]'> [2]", ["[2]"]),
    ],
)
def test_each_bracket_is_read_by_itself(text: str, brackets: list[str]) -> None:
    assert cited(text) == brackets


def test_a_bracket_that_loses_its_link_to_a_marker_is_literal() -> None:
    reading = read_markers("[9][1] [1][4]\n\n[1]: u\n[4]: u\n", [*SOURCES, MEMO])
    assert [reading.text[slice(*place)] for place in reading.literal] == ["[9]", "[4]"]
    assert read_markers("[4] [9]\n\n[4]: u\n[9]: u\n", [*SOURCES, MEMO]).literal == ()


def test_the_first_of_two_sources_with_one_number_counts() -> None:
    reading = read_markers("[1]", [SOURCES[0], Source(1, "B", "javascript:x")])
    assert [marker.linked for marker in reading.markers] == [True]


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("a\n[^1]: b\n\tc\n \n  d\n", "a\n \n  d\n"),
        ("[^1]: b\n  - c\n", "  - c\n"),
        ("[^1]: b\n\n    c\nd", "d"),
        ("[^1]: b\n\n\tc\n \n    - d\n\n  e", "\n  e"),
        ("[^1]: b\n\n   c\n", "\n   c\n"),
        ("[^1]: b\r\n\r\n    c\r\n\r\nd", "\r\nd"),
        ("- a\n[^1]: b\n\n    c\n", "- a\n\n    c\n"),
        ("[^9]: b\n\n    c\n", "[^9]: b\n\n    c\n"),
        ("[^1]: b\n  # c\n", "  # c\n"),
        ("[^1]: b\n  [^9]: c\n", "  [^9]: c\n"),
        ("[^1]: b\n    [^9]: c\n", ""),
        ("[^1]: b\r[^2]: c\rd", "d"),
        ("- a\n[^1]: b\n", "- a\n"),
        ("- a\n  [^1]: b\n", "- a\n  [^1]: b\n"),
        ("> a\n[^1]: b\n", "> a\n"),
        ("`a\n[^1]: b`\n", "`a\n[^1]: b`\n"),
        ("<div>\n[^1]: b\n</div>\n", "<div>\n[^1]: b\n</div>\n"),
        ("[^1]: b\n===\n", "===\n"),
        ("[^1]: b c\n===\n", "[^1]: b c\n===\n"),
        ("[^1]: a | b\n---|---\n", "[^1]: a | b\n---|---\n"),
        ("[x]: u '\n[^1]: b'\n", "[x]: u '\n[^1]: b'\n"),
        ("[^01]: b\n[^1, 2]: c\n[1]: d e\n", "[^01]: b\n[^1, 2]: c\n[1]: d e\n"),
    ],
)
def test_definition_lines(text: str, left: str) -> None:
    assert read_markers(text, SOURCES).text == left


def test_offsets_follow_the_removed_lines() -> None:
    text = "ab\n[^1]: x\ncd\n[^2]: y\nef"
    reading = read_markers(text, SOURCES)
    assert reading.text == "ab\ncd\nef"
    for sign in "abcdef":
        assert reading.shifted(text.index(sign)) == reading.text.index(sign)
    assert reading.shifted(text.index("x")) == 2
    assert reading.shifted(len(text)) == len(reading.text)


def test_open_destinations() -> None:
    assert read_markers("[x](a b", SOURCES).has_open_destination()
    assert read_markers("[x]: a b", SOURCES).has_open_destination()
    assert not read_markers("[x](a) `[x](`", SOURCES).has_open_destination()
