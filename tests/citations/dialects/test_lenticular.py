"""The grammar of ``lenticular``, its bounds, and which note is a locator."""

import pytest
from tests.citations.dialects.beside import BESIDE
from tests.citations.dialects.contract import DialectContract, fed
from tests.citations.known import Sources

from citestream.citations.dialects.lenticular import LENTICULAR


class TestLenticular(DialectContract):
    dialects = (LENTICULAR,)
    known = Sources(["6", "ab"])
    pieces = (
        "\u30101\u2020x\u3011",
        "\u30106\u3011",
        "\u30107\u3011",
        "\u30104:0\u2020L1-L2\u2020/a\u3011",
        "\u30104:",
        "\u3010",
        "\u3011",
        "\u2020",
        "\u3010ab\u2020",
        "1\u2020y\u3011",
        *BESIDE,
    )
    # The key and both notes at their longest would be longer than the bound of the whole.
    bounds = (
        ("\u3010" + "k" * 128 + "\u2020" + "n" * 200 + "\u2020", "m", "\u3011", 512),
        ("\u3010k\u2020", "n", "\u3011", 204),
        ("\u3010k\u2020\u2020", "n", "\u3011", 205),
        ("\u30101:", "2", "\u2020\u3011", 11),
        ("\u3010" + "1" * 6 + ":", "2", "\u2020\u3011", 16),
    )


@pytest.mark.parametrize(
    ("marker", "source", "locator"),
    [
        ("\u3010k\u2020 L3 \u3011", "k", "L3"),
        ("\u3010k\u2020l3\u2020/x\u3011", "k", "/x"),
        ("\u3010k\u2020L1\u2020/x\u3011", "k", "L1"),
        ("\u3010k\u2020\u2020\u3011", "k", ""),
        ("\u30101:2\u2020x\u3011", "1:2", ""),
        ("\u3010_-\u2020x\u3011", "_-", ""),
    ],
)
def test_what_a_marker_names(marker: str, source: str, locator: str) -> None:
    assert fed((LENTICULAR,), Sources(), [marker]) == ("", [(source, locator)], 0)


@pytest.mark.parametrize(
    "key", ["\u00e9", "\uff11", "a b", "a:1", "1:a", "1:2:3", ":1", "1:", "a" * 129]
)
def test_what_is_no_key(key: str) -> None:
    text = f"\u3010{key}\u2020x\u3011"
    assert fed((LENTICULAR,), Sources(), [text]) == (text, [], 0)
