"""Quote links: bounds, and that the block cannot be broken out of."""

import json
from urllib.parse import quote, urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citestream.context.quotes import parse_quotes, quote_block

FIELDS = {"text": "a", "start": "0", "end": "1", "prefix": "", "suffix": ""}
TEXT = st.text(alphabet=st.characters(exclude_categories=["Cs"]), min_size=1, max_size=40)


def link(path: str = "e/t/m", **fields: str) -> str:
    return f"[Assistant quote](t3-citation://v1/{path}?{urlencode({**FIELDS, **fields})})"


def found(text: str) -> list[dict]:
    return [quote.citation for quote in parse_quotes(text)]


@given(TEXT.filter(str.strip), TEXT, TEXT.map(lambda t: t[:32]), TEXT.filter(str.strip))
def test_what_a_client_writes_is_read(text: str, comment: str, prefix: str, id_: str) -> None:
    path = "/".join(quote(part, safe="") for part in (id_, "t", "m"))
    (citation,) = found(f"x {link(path, text=text, comment=comment, prefix=prefix)} y")
    assert citation["text"] == text
    assert citation["comment"] == comment
    assert citation["prefix"] == prefix
    assert citation["environmentId"] == id_.strip()


@given(TEXT.filter(str.strip))
def test_the_block_holds_no_markup_of_the_quote(text: str) -> None:
    block = quote_block([("assistant-quote-1", {"text": text})])
    opening, _, *listing, closing = block.split("\n")
    assert (opening, closing) == ("<assistant_citations>", "</assistant_citations>")
    assert not set("".join(listing)) & set("<>&")
    assert json.loads("\n".join(listing)) == [
        {"id": "assistant-quote-1", "citation": {"text": text}}
    ]


@pytest.mark.parametrize(
    "valid",
    [
        link(text="x" * 8_000, comment="y" * 8_000),
        link(end=str(2**53 - 1)),
        link(path="i" * 512 + "/t/m"),
        link(prefix="p" * 32, suffix="s" * 32),
        link(path="a%2Fb/t/m"),
        link().replace("text=", "&text="),
    ],
)
def test_valid(valid: str) -> None:
    assert len(found(valid)) == 1


@pytest.mark.parametrize(
    "invalid",
    [
        link(comment="y" * 8_001),
        link(start="-1"),
        link(start="٠", end="١"),
        link(start="1", end="1"),
        link(suffix="s" * 33),
        link(path="e/t"),
        link(path="e/t/m/x"),
        link(path="e//m"),
        link(path="%zz/t/m"),
        link(path="%ff/t/m"),
        link().replace("v1", "v2"),
        link().replace("v1", "me@v1"),
        link().replace("v1", "v1:80"),
        link().replace("text=a", "text=a b"),
        link().replace("?", "#f?"),
        link().replace("[A", "[a"),
        link(comment="a").replace(")", "&comment=b)"),
        link(text="%" * 3_000).replace("%25", "%25" * 30),
    ],
)
def test_invalid(invalid: str) -> None:
    assert found(invalid) == []
