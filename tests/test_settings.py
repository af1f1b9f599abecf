"""Settings out of the environment."""

import pytest
from pydantic import ValidationError

from citestream.settings import Settings


@pytest.fixture(autouse=True)
def _clean(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in Settings.model_fields:
        monkeypatch.delenv(f"CITESTREAM_{name.upper()}", raising=False)


def test_the_defaults_serve_this_machine_alone() -> None:
    settings = Settings()
    assert (settings.host, settings.port) == ("127.0.0.1", 8321)
    assert (settings.ping_seconds, settings.send_seconds) == (15, 10)


def test_the_environment_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CITESTREAM_HOST", "::")
    monkeypatch.setenv("CITESTREAM_SEND_SECONDS", "2.5")
    assert (Settings().host, Settings().send_seconds) == ("::", 2.5)
    assert Settings(host="::1").host == "::1"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PORT", "65536"),
        ("PORT", "-1"),
        ("PORT", "http"),
        ("PING_SECONDS", "0"),
        ("SEND_SECONDS", "601"),
    ],
)
def test_what_cannot_be_is_refused(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(f"CITESTREAM_{name}", value)
    with pytest.raises(ValidationError, match=name.lower()):
        Settings()


@pytest.mark.parametrize(
    ("text", "tools"),
    [
        ("web_search", ["web_search"]),
        (" web_search, tavily ,", ["web_search", "tavily"]),
        ('["web_search", "a,b"]', ["web_search", "a,b"]),
        ("", []),
        ("[]", []),
    ],
)
def test_a_list_is_read_by_commas_or_as_json(
    monkeypatch: pytest.MonkeyPatch, text: str, tools: list[str]
) -> None:
    monkeypatch.setenv("CITESTREAM_WEB_TOOLS", text)
    monkeypatch.setenv("CITESTREAM_CORS_ORIGINS", "http://localhost:3000, https://example.org")
    assert Settings().web_tools == tools
    assert Settings().cors_origins == ["http://localhost:3000", "https://example.org"]


@pytest.mark.parametrize("text", ["[", '["a", 1]', '{"a": 1}]', "[[]]"])
def test_a_list_that_is_none_is_refused(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("CITESTREAM_CORS_ORIGINS", text)
    with pytest.raises(ValidationError, match="cors_origins"):
        Settings()


def test_no_list_of_web_tools_is_the_usual_one() -> None:
    assert Settings().web_tools is None


def test_settings_do_not_change() -> None:
    with pytest.raises(ValidationError):
        Settings().port = 1  # type: ignore[misc]


def test_every_setting_is_described() -> None:
    assert all(field.description for field in Settings.model_fields.values())
