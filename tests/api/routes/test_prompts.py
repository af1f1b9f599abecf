"""What goes into the model."""

from typing import Any

import httpx

import citestream
from citestream import sources
from citestream.api.schemas.prompts import Prompt

PARTS: list[dict[str, Any]] = [
    {"tool_name": "tides", "data": "High water at noon.\nLow water at six."},
    {"tool_name": "search", "data": {"value": {"results": [1, "two"]}}, "id": "other"},
]


def test_the_prompt_is_the_library_s(client: httpx.Client) -> None:
    answer = client.post("/v1/prompt", json={"parts": PARTS})
    assert answer.status_code == 200
    Prompt.model_validate(answer.json(), strict=True)
    assert answer.json() == citestream.prompt(citestream.PartInput(**part) for part in PARTS)
    assert [part["id"] for part in answer.json()["parts"]] == ["tool_data_01", "other"]


def test_without_parts_there_are_the_instructions(client: httpx.Client) -> None:
    for body in ({}, {"parts": []}, {"style": "markers"}):
        answer = client.post("/v1/prompt", json=body).json()
        assert answer == {"instructions": citestream.INSTRUCTIONS, "parts": []}


def test_numbers_are_taught_in_their_own_paragraph(client: httpx.Client) -> None:
    answer = client.post("/v1/prompt", json={"style": "numbers", "parts": PARTS}).json()
    assert answer == {
        "instructions": sources.INSTRUCTIONS,
        "parts": client.post("/v1/prompt", json={"parts": PARTS}).json()["parts"],
    }


def test_a_large_part(client: httpx.Client) -> None:
    part = {"tool_name": "t", "data": "line\n" * 100_000}
    [shown] = client.post("/v1/prompt", json={"parts": [part]}).json()["parts"]
    assert "L100000: line" in shown["text"]


def test_another_style_and_other_fields_are_refused(client: httpx.Client) -> None:
    for body, field in (({"style": "letters"}, "style"), ({"text": "a"}, "body")):
        answer = client.post("/v1/prompt", json=body)
        assert answer.status_code == 422
        assert [one["field"] for one in answer.json()["errors"]] == [field]
