"""``guide`` spelled with escapes: the same fields, its own signs."""

import pytest
from tests.citations.dialects.beside import BESIDE
from tests.citations.dialects.contract import DialectContract, fed
from tests.citations.known import Sources

from citestream.citations.dialects.escaped import ESCAPED
from citestream.citations.dialects.guide import GUIDE

HEAD = "\\ue200cite\\ue202"


class TestEscaped(DialectContract):
    dialects = (ESCAPED,)
    known = Sources()
    pieces = (
        f"{HEAD}a\\ue201",
        "\\uE200cite\\uE202 a \\uE202/x\\uE201",
        HEAD,
        "\\ue201",
        "\\ue202",
        "\\ue20",
        "\\u",
        "cite",
        "\ue202",
        *BESIDE,
    )
    bounds = (
        (HEAD, "x", "\\ue201", len(HEAD) + 128 + 6),
        (f"{HEAD}x\\ue202", "y", "\\ue201", len(HEAD) + 1 + 6 + 1024 + 6),
        (f"{HEAD}x" + f"\\ue202{'y' * 1000}" * 4 + "\\ue202", "z", "\\ue201", 4096),
    )


class TestBothSpellings(DialectContract):
    dialects = (GUIDE, ESCAPED)
    known = Sources()
    pieces = (
        f"{HEAD}a\\ue201",
        "\ue200cite\ue202b\ue201",
        "\ue200cite\ue202b ",
        f"{HEAD}c ",
        "\\ue20",
        *BESIDE,
    )


@pytest.mark.parametrize("count", [31, 32, 33])
def test_fields(count: int) -> None:
    marker = HEAD + "\\ue202".join(["a"] * count) + "\\ue201"
    assert (fed((ESCAPED,), Sources(), [marker]).shown == "") == (count <= 32)
    assert (fed((ESCAPED,), Sources(), marker).shown == "") == (count <= 32)
