"""Typed citation targets over HTTP."""

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from typing import Any

import httpx
import pytest
from jsonschema import Draft202012Validator
from tests.api.operation_cases import (
    CANARY,
    HOSTILE_VALUES,
    answered,
    conforms,
    exact,
    post,
    refused,
    with_value,
)
from tests.serving import DEADLINE, serving
from tests.vectors import rows

from citestream.api.routes.targets import OPERATIONS
from citestream.settings import Settings

SOURCE = "silvia://your-account/checking"
ACCOUNT = "9f1c7a4e-6a1b-4a39-b7a0-2a5d1f0c8e11"
RESULT = {"source": SOURCE, "rows": [{"account_uuid": ACCOUNT}], "url": None}
BODIES: dict[str, dict[str, Any]] = {
    "derive": {"calls": [{"tool": "execute_sql", "results": [RESULT]}], "checkpoint": None},
    "parse": {"value": {"kind": "analysis"}},
    "humanize-url": {"url": "https://example.org"},
    "account-ref": {"row": {"account_uuid": ACCOUNT}},
    "account-url": {"accountId": "a"},
    "slug": {"label": "a"},
    "attach": {
        "citations": [{"type": "search_result_location", "source": SOURCE}],
        "checkpoint": {"citationTargets": {SOURCE: {"kind": "analysis"}}},
    },
}


Of = Callable[[str], httpx.Client]


@pytest.fixture(scope="module")
def of(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Of]:
    """Return what gives the client of a service that was started with the text of a preset."""
    with ExitStack() as services:

        @cache
        def client_of(preset: str) -> httpx.Client:
            folder = tmp_path_factory.mktemp("preset")
            (folder / "preset.toml").write_text(preset, encoding="utf-8-sig")
            settings = Settings(target_preset=folder / "preset.toml")
            served = services.enter_context(serving(settings))
            client = httpx.Client(base_url=served.url, timeout=DEADLINE)
            return services.enter_context(client)

        yield client_of


@pytest.mark.parametrize("row", rows("targets.json"), ids=lambda row: row["id"])
def test_row(client: httpx.Client, of: Of, row: dict[str, Any]) -> None:
    client = of(row["preset"]) if "preset" in row else client
    document = client.get("/openapi.json").json()
    answer = answered(client, f"/v1/targets/{row['op']}", row["input"], document)
    assert exact(answer) == exact(row["expect"]), row["why"]


def test_document_has_the_kinds_that_a_product_declares(of: Of) -> None:
    preset = 'scheme = "desk"\n[kind.web_mail]\nmessageId = "string"\npage = "url?"\n'
    document = of(preset).get("/openapi.json").json()
    schemas = document["components"]["schemas"]
    mail = {"kind": "web_mail", "messageId": "m-17", "page": None}
    checked = Draft202012Validator({**schemas["Target"], "components": document["components"]})
    assert schemas["Citation"]["properties"]["target"]["$ref"] == "#/components/schemas/Target"
    assert (
        schemas["Target"]["discriminator"]["mapping"]["web_mail"]
        == "#/components/schemas/WebMailTarget"
    )
    assert checked.is_valid(mail)
    assert not checked.is_valid({**mail, "messageId": None})
    assert not checked.is_valid({"kind": "web_mail", "messageId": "m-17"})


def test_there_is_a_door_for_each_operation() -> None:
    assert {operation.path.rpartition("/")[2] for operation in OPERATIONS} == {
        row["op"] for row in rows("targets.json")
    }


@pytest.mark.parametrize("value", HOSTILE_VALUES.values(), ids=HOSTILE_VALUES)
def test_any_value_in_any_field_is_answered_or_refused(client: httpx.Client, value: bytes) -> None:
    bodies = [(op, body | {field: "HERE"}) for op, body in BODIES.items() for field in body]
    for field in RESULT:
        call = {"tool": "execute_sql", "results": [RESULT | {field: "HERE"}]}
        bodies.append(("derive", {"calls": [call]}))
    for kind in ("web", "tax_reference", "market_data", "account", "accounts"):
        target = dict.fromkeys(("url", "ticker", "accountId", "provider", "accounts"), "HERE")
        bodies.append(("parse", {"value": target | {"kind": kind}}))
    bodies += [
        ("account-ref", {"row": {"account_uuid": ACCOUNT, column: "HERE"}})
        for column in ("source", "source_account_id", "account_uuid")
    ]
    bodies += [
        ("attach", {"citations": [{"type": "search_result_location", key: "HERE"}]})
        for key in ("type", "source", "cited_text")
    ]
    bodies.append(("attach", {"citations": [], "checkpoint": {"citationTargets": "HERE"}}))
    bodies.append(("derive", {"calls": [], "checkpoint": {"citationTargets": {SOURCE: "HERE"}}}))
    for op, body in bodies:
        answer = post(client, f"/v1/targets/{op}", with_value(body, value))
        assert answer.status_code in (200, 400, 422), (op, answer.text)
        conforms(f"/v1/targets/{op}", answer)


def test_half_of_a_character_in_a_source_is_answered_as_u_fffd(client: httpx.Client) -> None:
    call = {"tool": "execute_sql", "results": [{"source": "silvia://\ud83d"}]}
    answer = answered(client, "/v1/targets/derive", {"calls": [call]})
    assert answer == {
        "targets": {"silvia://\ufffd": None},
        "checkpoint": {"citationTargets": {"silvia://\ufffd": None}},
    }


@pytest.mark.parametrize(
    ("op", "change", "field"),
    [
        ("derive", {"calls": CANARY}, "calls"),
        ("derive", {"calls": [{"tool": "a", "results": [{}]}]}, "calls[0].results[0].source"),
        ("derive", {"checkpoint": CANARY}, "checkpoint"),
        ("derive", {"checkpoint": {"citationTargets": CANARY}}, "checkpoint.citationTargets"),
        ("derive", {CANARY: 1}, "body"),
        ("humanize-url", {"url": [CANARY]}, "url"),
        ("account-url", {"accountId": ".."}, "accountId"),
        ("account-url", {"accountId": f"\ud83d{CANARY}"}, "accountId"),
        ("slug", {"label": {CANARY: 1}}, "label"),
        ("attach", {"citations": [[CANARY]]}, "citations[0]"),
    ],
)
def test_a_caller_s_mistake_names_its_field(
    client: httpx.Client, op: str, change: dict[str, Any], field: str
) -> None:
    problem = refused(client, f"/v1/targets/{op}", BODIES[op] | change)
    assert problem["type"] == "urn:citestream:problem:invalid-input"
    assert [error["field"] for error in problem["errors"]] == [field]
    assert problem["detail"].startswith(f"{field}: ")


def test_the_limit_of_a_body(client: httpx.Client) -> None:
    body = json.dumps(BODIES["slug"]).encode()
    for length, status in ((1024 * 1024, 200), (1024 * 1024 + 1, 413)):
        padded = body + b" " * (length - len(body))
        assert post(client, "/v1/targets/slug", padded).status_code == status


def test_another_product_has_its_own_table(of: Of) -> None:
    of_another_product = of('scheme = "acme"\n[ledger]\n"book/<label>" = "account"\n')
    slug = answered(of_another_product, "/v1/targets/slug", {"label": "Petty cash"})
    assert slug == {"source": "acme://book/petty-cash"}
    result = {"source": slug["source"], "rows": [{"account_uuid": ACCOUNT}]}
    body = {"calls": [{"tool": "ledger", "results": [result]}]}
    assert answered(of_another_product, "/v1/targets/derive", body)["targets"] == {
        "acme://book/petty-cash": {"kind": "account", "accountId": ACCOUNT, "provider": "manual"}
    }
