"""What is left of markers that lost their signs."""

import pytest
from tests.citations.dialects.beside import BESIDE
from tests.citations.dialects.contract import DialectContract, fed
from tests.citations.known import Sources

from citestream.citations.dialects.bare_residue import BARE_RESIDUE


class TestResidue(DialectContract):
    dialects = (BARE_RESIDUE,)
    known = Sources(["a", "ab", "bc", "a-b", "t0"])
    pieces = ("cite", "citea", "fileciteabc", "citeab-", "ci", "file", "ab", "-", "_", "t", *BESIDE)


def left(text: str, *ids: str) -> tuple[str, list[str]]:
    shown, named, _ = fed((BARE_RESIDUE,), Sources(ids), [text])
    return shown, [source for source, _ in named]


@pytest.mark.parametrize(
    ("text", "rest", "ids"),
    [
        ("citea", "", ["a"]),
        ("citea-", "-", ["a"]),
        ("citea-x.", "-x.", ["a"]),
        ("citea_", "citea_", []),
        ("citea\u4e2d", "\u4e2d", ["a"]),
        ("-citea", "-", ["a"]),
        ("_citea", "_citea", []),
        ("citecitea", "citecitea", []),
        ("cite", "cite", []),
    ],
)
def test_what_is_beside(text: str, rest: str, ids: list[str]) -> None:
    assert left(text, "a") == (rest, ids)


@pytest.mark.parametrize("count", [254, 255, 256])
def test_the_bound(count: int) -> None:
    text = "cite" + "ab12" * count
    expected = (text, []) if len(text) > 1024 else ("", ["ab12"] * count)
    assert left(text, "ab12") == expected
    shown, named, _ = fed((BARE_RESIDUE,), Sources(["ab12"]), text)
    assert (shown, [source for source, _ in named]) == expected
