"""The document: valid, the same in the tree as served, and complete field by field."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from openapi_spec_validator import OpenAPIV31SpecValidator

from citestream.main import create_app
from citestream.settings import Settings

FILE = Path(__file__).parents[2] / "openapi" / "openapi.json"
UNIT = re.compile(
    r"how many|code points|code units|bytes|characters|seconds|status|from 1\b", re.IGNORECASE
)
DOCUMENT: dict[str, Any] = json.loads(json.dumps(create_app(Settings()).openapi()))
SCHEMAS: dict[str, Any] = DOCUMENT["components"]["schemas"]
OPERATIONS: dict[str, tuple[str, str, dict[str, Any]]] = {
    operation["operationId"]: (method, path, operation)
    for path, methods in DOCUMENT["paths"].items()
    for method, operation in methods.items()
}


def walk(node: Any) -> Iterator[dict[str, Any]]:
    todo = [node]
    while todo:
        node = todo.pop()
        if isinstance(node, dict):
            yield node
            todo += node.values()
        elif isinstance(node, list):
            todo += node


def fields() -> list[Any]:
    return [
        pytest.param(field, id=f"{name}.{key}")
        for name, schema in SCHEMAS.items()
        for key, field in schema.get("properties", {}).items()
    ]


def check(schema: dict[str, Any], value: Any) -> None:
    whole = {**schema, "components": DOCUMENT["components"]}
    Draft202012Validator(whole, format_checker=Draft202012Validator.FORMAT_CHECKER).validate(value)


def named() -> list[str]:
    """Every schema that a body or an answer is of, but the problem of a refusal."""
    return sorted(
        {
            content["schema"]["$ref"].rpartition("/")[2]
            for _, _, operation in OPERATIONS.values()
            for said in (operation.get("requestBody", {}), *operation["responses"].values())
            for kind, content in said.get("content", {}).items()
            if kind != "application/problem+json" and "$ref" in content["schema"]
        }
    )


def test_the_file_is_what_is_served() -> None:
    assert json.loads(FILE.read_text("utf-8")) == DOCUMENT, "run: make openapi"


def test_is_valid() -> None:
    assert DOCUMENT["openapi"] == "3.1.0"
    assert list(OpenAPIV31SpecValidator(DOCUMENT).iter_errors()) == []


def test_operation_ids() -> None:
    assert {"extract", "stream", "prompt", "livez", "readyz"} <= OPERATIONS.keys()
    for name, (_, _, operation) in OPERATIONS.items():
        assert re.fullmatch(r"[a-z]+(_[a-z]+)*", name)
        assert operation["summary"]
        assert operation["description"]


def test_every_schema_is_described_and_used() -> None:
    used = {node["$ref"].rpartition("/")[2] for node in walk(DOCUMENT) if "$ref" in node}
    assert used == SCHEMAS.keys()
    assert [name for name, schema in SCHEMAS.items() if not schema.get("description")] == []


@pytest.mark.parametrize("field", fields())
def test_every_field_is_described(field: dict[str, Any]) -> None:
    assert field.get("description")


def test_every_parameter_is_described_with_an_example() -> None:
    for name, (_, _, operation) in OPERATIONS.items():
        for parameter in operation.get("parameters", []):
            place = f"{name} {parameter['name']}"
            assert parameter["description"], place
            assert "example" in parameter or parameter["schema"]["examples"], place
            if any(node.get("type") == "integer" for node in walk(parameter["schema"])):
                assert UNIT.search(parameter["description"]), place


@pytest.mark.parametrize("field", fields())
def test_every_number_has_a_unit(field: dict[str, Any]) -> None:
    if any(node.get("type") in ("integer", "number") for node in walk(field)):
        assert UNIT.search(field["description"])


@pytest.mark.parametrize("field", fields())
def test_every_field_has_a_fitting_example(field: dict[str, Any]) -> None:
    shown = field.get("examples") or [field["const"]]
    for value in shown:
        check(field, value)


@pytest.mark.parametrize("name", named())
def test_every_body_and_answer_has_fitting_examples(name: str) -> None:
    assert SCHEMAS[name]["examples"]
    for value in SCHEMAS[name]["examples"]:
        check(SCHEMAS[name], value)


@pytest.mark.parametrize("name", ["InputLine", "StreamEvent"])
def test_events_are_unions_told_apart_by_a_required_tag(name: str) -> None:
    union = SCHEMAS[name]
    assert union["discriminator"]["propertyName"] == "type"
    mapping = union["discriminator"]["mapping"]
    assert sorted(mapping.values()) == sorted(one["$ref"] for one in union["oneOf"])
    for tag, ref in mapping.items():
        member = SCHEMAS[ref.rpartition("/")[2]]
        assert member["properties"]["type"]["const"] == tag
        assert "type" in member["required"]


def test_events_have_the_names_of_the_vocabulary() -> None:
    assert {
        ref.rpartition("/")[2]
        for ref in SCHEMAS["StreamEvent"]["discriminator"]["mapping"].values()
    } == {
        "TextDelta",
        "CitationEvent",
        "CustomEvent",
        "RegisteredEvent",
        "SourceEvent",
        "CitationsSummary",
        "ArtifactEvent",
        "ErrorEvent",
    }
    assert {"StartInput", "PartInput", "DeltaInput", "CustomInput", "EndInput"} <= SCHEMAS.keys()


def test_a_stream_is_described_as_one_event() -> None:
    _, _, operation = OPERATIONS["stream"]
    content = operation["responses"]["200"]["content"]
    assert content["text/event-stream"]["schema"] == {"$ref": "#/components/schemas/StreamEvent"}
    assert not any("itemSchema" in node for node in walk(DOCUMENT))


def test_every_refusal_is_a_problem() -> None:
    for _, _, operation in OPERATIONS.values():
        for status, answer in operation["responses"].items():
            if status >= "400":
                assert answer["content"].keys() == {"application/problem+json"}


def test_readers_are_told_to_expect_later_fields() -> None:
    answers = {
        ref.rpartition("/")[2]
        for ref in SCHEMAS["StreamEvent"]["discriminator"]["mapping"].values()
    }
    for name in answers | {"Answer", "Citation", "Problem"}:
        assert "additionalProperties" not in SCHEMAS[name]
    assert SCHEMAS["AnswerBody"]["additionalProperties"] is False
