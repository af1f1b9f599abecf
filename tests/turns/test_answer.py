"""The answer and its artifact."""

from typing import Any

import pytest

from citestream.parts import DataPart
from citestream.turns import Answer, Citation, Diagnostics, Dropped

PARTS = (DataPart("b", "search", {"value": 1}, title="B"), DataPart("a", "lookup", "text"))
CITATIONS = (Citation("b", 2, ""), Citation("a", 4, "L1"))
TEXT_PART = {
    "text": "x. y",
    "metadata": {
        "citations": [
            {"data_part_id": "b", "offset": 2, "locator": ""},
            {"data_part_id": "a", "offset": 4, "locator": "L1"},
        ]
    },
}
ARTIFACT = {
    "parts": [
        TEXT_PART,
        {"data": {"value": 1}, "metadata": {"dataPartId": "b", "toolName": "search"}},
        {"data": {"value": "text"}, "metadata": {"dataPartId": "a", "toolName": "lookup"}},
    ]
}


def answer(**fields: Any) -> Answer:
    known: dict[str, Any] = {
        "status": "completed",
        "reason": "complete",
        "text": "x. y",
        "citations": CITATIONS,
        "cited_parts": PARTS,
        "dropped": (Dropped("c", 4, "", "unknown_part"),),
        "invalid_markers": 2,
    }
    return Answer(**(known | fields))


def test_the_artifact_is_the_text_and_then_the_cited_parts() -> None:
    assert answer().artifact() == ARTIFACT


@pytest.mark.parametrize(
    ("text", "citations", "parts"),
    [
        ("", (), []),
        ("x", (), [{"text": "x", "metadata": {"citations": []}}]),
        ("\x00", (), [{"text": "\x00", "metadata": {"citations": []}}]),
        (
            "",
            (Citation("b", 0, ""),),
            [
                {
                    "text": "",
                    "metadata": {"citations": [{"data_part_id": "b", "offset": 0, "locator": ""}]},
                }
            ],
        ),
    ],
)
def test_an_answer_with_neither_text_nor_citations_has_no_parts(
    text: str, citations: tuple[Citation, ...], parts: list[Any]
) -> None:
    assert answer(text=text, citations=citations, cited_parts=()).artifact() == {"parts": parts}


CLOSING = {
    "artifact": ARTIFACT,
    "status": "completed",
    "reason": "complete",
    "dropped": [{"data_part_id": "c", "offset": 4, "locator": "", "reason": "unknown_part"}],
    "invalid_markers": 2,
}
DIAGNOSTICS = Diagnostics(invalid_marker_offsets=(0, 3), replaced_signs=5, stray_signs=1)
DIAGNOSED = {"invalid_marker_offsets": [0, 3], "replaced_signs": 5, "stray_signs": 1}


def test_what_the_closing_event_says() -> None:
    assert answer().closing_json() == CLOSING
    assert answer(diagnostics=DIAGNOSTICS).closing_json() == {**CLOSING, "diagnostics": DIAGNOSED}
    quiet = Diagnostics((), 0)
    assert answer(diagnostics=quiet).closing_json()["diagnostics"] == {
        "invalid_marker_offsets": [],
        "replaced_signs": 0,
        "stray_signs": 0,
    }


def test_the_whole_answer_as_json() -> None:
    whole = {**CLOSING, "text": "x. y", "citations": TEXT_PART["metadata"]["citations"]}  # type: ignore[index]
    assert answer().as_json() == whole
    assert answer(diagnostics=DIAGNOSTICS).as_json() == {**whole, "diagnostics": DIAGNOSED}
    assert list(answer().as_json()) == [
        "status",
        "reason",
        "text",
        "citations",
        "artifact",
        "dropped",
        "invalid_markers",
    ]


def test_an_open_answer_has_no_reason() -> None:
    found = answer(status="open", reason=None).as_json()
    assert (found["status"], found["reason"]) == ("open", None)


@pytest.mark.parametrize(
    ("id_", "inline"), [(".", True), ("..", True), ("...", False), ("a/..", False)]
)
def test_an_id_that_clients_take_for_a_folder_has_no_address(id_: str, inline: bool) -> None:
    big = DataPart(id_, "tool", "x" * 300_000)
    shown = answer(cited_parts=(big,), part_href="/v1/turns/t/parts/").artifact()["parts"][1]
    assert ("data" in shown) == inline
    assert ("href" in shown) != inline


@pytest.mark.parametrize(("spare", "inline"), [(1, True), (0, True), (-1, False)])
def test_a_part_over_256_kib_of_json_is_an_address_where_there_is_one(
    spare: int, inline: bool
) -> None:
    big = DataPart(
        "a/b c?", "tool", "\u00e9" * ((256 * 1024 - 2 - spare) // 2) + "x" * (-spare % 2)
    )
    metadata = {"dataPartId": "a/b c?", "toolName": "tool"}
    whole = {"data": {"value": big.data}, "metadata": metadata}
    linked = {"href": "/v1/turns/t/parts/a%2Fb%20c%3F", "metadata": metadata}
    found = answer(cited_parts=(big,), part_href="/v1/turns/t/parts/").artifact()
    assert found["parts"] == [TEXT_PART, whole if inline else linked]
    assert answer(cited_parts=(big,)).artifact()["parts"] == [TEXT_PART, whole]
    relative = answer(cited_parts=(big,), part_href="").artifact()["parts"][1]
    assert relative == (whole if inline else {**linked, "href": "a%2Fb%20c%3F"})
