"""The shapes of stored turns: what may be written, at its limits."""

import json
from typing import Any

import httpx
import pytest
from pydantic import BaseModel, ValidationError
from tests.api.turning import END, created, delta, marker, part, problem, push, pushed

from citestream.api.schemas.turns import (
    MAX_PUSH_EVENTS,
    CreatedTurn,
    CreateTurnBody,
    History,
    NextInput,
    PushAnswer,
    PushBody,
    Session,
    StoredAnswer,
)


def shown(model: type[BaseModel], answer: httpx.Response) -> None:
    """The answer is what the model says, no field more."""
    found = answer.json()
    read = model.model_validate_json(answer.content)
    assert read.model_dump(mode="json", by_alias=True, exclude_unset=True) == found


def test_the_service_answers_what_the_document_says(client: httpx.Client) -> None:
    body = {"session_id": "shapes"}
    shown(CreatedTurn, client.post("/v1/turns", json=body))
    turn = created(client, **body)
    shown(PushAnswer, push(client, turn, 1, part(None), delta("a" + marker("tool_data_01"))))
    shown(NextInput, client.get(f"/v1/turns/{turn}/input"))
    shown(StoredAnswer, client.get(f"/v1/turns/{turn}"))
    pushed(client, turn, 3, END)
    shown(StoredAnswer, client.get(f"/v1/turns/{turn}"))
    client.post("/v1/sessions/shapes/messages", json={"text": "Q", "context": [1]})
    shown(Session, client.get("/v1/sessions/shapes"))
    shown(History, client.get("/v1/sessions/shapes/history?for=text"))


@pytest.mark.parametrize("more", [-1, 0, 1])
def test_a_push_has_so_many_events_at_most(more: int) -> None:
    body = {"seq": 1, "events": [delta("a")] * (MAX_PUSH_EVENTS + more)}
    if more <= 0:
        assert len(PushBody.model_validate(body).events) == MAX_PUSH_EVENTS + more
    else:
        with pytest.raises(ValidationError):
            PushBody.model_validate(body)


@pytest.mark.parametrize(
    "body", [[], "a", None, {"turn_id": None, "more": 1}, {"options": None}, {"labels": []}]
)
def test_a_creation_is_an_object_of_known_fields(body: Any) -> None:
    with pytest.raises(ValidationError):
        CreateTurnBody.model_validate(body)


def test_what_a_push_may_not_hold_is_named_by_its_place(client: httpx.Client) -> None:
    turn = created(client)
    body = {"seq": 1, "events": [delta("a"), {"type": "part", "tool_name": "t"}]}
    answer = client.post(f"/v1/turns/{turn}/input", json=body)
    found = problem(answer, 422, "invalid-input")
    assert found["errors"][0]["field"].startswith("events[1].")
    assert json.dumps(found).count("tool_name") == 0
