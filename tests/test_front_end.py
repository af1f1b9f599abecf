"""``docs/front-end.md`` and ``examples/fastapi_app.py``, in a real browser."""

import re
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
import uvicorn
from examples import fastapi_app
from playwright.sync_api import expect

from tests.api.turning import END, created, delta, marker, part, pushed
from tests.browser import needs_chromium, page_of
from tests.serving import process, until

PAGE = Path(__file__).parents[1] / "docs" / "front-end.md"
SCRIPTS = re.findall(
    r"<!-- browser -->\n```js\n(.*?)^```", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE
)
pytestmark = needs_chromium


def test_the_reader_of_the_page_follows_to_the_end_and_stops(tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path}/turns.db"
    with (
        process(CITESTREAM_STORE_URL=store) as server,
        httpx.Client(base_url=server.url) as client,
        page_of(f"{server.url}/docs", tmp_path) as page,
    ):
        turn = created(client, include=["offsets"])
        page.evaluate(
            f"""turn => {{
              {"".join(SCRIPTS)}
              window.utf16 = utf16;
              window.source = follow(`/v1/turns/${{turn}}/events`, state => window.state = state);
            }}""",
            turn,
        )
        pushed(client, turn, 1, part(), delta("🎉 Tides"), delta(" turn" + marker("p1") + "."))
        until(lambda: page.evaluate("() => window.state?.text === '🎉 Tides turn.'"))
        assert page.evaluate("() => source.readyState === EventSource.OPEN")
        pushed(client, turn, 4, END)
        until(lambda: page.evaluate("() => source.readyState === EventSource.CLOSED"))
        state = page.evaluate("() => state")
        assert state["status"] == "completed"
        [citation] = state["citations"]
        assert (citation["offset"], citation["offsets"]["utf16"]) == (13, 14)
        assert page.evaluate("() => utf16(state.text, state.citations[0].offset)") == 14


@pytest.fixture
def example() -> Iterator[str]:
    listener = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(fastapi_app.app, log_config=None, ws="none"))
    thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{listener.getsockname()[1]}/"
    server.should_exit = True
    thread.join(30)
    listener.close()


def test_the_example_answers_in_the_browser(example: str, tmp_path: Path) -> None:
    with page_of(example, tmp_path) as page:
        expect(page.locator("#answer")).to_have_text("It is open again. 🎉")
        expect(page.locator("#citations li")).to_have_text("10:20 Open again.")
        assert page.locator("#citations li").get_attribute("data-offset") == "17"
        assert page.evaluate("() => source.readyState === EventSource.CLOSED")
