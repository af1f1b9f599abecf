"""What both machines share, as far as it can be said without one; the rest is in their tests."""

from citestream.citations import EngineOptions, Entry
from citestream.citations.landing import Landing, listed, named, span


def test_an_entry_has_no_claim_of_its_own_unless_it_says_so() -> None:
    assert Entry("a", 1, "/x") == ("a", 1, "/x", (), None, False)


def test_fields_as_json_and_back() -> None:
    sources = (("a", "", ()), ("b", "/x", ("c",)))
    assert listed(sources, (1, 2), None) == [[["a", "", []], ["b", "/x", ["c"]]], [1, 2], None]
    assert named([["a", "", []], ["b", "/x", ["c"]]]) == sources
    assert (span([1, 2]), span(None)) == ((1, 2), None)


def test_a_landing_without_text() -> None:
    landing = Landing(EngineOptions("drop"), "")
    assert (landing.text(), landing.length(), landing.take()) == ("", 0, [])
