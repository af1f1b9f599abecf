"""The machine of private signs is the scanner with one dialect: the same for every text.

What it does is in ``test_engine.py``; here and in ``tests/proof`` the two are held against each
other.
"""

import itertools

import pytest
from tests.citations.markers import DELIM, HEAD, START, STOP, marker

from citestream.citations import GUIDE, EngineOptions
from citestream.citations.dialects import nothing_known
from citestream.citations.scanner import Scanner
from citestream.citations.signs import SignMachine

OPTIONS = [
    EngineOptions(invalid, whitespace)  # type: ignore[arg-type]
    for invalid, whitespace in itertools.product(("keep", "drop"), ("keep", "tidy"))
]
TEXTS = [
    f"a {marker('a')}. {marker('a', 'b c', '/x')} {HEAD}a b{STOP} c{DELIM}",
    f"2{marker('a')}.5 {START}cit{marker(' a ', '')} \ud83d\ude00{HEAD}\ud83d ",
    marker("x" * 128) + marker("x" * 129),
    marker("a", "y" * 1024) + marker("a", "y" * 1025),
    marker(*["s"] * 32) + marker(*["s"] * 33),
    marker("a", *["/" + "y" * 999] * 4, "z" * 80) + marker("a", *["/" + "y" * 999] * 4, "z" * 90),
    HEAD + " " * 4087 + "a" + STOP,
    HEAD + " " * 4089 + "a" + STOP,
]


def agree(deltas: list[str], options: EngineOptions) -> None:
    signs, scanner = SignMachine(options, GUIDE), Scanner(options, (GUIDE,), nothing_known)
    for delta in deltas:
        assert scanner.feed(delta) == signs.feed(delta)
        assert scanner.held() == signs.held()
    assert scanner.finish() == signs.finish()
    assert scanner.take() == signs.take()
    assert (scanner.failures, scanner.invalid_markers) == (signs.failures, signs.invalid_markers)


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
@pytest.mark.parametrize("options", OPTIONS)
def test_they_agree(text: str, options: EngineOptions) -> None:
    agree([text], options)
    agree(list(text), options)
