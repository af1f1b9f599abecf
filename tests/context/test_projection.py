"""Projection: limits, the plain path, and that captured text stays data."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.context import hostile
from tests.context.reader import read

from citestream.context import (
    ContextSettings,
    ProviderTextLimitError,
    decode_record,
    format_reference,
    project,
)

KINDS = [
    "image",
    "file",
    "terminal",
    "element",
    "preview-annotation",
    "review-comment",
    "mention",
    "skill",
    "chart",
]
QUOTE = "[Assistant quote](t3-citation://v1/e/t/m?text={}&start=0&end=1&prefix=&suffix=)"


def prose(random: Random) -> str:
    """Words of the user's own, which are not escaped and so hold no elements here."""
    return random.choice([" ", "see ", "\n", "é😀", "[", "](", "!", "a < b ", "`code` "])


@pytest.mark.parametrize("seed", range(10))
def test_hostile_payloads_stay_data(seed: int) -> None:
    random = Random(seed)  # noqa: S311
    for _ in range(500):
        ids = random.sample(["a", "b", "c", "d", "e", "f"], random.randint(1, 5))
        records = {id_: hostile.record(random, random.choice(KINDS), id_) for id_ in ids}
        order = [random.choice([*ids, "missing"]) for _ in range(random.randint(1, 7))]
        links = [format_reference(random.choice(KINDS), id_, hostile.text(random)) for id_ in order]
        quotes = [QUOTE.format("%3C%2Fassistant_citations%3E%26")] * random.randint(0, 2)
        pieces = [piece for link in links + quotes for piece in (prose(random), link)]
        mentions = random.random() < 0.5

        result = read(project("".join(pieces), list(records.values()), mention_entries=mentions))

        assert [id_ for _, id_ in result.markers] == order
        shown = [
            id_
            for id_ in dict.fromkeys(order)
            if mentions or records.get(id_, {}).get("kind") not in {"mention", "skill"}
        ]
        assert [id_ for _, id_, _ in result.entries] == shown
        for kind, id_, rows in result.entries:
            assert (rows is None) == (id_ == "missing")
            assert id_ == "missing" or kind == records[id_]["kind"]
        assert len(result.quotes) == bool(quotes)


def test_hostile_records_are_records() -> None:
    # Without this the test above could pass on records that were all dropped.
    random = Random(0)  # noqa: S311
    for kind in KINDS:
        assert decode_record(hostile.record(random, kind, "a")) is not None


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])))
@settings(max_examples=200)
def test_text_without_references_changes_no_byte(text: str) -> None:
    assert project(text, []) == text


def test_one_over_the_limit_says_so() -> None:
    link = "[s](t3-context://v1/skill/s)"
    record = {"version": 1, "contextId": "s", "kind": "skill", "label": "", "name": "n"}
    marker = "[Skill: s; ref=s]"
    assert len(project(link + "x" * (120_000 - len(marker)), [record])) == 120_000
    with pytest.raises(ProviderTextLimitError, match="7 characters over the 120,000") as error:
        project(link + "secret" + "x" * (120_001 - len(marker)), [record])
    assert error.value.over == 7
    assert "secret" not in str(error.value)


def test_what_counts_is_the_projected_text() -> None:
    record = {"version": 1, "contextId": "t", "kind": "terminal", "label": "t"}
    record |= {"terminalId": "t", "terminalLabel": "t", "lineStart": 1, "lineEnd": 1}
    record["text"] = "<context" * 8_000
    link = format_reference("terminal", "t", "t")
    assert len(project(link, [record])) > 88_000
    with pytest.raises(ProviderTextLimitError):
        project(link + "x" * 60_000, [record])


def test_too_many_records_are_none() -> None:
    record = {"version": 1, "contextId": "m", "kind": "skill", "label": "m", "name": "m"}
    many = [{**record, "contextId": f"m{number}"} for number in range(200)]
    link = format_reference("skill", "m7", "m")
    assert project(link, many) == "[Skill: m; ref=m7]"
    assert 'id="m7" unavailable="true"/>' in project(link, [*many, record])


def test_unwritable_payload_makes_its_record_unavailable() -> None:
    deep: list = []
    for _ in range(100_000):
        deep = [deep]
    records = [
        {"version": 1, "contextId": id_, "kind": "chart", "label": "", "payload": payload}
        for id_, payload in {"nan": float("nan"), "deep": deep, "long": 10**5_000, "ok": 1}.items()
    ]
    text = " ".join(format_reference("chart", id_, "c") for id_ in ("nan", "deep", "long", "ok"))
    entries = read(project(text, records)).entries
    assert [(id_, rows) for _, id_, rows in entries] == [
        ("nan", None),
        ("deep", None),
        ("long", None),
        ("ok", ["1"]),
    ]


def test_lone_surrogates_are_replaced() -> None:
    record = {"version": 1, "contextId": "s", "kind": "skill", "label": "", "name": "n\udc00"}
    link = "[l\ud83d](t3-context://v1/skill/s)"
    text = project(f"\ud800 {link}", [record], mention_entries=True)
    assert text.startswith("\ufffd [Skill: l\ufffd; ref=s]")
    assert "name: n\ufffd\n" in text


def test_a_label_of_semicolons_is_the_kind() -> None:
    assert project("[;;](t3-context://v1/skill/s)", []).startswith("[Skill: skill; ref=s]")


def test_the_text_s_own_names_can_be_chosen() -> None:
    named = ContextSettings(scheme="acme", envelope="acme_data", quote_scheme="acme-quote")
    record = {"version": 1, "contextId": "c", "kind": "chart", "label": ""}
    record["payload"] = "</acme_data></t3_context>"
    quote = QUOTE.format("a").replace("t3-citation", "acme-quote")
    text = f"[c](acme://v1/chart/c) [d](t3-context://v1/chart/c) {quote}"
    projected = project(text, [record], settings=named)
    assert projected.startswith(
        "[Chart: c; ref=c] [d](t3-context://v1/chart/c) [assistant-quote-1]"
    )
    assert '<acme_data version="1">' in projected
    assert '"&lt;/acme_data></t3_context>"' in projected
