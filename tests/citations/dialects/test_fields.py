"""Markers of fields: what their signs may be. The limits are in the dialects' own tests."""

from citestream.citations.dialects.fields import Fields

FIELDS = Fields(
    opener=tuple("<<"),
    separator=("|", "!?"),
    closer=tuple(">>"),
    bound=20,
    most_fields=3,
    longest_field=5,
    counted=2,
)


def test_what_may_become_a_sign() -> None:
    separator = Fields(("<",), ("|", "!?", "x"), (">",), 9, 1, 9, 1).signs[1]
    assert separator == ({"|", "|!", "|?"}, 3, 1)


def test_fields_are_split_at_each_spelling_and_trimmed() -> None:
    assert FIELDS.split("<<a|! b |?>>") == ["a", "b", ""]
    assert Fields(("<",), (), (">",), 9, 1, 9, 1).split("<a|b>") == ["a|b"]


def test_whether_a_sign_may_be_read_in_a_word() -> None:
    assert not FIELDS.has_words
    assert Fields(("<", "a"), (), (">",), 9, 1, 9, 1).has_words
    assert not Fields(("a", "<"), (), (">",), 9, 1, 9, 1).has_words
    assert Fields(("<",), (), ("x", ">"), 9, 1, 9, 1).has_words
    assert Fields(("<",), ("_",), (">",), 9, 1, 9, 1).has_words
