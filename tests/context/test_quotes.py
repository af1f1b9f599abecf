"""Quote links: bounds, and that the block cannot be broken out of."""

import json
from typing import Any
from urllib.parse import quote, urlencode

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citestream.context import ContextError, format_quote, parse_quotes, plain_text
from citestream.context.encoding import encodable
from citestream.context.quotes import quote_block

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


CITATION: dict[str, Any] = {
    "version": 1,
    "environmentId": "e",
    "threadId": "t",
    "messageId": "m",
    "text": "a",
    "start": 0,
    "end": 1,
    "prefix": "",
    "suffix": "",
}
ANY = st.text(
    alphabet=st.characters() | st.sampled_from("%+&=#)([ *~'\n\ud83d\U0001f408"), max_size=40
)
IDS = ANY.filter(lambda text: len(encodable(text).strip()) >= 1)
CITATIONS = st.fixed_dictionaries(
    {
        "version": st.just(1),
        "environmentId": IDS,
        "threadId": IDS,
        "messageId": IDS,
        "text": ANY.filter(str.strip),
        "start": st.integers(0, 9),
        "end": st.integers(10, 2**53 - 1),
        "prefix": ANY.map(lambda text: text[:32]),
        "suffix": ANY.map(lambda text: text[:32]),
    },
    optional={"comment": ANY},
)


@given(ANY, CITATIONS, ANY)
@settings(max_examples=2_000)
def test_what_is_formatted_is_read_and_reads_well(
    before: str, citation: dict[str, Any], after: str
) -> None:
    link = format_quote(citation)
    text = f"{before}{link}{after}"
    found = [quote for quote in parse_quotes(text) if quote.source == link]
    clean = {
        name: encodable(value) if isinstance(value, str) else value
        for name, value in citation.items()
    }
    clean |= {name: clean[name].strip() for name in ("environmentId", "threadId", "messageId")}
    assert found[0].citation == clean
    whole = encodable(text)
    assert whole[found[0].start : found[0].end] == link
    (placed, *_) = (quote for quote in parse_quotes(text, unit="utf16") if quote.source == link)
    units = whole.encode("utf-16-le")
    assert units[2 * placed.start : 2 * placed.end].decode("utf-16-le") == link
    assert format_quote(found[0].citation) == link
    shown = plain_text(link)
    comment = clean.get("comment", "")
    assert shown == clean["text"] + (f"\nComment: {comment}" if comment.strip() else "")


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"version": 2}, "citation.version"),
        ({"version": True}, "citation.version"),
        ({"environmentId": " "}, "citation.environmentId"),
        ({"threadId": 1}, "citation.threadId"),
        ({"messageId": "m" * 513}, "citation.messageId"),
        ({"text": " \n"}, "citation.text"),
        ({"text": "x" * 8_001}, "citation.text"),
        ({"text": None}, "citation.text"),
        ({"comment": "x" * 8_001}, "citation.comment"),
        ({"start": -1}, "citation.start"),
        ({"start": True}, "citation.start"),
        ({"start": 1}, "citation.end"),
        ({"end": 2**53}, "citation.end"),
        ({"end": 1.0}, "citation.end"),
        ({"prefix": "x" * 33}, "citation.prefix"),
        ({"secret": 1}, "citation"),
        ({"text": "\U0001f408" * 8_000, "comment": "\U0001f408" * 8_000}, "citation"),
    ],
)
def test_what_no_link_may_say_is_refused(change: dict[str, Any], field: str) -> None:
    with pytest.raises(ContextError) as error:
        format_quote(CITATION | change)
    assert error.value.field == field
    assert "secret" not in str(error.value)


def test_a_comment_of_null_and_a_version_left_out() -> None:
    bare = {key: value for key, value in CITATION.items() if key != "version"}
    assert format_quote(bare | {"comment": None}) == format_quote(CITATION)


def test_many_fields_and_long_addresses_are_text() -> None:
    assert found(link().replace("?", "?" + "a=&" * 9)) == []
    assert found(link(text="x" * 8_000).replace("&start", "&" * 160_000 + "&start")) == []
