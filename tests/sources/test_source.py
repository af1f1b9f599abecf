import pytest
from hypothesis import given
from hypothesis import strategies as st

from citestream.sources import Source, SourceList, collect
from citestream.sources.source import one_line


def test_a_turn_counts_from_one_and_reuses_numbers() -> None:
    sources = SourceList()
    assert sources.add("A", " https://e.org/a ") == (1, Source(1, "A", "https://e.org/a"))
    assert sources.add("B", "https://e.org/b") == (2, Source(2, "B", "https://e.org/b"))
    assert sources.add("again", "https://e.org/a") == (1, None)
    assert SourceList().add("B", "https://e.org/b")[0] == 1


def test_a_list_goes_on_above_the_highest_known_number() -> None:
    sources = SourceList([Source(7, "A", "https://e.org/a"), Source(2, "B", "https://e.org/b")])
    assert sources.add("B", "https://e.org/b") == (2, None)
    assert sources.add("C", "https://e.org/c")[0] == 8


def test_a_blank_address_has_no_number() -> None:
    assert SourceList().add("A", " \n\u3000") == (None, None)


def test_signs_of_the_engine_and_half_characters_do_not_enter() -> None:
    number, source = SourceList().add("a\ue200cite\ud83d", "https://e.org/\ue201")
    assert (number, source) == (1, Source(1, "a\ufffdcite\ufffd", "https://e.org/\ufffd"))


def test_collect_keeps_the_order_of_equal_numbers() -> None:
    first, second, other = Source(2, "a", "u"), Source(2, "b", "v"), Source(1, "c", "w")
    assert collect([[first], [], [second, other]]) == [other, first, second]


@given(st.lists(st.sampled_from(["a", "bc", " ", "\n", "\u3000", "\u2028"]), max_size=30))
def test_a_long_text_is_one_line_as_a_short_one_is(words: list[str]) -> None:
    text = "".join(words)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("citestream.sources.source._PIECE", 3)
        assert one_line(text) == " ".join(text.split())
