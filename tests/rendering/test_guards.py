import pytest

from citestream.markdown import structure
from citestream.rendering.guards import guards
from citestream.rendering.landing import Landings
from citestream.sources import apply_edits


def guarded(text: str, *, is_link: bool = True) -> str:
    at = text.index("^")
    text = text.replace("^", "", 1)
    landings = Landings(text, structure(text), letters=False)
    return apply_edits(text, guards(text, landings, [(landings.of(at), is_link)]))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("[x]: ^", "[x]\\: "),
        ("[x](^a b", "[x]\\(a b"),
        ("<a b=^>", "<a b\\=>"),
        ("<a b\\=^>", "<a b\\=>"),
        ("a = ^b", "a = b"),
        ("Wow!^", "Wow\\!"),
        ("Wow\\!^", "Wow\\!"),
        ("[a]^\n\n[a]: u", "[a][]\n\n[a]: u"),
        ("![a]^\n\n[a]: u", "![a][]\n\n[a]: u"),
        ("[a](u)^ [b]^", "[a](u) [b]^"),
        ("x^_y_ z", "x\\_y_ z"),
        ("```\n!^\n```", "```\n!\n```"),
    ],
)
def test_what_a_link_would_complete(text: str, shown: str) -> None:
    assert guarded(text) == shown


def test_a_number_without_a_link_completes_less() -> None:
    assert guarded("Wow!^", is_link=False) == "Wow!"
    assert guarded("[a]^\n\n[a]: u", is_link=False) == "[a]\n\n[a]: u"
    assert guarded("[x]: ^", is_link=False) == "[x]\\: "
