"""The application, built."""

import asyncio
from pathlib import Path
from typing import Any

import anyio.to_thread
import httpx
import pytest
from pydantic import ValidationError

from citestream.main import WORK_THREADS, SettingError, create_app
from citestream.settings import Settings
from tests.serving import with_own_store


def test_each_application_has_its_own_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CITESTREAM_PORT", "1234")
    first, second = create_app(), create_app(Settings(port=5678))
    assert first.state.settings.port == 1234
    assert second.state.settings.port == 5678


def test_long_work_gets_few_threads() -> None:
    async def scene() -> float:
        app = create_app(with_own_store(Settings()))
        async with app.router.lifespan_context(app):
            return anyio.to_thread.current_default_thread_limiter().total_tokens

    assert asyncio.run(scene()) == WORK_THREADS


PRESETS: list[tuple[bytes, str]] = [
    (b'scheme = "acme"\n[tool]\n"<url>" = "nonsense"\n', "line 3: the kind must be one of"),
    (b'scheme = "acme"\n[tool\n', "line 2: "),
    (b"", "line 1: the file ends without a scheme"),
    (b'scheme = "\xff"', "the file is not UTF-8"),
]


@pytest.mark.parametrize(("text", "problem"), PRESETS)
def test_a_bad_preset_is_refused_with_its_line(tmp_path: Path, text: bytes, problem: str) -> None:
    preset = tmp_path / "preset.toml"
    preset.write_bytes(text)
    with pytest.raises(SettingError) as refused:
        create_app(Settings(target_preset=preset))
    assert str(refused.value).startswith(f"CITESTREAM_TARGET_PRESET: {problem}")


def test_a_preset_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="CITESTREAM_TARGET_PRESET: No such file"):
        create_app(Settings(target_preset=tmp_path / "none.toml"))


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("context_scheme", "T3"),
        ("context_quote_scheme", "a b"),
        ("context_envelope", "context"),
    ],
)
def test_a_bad_name_of_context_is_refused(setting: str, value: str) -> None:
    given: dict[str, Any] = {setting: value}
    with pytest.raises(SettingError, match=f"CITESTREAM_{setting.upper()}: "):
        create_app(Settings(**given))


PREFLIGHT = {
    "Access-Control-Request-Method": "POST",
    "Access-Control-Request-Headers": "content-type, last-event-id, authorization, x-api-key",
}
ALLOWED = "https://front.example"


def asked(origins: list[str], method: str, path: str, **headers: str) -> httpx.Response:
    async def run() -> httpx.Response:
        app = create_app(with_own_store(Settings(cors_origins=origins)))
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            return await client.request(method, path, headers=headers)

    return asyncio.run(run())


def cors(answer: httpx.Response) -> dict[str, str]:
    return {
        name.removeprefix("access-control-"): value
        for name, value in answer.headers.items()
        if name.startswith("access-control-")
    }


@pytest.mark.parametrize("path", ["/v1/turns", "/v1/stream", "/v1/turns/t/events"])
def test_a_listed_origin_may_call(path: str) -> None:
    told = asked([ALLOWED], "OPTIONS", path, Origin=ALLOWED, **PREFLIGHT)
    assert told.status_code == 200
    found = cors(told)
    assert found["allow-origin"] == ALLOWED
    assert found["allow-methods"] == "GET, HEAD, POST, DELETE"
    allowed = {name.lower() for name in found["allow-headers"].split(", ")}
    assert {"content-type", "last-event-id", "authorization", "x-api-key"} <= allowed
    assert found["allow-credentials"] == "true"
    assert told.headers["vary"].startswith("Origin")


def test_a_listed_origin_may_read_also_what_is_refused() -> None:
    for path, status in (("/livez", 200), ("/v1/extract", 405), ("/v1/nothing", 404)):
        answer = asked([ALLOWED, "http://localhost:3000"], "GET", path, Origin=ALLOWED)
        found = cors(answer)
        assert (answer.status_code, found["allow-origin"]) == (status, ALLOWED)
        assert found["expose-headers"] == "Retry-After, X-Request-Id"


@pytest.mark.parametrize(
    "origin",
    [
        "https://front.example.evil",
        "https://evil.front.example",
        "http://front.example",
        "https://front.example:444",
        "https://FRONT.example",
        "null",
        "*",
        "",
    ],
)
def test_another_origin_may_not(origin: str) -> None:
    answer = asked([ALLOWED], "GET", "/livez", Origin=origin)
    assert "allow-origin" not in cors(answer)
    told = asked([ALLOWED], "OPTIONS", "/v1/turns", Origin=origin, **PREFLIGHT)
    assert "allow-origin" not in cors(told)


def test_by_default_no_origin_may() -> None:
    assert cors(asked([], "GET", "/livez", Origin=ALLOWED)) == {}
    assert asked([], "OPTIONS", "/v1/turns", Origin=ALLOWED, **PREFLIGHT).status_code == 403


@pytest.mark.parametrize(
    "origin",
    ["*", "https://*.example", "front.example", "https://a.example/", "https://u@a.example"],
)
def test_an_origin_that_is_not_exact_is_no_setting(origin: str) -> None:
    with pytest.raises(ValidationError):
        Settings(cors_origins=[origin])
