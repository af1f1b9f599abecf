"""The grammar of the tags, their bound, and which closing tags are owed."""

import pytest
from tests.citations.dialects.beside import BESIDE
from tests.citations.dialects.contract import DialectContract, fed
from tests.citations.known import Sources

from citestream.citations import Engine, EngineOptions
from citestream.citations.dialects.tags import TAGS


class TestTags(DialectContract):
    dialects = (TAGS,)
    known = Sources()
    pieces = (
        '<cite id="a">',
        "<cite ids='a, b' x=y/>",
        "<co: 0,1>",
        "</cite>",
        "</co>",
        "</co: 0>",
        "<cite",
        "</c",
        ' id="',
        ">",
        "<cite>",
        '<cite x="1">',
        *BESIDE,
    )
    bounds = (
        ('<cite id="', "x", '">', 512),
        ("<cite id=", "x", ">", 512),
        ("<cite id=x", " ", ">", 512),
        ('<cite class="', "x", '" id=a>', 512),
        ("<co:", "x", ">", 512),
    )


@pytest.mark.parametrize(
    ("tag", "sources"),
    [
        ("<cite id=a/>", ["a"]),
        ("<cite a=b id='x y'/>", ["x", "y"]),
        ("<cite id=\u201cx\u201d/>", ["x"]),
        ('<cite id=\\"x\\"/>', ["x"]),
        ('<cite ref = "x" id="y" />', ["x"]),
        ('<cite data-x="id=b" refs="x,,y,"/>', ["x", "y"]),
        ("<cite id='<'/>", None),
        ("<cite id=/>", None),
        ("<cite id=a=b/>", None),
        ("<cite 1d=a id=b/>", None),
        (f"<cite {'x' * 33}=a id=b/>", None),
        ('<cite id="a"x="b"/>', None),
        ("<cite id=a\n/>", None),
        ("<cite id=a / >", None),
        ("<citeid=a/>", None),
    ],
)
def test_attributes(tag: str, sources: list[str] | None) -> None:
    shown, named, _ = fed((TAGS,), Sources(), [tag])
    assert (shown, [source for source, _ in named]) == (
        (tag, []) if sources is None else ("", sources)
    )


@pytest.mark.parametrize("tag", ["<co:>", "<co: a,>", "<co:a b>", "<co:a/>", "<co: \u00e9>"])
def test_what_is_no_tag(tag: str) -> None:
    assert fed((TAGS,), Sources(), [tag]).shown == tag


def spans(text: str, **options: str) -> list[tuple[str, int, tuple[int, int] | None]]:
    found = []
    for deltas in ([text], list(text)):
        engine = Engine(EngineOptions(dialect="tags", **options))  # type: ignore[arg-type]
        for delta in deltas:
            engine.feed(delta)
        engine.finish()
        found.append([(one.source_id, one.offset, one.span) for one in engine.take()])
    assert found[0] == found[1]
    return found[0]


@pytest.mark.parametrize(
    ("text", "entries"),
    [
        ("x <cite id=a>yz</cite>. w", [("a", 5, (2, 4))]),
        ("x <cite id=a>yz. \n>\n w", [("a", 5, (2, 5))]),
        ("<cite id=a>y\n \t\r\nz</cite>", [("a", 1, (0, 1))]),
        ("<cite id=a>y\n", [("a", 1, (0, 1))]),
        ("w <cite id=a> <cite id=b>y</cite>", [("a", 2, (2, 2)), ("b", 4, (3, 4))]),
        ("<cite id=a>x<cite id=b>.y</cite>", [("a", 1, (0, 1)), ("b", 3, (1, 3))]),
        ("<cite id=a>x<cite id=b>) y</cite>", [("a", 2, (0, 1)), ("b", 4, (1, 4))]),
        ("<co:a>x<cite id=b>y</co>z</cite>", [("a", 1, (0, 1)), ("b", 3, (1, 3))]),
        ("x<cite id=a/>. y", [("a", 2, None)]),
        ("<cite id=a>\n```\n\n", [("a", 4, (0, 4))]),
    ],
)
def test_what_a_tag_encloses(
    text: str, entries: list[tuple[str, int, tuple[int, int] | None]]
) -> None:
    assert spans(text) == entries


def test_tidy_takes_blanks_before_a_tag_that_closes_the_last() -> None:
    assert spans("<cite id=a>x <cite id=b>.y</cite>", whitespace="tidy") == [
        ("a", 1, (0, 1)),
        ("b", 3, (1, 3)),
    ]
