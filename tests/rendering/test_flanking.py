"""Each text has a `^` where a marker is to be put; `@` shows where it is put."""

import pytest

from citestream.markdown import structure
from citestream.rendering.flanking import Flanking
from citestream.rendering.ranges import Runs


def settled(text: str, *, letters: bool = False) -> str:
    at = text.index("^")
    text = text.replace("^", "", 1)
    place = Flanking(text, structure(text), Runs(text), letters=letters).settle(at)
    assert place is not None
    return f"{text[:place]}@{text[place:]}"


@pytest.mark.parametrize(
    ("text", "lands"),
    [
        ("**Noon^** is", "**Noon@** is"),
        ("*Low^*, b", "*Low@*, b"),
        ("a **b^**", "a **b@**"),
        ("这是**重点^**内容", "这是**重点**@内容"),
        ("这是**^重点**内容", "这是@**重点**内容"),
        ("un*believ^*able", "un*believ*@able"),
        ("a~~b^~~c", "a~~b~~@c"),
        ("***a^***b", "***a***@b"),
        ("**_a^_**", "**_a@_**"),
        ("\u00a0**^a** b", "\u00a0**@a** b"),
        ("**a*b^* c", "**a*b@* c"),
        ("**a^*, b*", "**a*@, b*"),
        ("*| a =*^a*", "*| a =@*a*"),
        ("a^ b", "a@ b"),
    ],
)
def test_a_marker_of_brackets(text: str, lands: str) -> None:
    assert settled(text) == lands


@pytest.mark.parametrize(
    ("text", "lands"),
    [("_x_^, y", "_x@_, y"), ("**Noon^** is", "**Noon@** is"), ("a_b^_ c", "a_b@_ c")],
)
def test_a_marker_that_may_be_a_letter(text: str, lands: str) -> None:
    assert settled(text, letters=True) == lands


def test_a_run_that_is_text_is_named_where_no_place_is_left() -> None:
    text = "x_y_ z"
    flanking = Flanking(text, structure(text), Runs(text), letters=False)
    assert flanking.settle(1) is None
    assert flanking.literal_run(1) == (1, 2)
    assert flanking.literal_run(5) is None
    text = "**a*a"
    assert Flanking(text, structure(text), Runs(text), letters=False).literal_run(4) == (3, 4)


def test_two_markers_beside_one_run_act_together() -> None:
    text = "un**believ**able"
    flanking = Flanking(text, structure(text), Runs(text), letters=False)
    assert [flanking.settle(10), flanking.settle(10), flanking.settle(12)] == [12, 12, 12]
    text = "a_b_c"
    flanking = Flanking(text, structure(text), Runs(text), letters=False)
    assert (flanking.settle(2), flanking.settle(1)) == (None, None)
