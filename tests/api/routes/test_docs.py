"""``/`` and ``/docs``: from the package alone, and each operation by clicking."""

import json
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Locator, Page, expect
from tests.browser import needs_chromium, page_of
from tests.serving import process

from citestream.api.schemas.examples import PUSH_BODY, STREAM_EVENTS

FILES = ("docs.js", "swagger-ui-bundle.js", "swagger-ui.css", "favicon.png")


def test_the_root_leads_to_the_page(client: httpx.Client) -> None:
    answer = client.get("/", follow_redirects=True)
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert client.get("/").headers["location"] == "docs"  # whatever prefix a proxy has put before


def test_the_page_may_load_from_this_service_alone(client: httpx.Client) -> None:
    answer = client.get("/docs")
    policy = answer.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    assert "://" not in policy
    assert "://" not in answer.text


@pytest.mark.parametrize("name", FILES)
def test_each_file_is_there(client: httpx.Client, name: str) -> None:
    answer = client.get(f"/docs/{name}")
    assert answer.status_code == 200
    assert len(answer.content) > 1000
    assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("name", ["redoc.standalone.js", "..%2fmain.py", "docs.html", "x"])
def test_nothing_else_is_there(client: httpx.Client, name: str) -> None:
    answer = client.get(f"/docs/{name}")
    assert answer.status_code == 404
    assert answer.json()["type"] == "urn:citestream:problem:not-found"


def test_browsers_find_an_icon(client: httpx.Client) -> None:
    assert client.get("/favicon.ico").headers["content-type"] == "image/png"


@pytest.fixture
def docs(tmp_path: Path) -> Iterator[Page]:
    store = f"sqlite:///{tmp_path}/turns.db"
    with (
        process(CITESTREAM_STORE_URL=store) as server,
        page_of(f"{server.url}/", tmp_path) as page,
    ):
        yield page


def operation(page: Page, name: str) -> Locator:
    block = page.locator(f"[id^=operations-][id$=-{name}]")
    if not block.get_by_role("button", name="Execute").is_visible():
        block.locator(".opblock-summary-control").first.click()
    return block


def run(page: Page, name: str, status: int) -> str:
    """Click an operation open and run it as it is filled in; return the answer that is shown."""
    block = operation(page, name)
    block.get_by_role("button", name="Execute").click()
    live = block.locator(".live-responses-table")
    expect(live.locator("tbody .response-col_status").first).to_contain_text(str(status))
    return live.locator("tbody pre").first.inner_text()


@needs_chromium
def test_a_turn_is_created_pushed_followed_and_read_by_clicking(docs: Page) -> None:
    assert json.loads(run(docs, "turns_create", 201))["id"] == "turn-7"
    assert json.loads(run(docs, "turns_push", 200))["next"] == len(PUSH_BODY["events"]) + 1
    told = run(docs, "turns_events", 200)
    assert told.count("data: ") == len(STREAM_EVENTS)
    assert "event: artifact" in told
    assert json.loads(run(docs, "turns_get", 200))["status"] == "completed"
    assert json.loads(run(docs, "turns_part", 200))["metadata"]["dataPartId"] == "tool_data_02"
    assert "\\ue200cite\\ue202tool_data_02" in run(docs, "turns_raw", 200)
    assert json.loads(run(docs, "sessions_get", 200))["items"]


@needs_chromium
def test_answers_come_by_clicking_and_signs_are_visible(docs: Page) -> None:
    body = operation(docs, "extract").locator("textarea").first.input_value()
    assert "\\ue200cite\\ue202" in body
    assert not any("\ue000" <= character <= "\uf8ff" for character in body)
    assert json.loads(run(docs, "extract", 200))["citations"]
    assert run(docs, "stream", 200).count("event: ") == 4
