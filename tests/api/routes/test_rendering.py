"""A text with its citations, for a reader, over HTTP."""

from typing import Any

import httpx
import pytest
from tests.api.operation_cases import (
    CANARY,
    HOSTILE_VALUES,
    answered,
    conforms,
    post,
    refused,
    with_value,
)
from tests.vectors import assert_rendered, rows

from citestream.rendering import render
from citestream.sources import Source

SOURCES = [{"index": 1, "title": "A", "url": "https://example.org/a"}]
CITATION: dict[str, Any] = {
    "data_part_id": "tool_data_01",
    "offset": 5,
    "locator": "",
    "source": {"tool_name": "log", "title": "Log", "url": "https://example.org/log"},
}
BODY: dict[str, Any] = {
    "text": "Open. High [1].",
    "citations": [CITATION],
    "sources": SOURCES,
    "parts": [{"id": "tool_data_01", "tool_name": "log", "title": "Log"}],
    "part_numbers": {"other": 1},
    "to": "markdown",
    "marker_style": "brackets",
}


@pytest.mark.parametrize("row", rows("render.json"), ids=lambda row: row["id"])
def test_row(client: httpx.Client, row: dict[str, Any]) -> None:
    assert_rendered(answered(client, "/v1/render", row["input"]), row)


@pytest.mark.parametrize("to", ["markdown", "html", "text"])
@pytest.mark.parametrize("style", ["brackets", "bare"])
def test_the_answer_is_the_library_s(client: httpx.Client, to: Any, style: Any) -> None:
    answer = answered(client, "/v1/render", BODY | {"to": to, "marker_style": style})
    sources = [Source(**source) for source in SOURCES]
    shown = render(
        BODY["text"],
        BODY["citations"],
        sources,
        to=to,
        part_numbers={"other": 1},
        marker_style=style,
    )
    assert answer == {"text": shown.text, "cited": [1, 2], "listed": [1, 2]}


def test_a_part_that_is_a_source_takes_its_number(client: httpx.Client) -> None:
    body = BODY | {"part_numbers": {"tool_data_01": 1}, "to": "text"}
    answer = answered(client, "/v1/render", body)
    assert answer["cited"] == [1]
    assert answer["text"].startswith("Open.[1] High [1].\n\nSources\n")


def test_parts_say_what_a_citation_does_not(client: httpx.Client) -> None:
    parts = [
        {"id": "tool_data_01", "tool_name": "web_fetch", "url": "https://example.org/a", "data": 1},
        {"id": "tool_data_02", "tool_name": "log"},
    ]
    citations = [{"data_part_id": part["id"], "offset": 4} for part in parts]
    body = BODY | {"citations": citations, "parts": parts, "to": "text"}
    assert answered(client, "/v1/render", body) == {
        "text": "Open[1] [2]. High [1].\n\nSources\n\n[1] A <https://example.org/a>\n[2] log",
        "cited": [1, 2],
        "listed": [1, 2],
    }


def test_an_answer_of_extract_can_be_rendered_as_it_is(client: httpx.Client) -> None:
    include = ["excerpt", "offsets", "source"]
    parts = [{"tool_name": "log", "data": "a", "title": "Log", "url": "https://example.org/log"}]
    raw = "Open\ue200cite\ue202tool_data_01\ue201."
    plain = answered(client, "/v1/extract", {"parts": parts, "text": raw, "include": include})
    body = {"text": plain["text"], "citations": plain["citations"], "to": "markdown"}
    answer = answered(client, "/v1/render", body)
    assert "https://example.org/log" in answer["text"]
    assert answer["cited"] == answer["listed"] == [1]


def test_without_citations_and_sources_the_text_stays(client: httpx.Client) -> None:
    for to in ("markdown", "text"):
        answer = answered(client, "/v1/render", {"text": "a [1] *b*", "to": to})
        assert answer == {"text": "a [1] *b*", "cited": [], "listed": []}


@pytest.mark.parametrize("value", HOSTILE_VALUES.values(), ids=HOSTILE_VALUES)
@pytest.mark.parametrize("to", ["markdown", "html", "text"])
def test_any_value_in_any_field_is_answered_or_refused(
    client: httpx.Client, to: str, value: bytes
) -> None:
    start = BODY | {"to": to}
    bodies = [start | {field: "HERE"} for field in BODY]
    bodies += [start | {"citations": [CITATION | {key: "HERE"}]} for key in (*CITATION, "target")]
    bodies += [
        start | {"citations": [CITATION | {"source": CITATION["source"] | {key: "HERE"}}]}
        for key in CITATION["source"]
    ]
    bodies += [start | {"sources": [SOURCES[0] | {key: "HERE"}]} for key in SOURCES[0]]
    bodies.append(start | {"part_numbers": {"tool_data_01": "HERE"}})
    for body in bodies:
        answer = post(client, "/v1/render", with_value(body, value))
        assert answer.status_code in (200, 400, 422), answer.text
        conforms("/v1/render", answer)


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"citations": [CITATION, CITATION | {"offset": 16}]}, "citations[1].offset"),
        ({"citations": [CITATION | {"offset": 10**400}]}, "citations[0].offset"),
        ({"citations": [CITATION | {"offset": -1}]}, "citations[0].offset"),
        ({"citations": [{"offset": 1}]}, "citations[0].data_part_id"),
        ({"sources": [CANARY]}, "sources[0]"),
        ({"part_numbers": {CANARY: CANARY}}, "part_numbers"),
        ({"citations": [CITATION] * 2_001}, "citations"),
        ({"sources": [SOURCES[0]] * 2_001}, "sources"),
        ({"parts": BODY["parts"] * 2_001}, "parts"),
        ({"parts": [{"id": "a"}]}, "parts[0].tool_name"),
        ({"to": CANARY}, "to"),
        ({CANARY: CANARY}, "body"),
    ],
)
def test_a_caller_s_mistake_names_its_field(
    client: httpx.Client, change: dict[str, Any], field: str
) -> None:
    problem = refused(client, "/v1/render", BODY | change)
    assert problem["type"] == "urn:citestream:problem:invalid-input"
    assert [error["field"] for error in problem["errors"]] == [field]


def test_an_offset_behind_the_text_is_told_with_its_limit(client: httpx.Client) -> None:
    problem = refused(client, "/v1/render", {"text": "abc", "to": "text", "citations": [CITATION]})
    assert "3 code points" in problem["detail"]


def test_a_result_that_would_be_too_long_is_refused(client: httpx.Client) -> None:
    sources = [SOURCES[0] | {"url": "https://example.org/" + CANARY * 110}]
    for to in ("markdown", "html"):
        body = {"text": "[1] " * 16_000, "sources": sources, "to": to}
        problem = refused(client, "/v1/render", body)
        assert problem["type"] == "urn:citestream:problem:result-too-long"


def test_a_text_that_no_result_can_hold_is_refused(client: httpx.Client) -> None:
    problem = refused(client, "/v1/render", {"text": "words " * 1_500_000, "to": "html"})
    assert problem["type"] == "urn:citestream:problem:result-too-long"
    assert problem["limit"] == 8 * 1024 * 1024


def test_a_large_text_is_rendered_and_refused_as_a_small_one(client: httpx.Client) -> None:
    body = BODY | {"text": BODY["text"] + "\n" + "a " * 300_000}
    shown = answered(client, "/v1/render", body)["text"]
    assert shown.startswith(answered(client, "/v1/render", BODY)["text"].partition("\n")[0])
    problem = refused(client, "/v1/render", body | {"to": CANARY})
    assert [error["field"] for error in problem["errors"]] == ["to"]
    problem = refused(client, "/v1/render", body | {"citations": [CITATION | {"offset": 10**6}]})
    assert [error["field"] for error in problem["errors"]] == ["citations[0].offset"]


def test_a_text_of_many_markers_is_rendered(client: httpx.Client) -> None:
    text = "a [1] b.\n\n" * 20_000
    answer = answered(client, "/v1/render", {"text": text, "sources": SOURCES, "to": "text"})
    assert answer["text"].startswith(text.rstrip())


def test_the_provider_of_a_target_is_in_no_rendered_text(client: httpx.Client) -> None:
    target = {"kind": "account", "accountId": "9f1c7a4e-6a1b-4a39", "provider": CANARY}
    for to in ("markdown", "html", "text"):
        body = BODY | {"citations": [CITATION | {"target": target}], "to": to}
        assert CANARY not in answered(client, "/v1/render", body)["text"]


def test_targets_lead_where_the_product_says(client: httpx.Client) -> None:
    account = {"kind": "account", "accountId": "9f1c7a4e-6a1b-4a39-b7a0-2a5d1f0c8e11"}
    said = {"tool_name": "execute_sql", "title": "Checking", "url": None, "source": "silvia://c"}
    page = {"kind": "tax_reference", "url": "https://www.ecfr.gov/current/title-26"}
    citations = [
        {"data_part_id": "a", "offset": 5, "target": account | {"provider": "plaid"}},
        {"data_part_id": "b", "offset": 5, "target": account | {"provider": None}},
        {"data_part_id": "c", "offset": 9, "target": page, "source": {"title": "CFR"}},
        {"data_part_id": "d", "offset": 9, "target": {"kind": "berth", "url": page["url"]}},
    ]
    for citation in citations[:2]:
        citation["source"] = said
    body = {"text": "Open. Yes.", "citations": citations, "to": "markdown"}
    path = f"/accounts/{account['accountId']}"
    answer = answered(client, "/v1/render", body)
    assert answer == {
        "text": f"Open.[\\[¹\\]]({path}) Yes[\\[²\\]]({page['url']}) \\[³\\].\n\n_Sources_\n\n"
        f"- [\\[1\\]]({path}) Checking\n- [\\[2\\]]({page['url']}) CFR\n- \\[3\\] d",
        "cited": [1, 2, 3],
        "listed": [1, 2, 3],
    }
    html = answered(client, "/v1/render", body | {"to": "html"})["text"]
    assert html.count(f'href="{path}"') == html.count(f'href="{page["url"]}"') == 2
    text = answered(client, "/v1/render", body | {"to": "text"})["text"]
    assert text.endswith(f"[1] Checking\n[2] CFR <{page['url']}>\n[3] d")
    assert "plaid" not in answer["text"] + html + text
