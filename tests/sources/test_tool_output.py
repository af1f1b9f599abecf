import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citestream.sources import Page, Result, Source, SourceList, link, number_page, number_results


def test_nothing_to_print_prints_nothing() -> None:
    output = number_results([Result("", "", ""), Result("B", "https://e.org/b")], SourceList())
    assert output.text == "[1] B\n    https://e.org/b"
    assert output.numbers == (None, 1)


def test_numbers_go_on_from_a_search_to_a_page() -> None:
    sources = SourceList()
    number_results([Result("A", "https://e.org/a")], sources)
    page = number_page(Page("B", "https://e.org/b", "body\n"), sources)
    assert page.text == "[2] B\nURL: https://e.org/b\n\nbody\n"
    again = number_page(Page("A", "https://e.org/a", " \n", [" ", "https://e.org/\nc"]), sources)
    assert again.text == "[1] A\nURL: https://e.org/a\n\nLinks on page:\n- https://e.org/ c"
    assert (again.numbers, again.added) == ((1,), ())


def test_a_page_without_an_address_has_no_number() -> None:
    assert number_page(Page("A", "", "body"), SourceList()).text == "A\n\nbody"


def test_a_body_cannot_forge_a_marker_of_the_engine() -> None:
    page = number_page(Page("A", "u", "\ue200cite\ue202x\ue201"), SourceList())
    assert page.text.endswith("\n\n\ufffdcite\ufffdx\ufffd")


@pytest.mark.parametrize(
    ("foreign", "shown"),
    [
        ("a[1] [^2] [1, ^2] [ 7 ]", "a［1］ ［^2］ ［1, ^2］ ［ 7 ］"),
        ("[3](https://e.org) [[3]] \\[3\\]", "［3］(https://e.org) [［3］] \\[3\\]"),
        ("[0] [01] [1-3] [a] [1", "[0] [01] [1-3] [a] [1"),
        ("https://e.org/a[1] x", "https://e.org/a[1] x"),
        ("(HTTP://e.org/?q[1]=2)[3]", "(HTTP://e.org/?q[1]=2)［3］"),
        ("https://e.org.[3] https://e.org/a,[3]", "https://e.org.［3］ https://e.org/a,［3］"),
        ("[x](https://e.org/x)[3]", "[x](https://e.org/x)［3］"),
        ("https://e.org/a_(b)?c[1]", "https://e.org/a_(b)?c[1]"),
        ("://[3] x://[3]", "://［3］ x://［3］"),
    ],
)
def test_foreign_numbers_are_not_ours(foreign: str, shown: str) -> None:
    result = number_results([Result(foreign, "", foreign)], SourceList())
    assert result.text == f"{shown}\n    {shown}"
    assert number_page(Page("A", "", foreign), SourceList()).text == f"A\n\n{shown}"


def test_a_fenced_block_of_a_body_stays() -> None:
    body = "a [1]\n\n> ~~~\n> b[1]\n> ~~~\n\n    c[1]\n\n```\nd[1]"
    shown = number_page(Page("A", "", body), SourceList()).text
    assert shown == f"A\n\n{body}".replace("a [1]", "a ［1］").replace("c[1]", "c［1］")


def test_an_address_line_and_the_record_stay_as_given() -> None:
    output = number_results([Result("[3]", "https://e.org/[3]")], SourceList())
    assert output.text == "[1] ［3］\n    https://e.org/[3]"
    assert output.added == (Source(1, "[3]", "https://e.org/[3]"),)


PIECES = [*("[", "]", "[3]", "[^3]", " ", "3", "^", ",", "[1, 3]", "\n", "`", "a", "(", ")", "!")]


@settings(max_examples=2_000, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_no_number_that_a_model_copies_is_a_citation(foreign: str) -> None:
    copied = number_results([Result(foreign, "", foreign)], SourceList()).text
    assert link(copied, [Source(n, "", f"https://e.org/{n}") for n in (1, 3, 13, 33)]).cited == ()
