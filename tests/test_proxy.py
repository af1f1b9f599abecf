"""``docs/proxy.md``, tried: the service behind a real nginx, as it comes and as the page has it."""

import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx
import pytest

from tests.api.turning import created, delta, following, pushed
from tests.browser import needs_chromium, page_of
from tests.cli.command import begin
from tests.nginx import free_port, needs_nginx, proxy
from tests.raw_http import RawClient
from tests.serving import until

PAGE = Path(__file__).parents[1] / "docs" / "proxy.md"
MIB = 1024 * 1024
pytestmark = needs_nginx


def documented(service: int, port: int) -> str:
    [block] = re.findall(r"^```nginx\n(.*?)^```", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    return block.replace("127.0.0.1:8321", f"127.0.0.1:{service}").replace("8080", f"{port}")


def usual(service: int, port: int) -> str:
    return f"server {{ listen {port}; location / {{ proxy_pass http://127.0.0.1:{service}; }} }}"


class Behind:
    """A service that can be away, and nginx in front of it."""

    def __init__(self, folder: Path) -> None:
        self.service, self.usual, self.documented = free_port(), free_port(), free_port()
        self._store = f"sqlite:///{folder}/turns.db"
        self._running: ExitStack | None = None

    def start(self) -> None:
        with ExitStack() as running:
            arguments = ("serve", "--port", f"{self.service}")
            process = running.enter_context(begin(*arguments, CITESTREAM_STORE_URL=self._store))
            running.callback(process.kill)
            assert process.stdout
            assert process.stdout.readline().startswith(b"citestream listens at ")
            self._running = running.pop_all()

    def kill(self) -> None:
        if self._running:
            self._running.close()
        self._running = None

    @contextmanager
    def away(self) -> Iterator[None]:
        self.kill()
        try:
            yield
        finally:
            self.start()


@pytest.fixture(scope="module")
def behind(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Behind]:
    folder = tmp_path_factory.mktemp("proxy")
    found = Behind(folder)
    servers = usual(found.service, found.usual) + documented(found.service, found.documented)
    found.start()
    try:
        with proxy(servers, found.documented, folder / "nginx"):
            yield found
    finally:
        found.kill()


@pytest.fixture(params=["usual", "documented"])
def port(behind: Behind, request: pytest.FixtureRequest) -> int:
    found: int = getattr(behind, request.param)
    return found


def test_followers_get_each_event_at_once(port: int) -> None:
    with httpx.Client(base_url=f"http://127.0.0.1:{port}") as client:
        turn = created(client)
        pushed(client, turn, 1, delta("first"))
        with following(port, turn) as reader:
            assert reader.event().value["text"] == "first"
            pushed(client, turn, 2, delta("second"))
            assert reader.event().value["text"] == "second"


def test_the_documented_one_passes_lines_on_while_the_body_is_sent(behind: Behind) -> None:
    with RawClient(behind.documented) as raw:
        raw.request("/v1/stream")
        for text in ("one", "two"):
            raw.line(delta(text))
            if text == "one":
                assert raw.status() == 200
            assert raw.event().value["text"] == text
        raw.end()
        assert [event.type for event in raw.events()] == ["citations_summary", "artifact"]


def test_the_usual_one_collects_a_body_and_answers_the_same(behind: Behind) -> None:
    with RawClient(behind.usual) as raw:
        raw.request("/v1/stream")
        raw.line(delta("one"))
        raw.end()
        assert raw.status() == 200
        assert raw.event().value["text"] == "one"


@pytest.mark.parametrize(("which", "status"), [("usual", 413), ("documented", 200)])
def test_a_body_of_two_megabytes(behind: Behind, which: str, status: int) -> None:
    body = {"text": "x" * (2 * MIB)}
    answer = httpx.post(f"http://127.0.0.1:{getattr(behind, which)}/v1/extract", json=body)
    assert answer.status_code == status
    assert (answer.headers["content-type"] == "application/json") == (status == 200)


def test_the_largest_body_passes_the_documented_one(behind: Behind) -> None:
    data = "x" * (63 * MIB)
    body = {"text": "Look.", "context": {"version": 1, "records": [], "ignored": data}}
    path = "/v1/sessions/large/messages"
    url = f"http://127.0.0.1:{behind.documented}{path}"
    answer = httpx.post(url, json=body, timeout=60)
    direct = httpx.post(f"http://127.0.0.1:{behind.service}{path}", json=body, timeout=60)
    assert answer.status_code == direct.status_code
    assert answer.headers["content-type"] == direct.headers["content-type"]
    assert httpx.post(f"http://127.0.0.1:{behind.usual}{path}", json=body).status_code == 413


def test_a_service_that_is_away_asks_event_sources_to_come_back(behind: Behind) -> None:
    with behind.away():
        path = "/v1/turns/t/events"
        answer = httpx.get(f"http://127.0.0.1:{behind.documented}{path}")
        assert answer.status_code == 200
        assert answer.headers["content-type"] == "text/event-stream"
        assert answer.headers["cache-control"] == "no-store"
        assert answer.text == "retry: 1000\n\n"
        assert httpx.get(f"http://127.0.0.1:{behind.usual}{path}").status_code == 502
        assert httpx.get(f"http://127.0.0.1:{behind.documented}/livez").status_code == 502


LISTEN = """turn => {
  window.texts = [];
  window.source = new EventSource(`/v1/turns/${turn}/events`);
  source.addEventListener("delta", event => texts.push(JSON.parse(event.data).text));
}"""


@needs_chromium
def test_an_event_source_lives_through_a_restart_and_misses_nothing(
    behind: Behind, tmp_path: Path
) -> None:
    url = f"http://127.0.0.1:{behind.documented}"
    with httpx.Client(base_url=url) as client:
        turn = created(client)
        pushed(client, turn, 1, delta("before "))
        with page_of(f"{url}/docs", tmp_path, may_fail=True) as page:
            page.evaluate(LISTEN, turn)
            until(lambda: page.evaluate("() => texts.length === 1"))
            with behind.away():
                until(lambda: page.evaluate("() => source.readyState === EventSource.CONNECTING"))
            until(lambda: client.get("/readyz").status_code == 200)
            pushed(client, turn, 2, delta("after"))
            until(lambda: page.evaluate("() => texts.length === 2"))
            assert page.evaluate("() => texts.join('')") == "before after"
            page.evaluate("() => source.close()")
