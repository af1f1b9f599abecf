"""Every string of a few tokens in every dialect, and random ones in lists of them, against the
plain reading: whole, one character at a time, and cut anywhere.
"""

from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.citations.known import Sources
from tests.proof.dialects import Found, found_in
from tests.proof.texts import cuts

from citestream.citations import Engine, EngineOptions, read_fields

KNOWN = ["1", "2", "a"]
TEMPLATE = {"open": "[[", "close": "]]", "separator": "|"}
AROUND = ["x", " ", "\n", "`"]
TOKENS: dict[str, tuple[Any, list[str]]] = {
    "guide": ("guide", ["\ue200", "\ue200cite\ue202", "\ue202", "\ue201", "a", "/", *AROUND]),
    "chatgpt": (
        "chatgpt",
        ["\ue200", "url", "cite", "\ue202", "\ue201", "a", "\ue203", '["p","n"]', *AROUND],
    ),
    "lenticular": ("lenticular", ["\u3010", "\u3011", "\u2020", "1", "9:", "L1", "~~~", *AROUND]),
    "numbers": ("numbers", ["[1]", "[", "]", "1", "9", ",", "(", "!", "- ", *AROUND]),
    "tags": (
        "tags",
        ["<cite", ' id="', "a", '"', ">", "/>", "</cite>", "<co:", "</co>", *AROUND],
    ),
    "escaped": (
        "escaped",
        ["\\ue200cite\\ue202", "\\ue200", "\\ue20", "2", "1", "a", "\\", *AROUND],
    ),
    "template": (TEMPLATE, ["[[", "[", "]]", "]", "|", "a", "/x", "> ", "```", *AROUND]),
}
LONGEST = 4
EVERY: list[Any] = [one for one, _ in TOKENS.values()]


def outcome(deltas: Any, options: dict[str, Any]) -> Found:
    engine = Engine(EngineOptions(**options), Sources(KNOWN))
    shown = "".join([engine.feed(delta) for delta in deltas]) + engine.finish()
    named = [
        pair
        for entry in engine.take()
        for pair in read_fields(entry.source_id, entry.locator, entry.undecided, lambda _: True)
        or ()
    ]
    return Found(shown, sorted(named), engine.invalid_markers)


def expected(text: str, dialects: list[Any], *, keep: bool = False) -> Found:
    found = found_in(text, dialects, KNOWN, keep=keep)
    return found._replace(named=sorted(found.named))


@pytest.mark.parametrize("name", TOKENS)
def test_every_string_of_a_few_tokens(name: str) -> None:
    dialect, tokens = TOKENS[name]
    options = {"dialect": dialect, "numbers": "strip"}
    for length in range(LONGEST + 1):
        for signs in product(tokens, repeat=length):
            text = "".join(signs)
            right = expected(text, [dialect])
            assert outcome([text], options) == right, ascii(text)
            assert outcome(text, options) == right, ascii(text)


ALL_TOKENS = sorted({token for _, tokens in TOKENS.values() for token in tokens})
WHOLE = ["\ue200cite\ue202a\ue201", "\u30101\u2020x\u3011", "[1]", "<cite id=a>", "[[a]]"]
texts = st.lists(st.sampled_from([*ALL_TOKENS, *WHOLE, *WHOLE]), max_size=14).map("".join)


@settings(max_examples=500, deadline=None)
@given(texts.flatmap(cuts), st.permutations(EVERY), st.integers(1, 7), st.booleans())
def test_lists(deltas: list[str], every: list[Any], count: int, keep: bool) -> None:
    dialects = every[:count]
    options = {"dialect": dialects, "numbers": "keep" if keep else "strip"}
    right = expected("".join(deltas), dialects, keep=keep)
    assert outcome(deltas, options) == right
    assert outcome("".join(deltas), options) == right
