from citestream.sources import Page, Result, SourceList, number_page, number_results


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
