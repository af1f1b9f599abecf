"""Context references over HTTP."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.api.operation_cases import (
    CANARY,
    HOSTILE_VALUES,
    answered,
    conforms,
    exact,
    nested,
    post,
    refused,
    with_value,
)
from tests.serving import DEADLINE, serving
from tests.vectors import rows

from citestream.api.routes.context import OPERATIONS
from citestream.settings import Settings

SKILL = {"version": 1, "contextId": "s", "kind": "skill", "label": "S", "name": "n"}
CHART = {"version": 1, "contextId": "c", "kind": "chart", "label": "C", "payload": {"rows": [1]}}
QUOTE = {
    "version": 1,
    "environmentId": "e",
    "threadId": "t",
    "messageId": "m",
    "text": "a",
    "comment": "why",
    "start": 0,
    "end": 1,
    "prefix": "",
    "suffix": "",
}
FRAGMENT = {"version": 1, "source": {"environmentId": "e"}, "records": [SKILL]}
BODIES: dict[str, dict[str, Any]] = {
    "parse": {"text": "a"},
    "format": {"kind": "skill", "contextId": "s", "label": "S", "image": None},
    "sanitize-label": {"label": "S", "kind": "skill"},
    "decode": {"context": {"version": 1, "records": [SKILL]}},
    "project": {"text": "a", "records": [SKILL], "mention_entries": False},
    "upgrade": {"text": "a"},
    "resolve": {"message": {"text": "a", "context": None}},
    "fold-id": {"id": "a"},
    "fragment-encode": {
        "source": {"environmentId": "e"},
        "records": [SKILL],
        "selected": ["s"],
    },
    "fragment-decode": {"json": "{}"},
    "import": {
        "text": "a",
        "fragment": FRAGMENT,
        "draft_records": [],
        "environment_id": "e",
        "fresh_ids": {},
    },
    "rebind": {"records": [SKILL], "attachments": []},
    "prune": {"text": "[S](t3-context://v1/skill/s)", "records": [SKILL]},
    "remove": {"text": "[S](t3-context://v1/skill/s)", "records": [SKILL], "ids": ["s"]},
    "hydrate": {"text": "a", "terminal_contexts": [], "records": [], "file_records": []},
    "plain": {"text": "a"},
    "quote-format": {"citation": QUOTE},
    "quote-parse": {"text": "a", "unit": "utf16"},
}


@pytest.mark.parametrize("row", rows("context.json"), ids=lambda row: row["id"])
def test_row(client: httpx.Client, row: dict[str, Any]) -> None:
    if "refused" in row:
        problem = refused(client, f"/v1/context/{row['op']}", row["input"])
        assert problem["status"] == row["refused"], row["why"]
        return
    answer = answered(client, f"/v1/context/{row['op']}", row["input"])
    assert exact(answer) == exact(row["expect"]), row["why"]


def test_there_is_a_door_for_each_operation() -> None:
    assert {operation.path.rpartition("/")[2] for operation in OPERATIONS} == {
        row["op"] for row in rows("context.json")
    }


@pytest.mark.parametrize("value", HOSTILE_VALUES.values(), ids=HOSTILE_VALUES)
def test_any_value_in_any_field_is_answered_or_refused(client: httpx.Client, value: bytes) -> None:
    bodies = [(op, body | {field: "HERE"}) for op, body in BODIES.items() for field in body]
    for op, body in BODIES.items():
        for field, given in body.items():
            if isinstance(given, list):
                bodies.append((op, body | {field: ["HERE"]}))
                bodies += [(op, body | {field: [SKILL | {key: "HERE"}]}) for key in SKILL]
    bodies.append(("import", BODIES["import"] | {"fragment": FRAGMENT | {"source": "HERE"}}))
    bodies.append(("import", BODIES["import"] | {"fragment": FRAGMENT | {"records": ["HERE"]}}))
    bodies.append(("import", BODIES["import"] | {"fresh_ids": {"a": "HERE"}}))
    bodies.append(("resolve", {"message": {"text": "a", "context": "HERE"}}))
    bodies.append(("resolve", {"message": {"text": "a", "attachments": "HERE"}}))
    bodies.append(("resolve", {"message": {"text": "a", "attachments": {"a": "HERE"}}}))
    bodies += [("quote-format", {"citation": QUOTE | {field: "HERE"}}) for field in QUOTE]
    bodies.append(("remove", {"text": "a", "records": [SKILL], "at": "HERE"}))
    bodies.append(("rebind", {"records": [], "attachments": [{"before": "a", "after": "HERE"}]}))
    for op, body in bodies:
        answer = post(client, f"/v1/context/{op}", with_value(body, value))
        assert answer.status_code in (200, 400, 422), (op, answer.text)
        conforms(f"/v1/context/{op}", answer)


@pytest.mark.parametrize(
    "value",
    [
        *(nested(levels) for levels in (64, 65, 66, 80, 128, 140, 200, 1_000, 100_000)),
        b'{"a":' * 5_000 + b"[]" + b"}" * 5_000,
        nested(5_000, '"[]{}\\"NaN"'),
        b"NaN",
        b"[Infinity, -Infinity]",
        b"1e999",
        b"-1.5E+9999",
        b"9" * 4301,
    ],
    ids=lambda value: value[:12].decode(),
)
def test_what_no_record_can_hold_costs_one_record(client: httpx.Client, value: bytes) -> None:
    records = [SKILL, CHART | {"payload": "HERE"}, CHART | {"contextId": "d"}]
    body = with_value({"context": {"version": 1, "records": records}}, value)
    assert answered(client, "/v1/context/decode", body) == {
        "context": {"version": 1, "records": [SKILL, CHART | {"contextId": "d"}]},
        "dropped": 1,
        "unknown": ["d"],
        "ambiguous": [],
    }
    text = "[S](t3-context://v1/skill/s)"
    body = with_value({"text": text, "records": records}, value)
    shown = answered(client, "/v1/context/project", body)
    assert shown == answered(client, "/v1/context/project", {"text": text, "records": [SKILL]})
    body = with_value(
        {"message": {"text": "", "context": {"version": 1, "records": records}}}, value
    )
    assert len(answered(client, "/v1/context/resolve", body)["records"]) == 2


def test_what_a_record_can_hold_it_keeps(client: httpx.Client) -> None:
    # A record is one level around its payload, and has at most 64.
    for value in (nested(63), b"9" * 4000, b"-1e308", b'"\\ud83d\\ude00"'):
        records = [CHART | {"payload": "HERE"}]
        body = with_value({"context": {"version": 1, "records": records}}, value)
        answer = answered(client, "/v1/context/decode", body)
        assert answer["dropped"] == 0
        assert exact(answer["context"]["records"][0]["payload"]) == exact(json.loads(value))


def test_half_of_a_character_is_u_fffd(client: httpx.Client) -> None:
    record = CHART | {"label": "a\ud83d", "payload": {"\ude00": "\ud83d"}}
    answer = answered(
        client, "/v1/context/decode", {"context": {"version": 1, "records": [record]}}
    )
    assert answer["context"]["records"] == [
        CHART | {"label": "a\ufffd", "payload": {"\ufffd": "\ufffd"}}
    ]
    for op in ("upgrade", "plain"):
        assert answered(client, f"/v1/context/{op}", {"text": "a\ud83d"})["text"] == "a\ufffd"


@pytest.mark.parametrize(
    ("op", "change", "field"),
    [
        ("parse", {"text": [CANARY]}, "text"),
        ("parse", {CANARY: 1}, "body"),
        ("format", {"kind": CANARY.upper()}, "kind"),
        ("format", {"contextId": f"{CANARY} {CANARY}"}, "contextId"),
        ("project", {"records": {CANARY: 1}}, "records"),
        ("resolve", {"message": {"context": CANARY}}, "message.text"),
        ("fragment-encode", {"source": {"environmentId": ""}}, "source"),
        ("fragment-encode", {"selected": [1]}, "selected[0]"),
        ("import", {"fresh_ids": {CANARY: 1}}, "fresh_ids"),
        ("import", {"fresh_ids": {CANARY: f"{CANARY}/"}}, "fresh_ids"),
        ("rebind", {"attachments": [{"before": CANARY}]}, "attachments[0].after"),
        ("resolve", {"message": {"text": "", "attachments": {CANARY: 1}}}, "message.attachments"),
        (
            "resolve",
            {"message": {"text": "", "attachments": {"a": f"{CANARY}/"}}},
            "message.attachments",
        ),
        ("remove", {"ids": None}, "ids"),
        ("remove", {"at": 0}, "ids"),
        ("remove", {"ids": None, "at": 1}, "at"),
        ("remove", {"ids": None, "at": -1}, "at"),
        ("remove", {"unit": CANARY}, "unit"),
        ("parse", {"unit": CANARY}, "unit"),
        ("quote-format", {"citation": QUOTE | {CANARY: 1}}, "citation"),
        ("quote-format", {"citation": QUOTE | {"text": " "}}, "citation.text"),
        ("quote-format", {"citation": QUOTE | {"end": 0}}, "citation.end"),
        ("quote-format", {"citation": QUOTE | {"prefix": "x" * 33}}, "citation.prefix"),
        ("rebind", {"attachments": [{"before": "a", "after": f"{CANARY}/"}]}, "attachments.after"),
    ],
)
def test_a_caller_s_mistake_names_its_field(
    client: httpx.Client, op: str, change: dict[str, Any], field: str
) -> None:
    problem = refused(client, f"/v1/context/{op}", BODIES[op] | change)
    assert problem["type"] == "urn:citestream:problem:invalid-input"
    assert [error["field"] for error in problem["errors"]] == [field]


def test_a_text_that_no_provider_reads_says_how_much_is_over(client: httpx.Client) -> None:
    plain = CANARY + "a" * 120_001
    body = {"text": plain, "records": []}
    assert answered(client, "/v1/context/project", body) == {"text": plain}
    link, marker = "[S](t3-context://v1/skill/s)", "[Skill: S; ref=s]"
    text = CANARY + "a" * (120_000 - len(CANARY) - len(marker))
    body = {"text": link + text, "records": [SKILL]}
    assert answered(client, "/v1/context/project", body) == {"text": marker + text}
    body = {"text": link + text + "b" * 17, "records": [SKILL]}
    problem = refused(client, "/v1/context/project", body)
    assert problem["type"] == "urn:citestream:problem:result-too-long"
    assert (problem["status"], problem["over"], problem["limit"]) == (422, 17, 120_000)
    assert "17" in problem["detail"]


def test_the_limit_of_a_body(client: httpx.Client) -> None:
    body = json.dumps(BODIES["plain"]).encode()
    for length, status in ((64 * 1024 * 1024, 200), (64 * 1024 * 1024 + 1, 413)):
        padded = body + b" " * (length - len(body))
        assert post(client, "/v1/context/plain", padded).status_code == status


def test_a_long_answer_is_whole(client: httpx.Client) -> None:
    link = "[é](t3-context://v1/skill/s)"
    found = answered(client, "/v1/context/parse", {"text": link * 4_001})["references"]
    starts = [reference["start"] for reference in found]
    assert starts == [len(link) * number for number in range(4_001)]
    problem = refused(client, "/v1/context/parse", {"text": link * 100_001})
    assert problem["errors"][0]["field"] == "text"


@pytest.fixture
def of_another_product(tmp_path: Path) -> Iterator[httpx.Client]:
    settings = Settings(
        store_url=f"sqlite:///{tmp_path}/turns.db",
        context_scheme="acme-context",
        context_envelope="acme",
        context_fragment_type="web application/x-acme+json",
        context_text_limit=300,
    )
    with serving(settings) as served, httpx.Client(base_url=served.url, timeout=DEADLINE) as found:
        yield found


def test_another_product_has_its_own_names(of_another_product: httpx.Client) -> None:
    link = answered(of_another_product, "/v1/context/format", BODIES["format"])["text"]
    assert link == "[S](acme-context://v1/skill/s)"
    mention = {"version": 1, "contextId": "m", "kind": "mention", "label": "a", "path": "a.py"}
    text = "[a](acme-context://v1/mention/m)"
    body = {"text": text, "records": [mention], "mention_entries": True}
    shown = answered(of_another_product, "/v1/context/project", body)["text"]
    assert "<acme" in shown
    assert "</acme>" in shown
    fragment = answered(
        of_another_product, "/v1/context/fragment-encode", BODIES["fragment-encode"]
    )
    assert fragment["mime"] == "web application/x-acme+json"
    body = {"text": f"{text}{'x' * 300}", "records": [mention]}
    problem = refused(of_another_product, "/v1/context/project", body)
    assert problem["limit"] == 300
