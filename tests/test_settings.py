"""Settings out of the environment."""

import pytest
from pydantic import ValidationError

from citestream.settings import Settings, slips


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
    ("text", "names"),
    [
        ("http://localhost:3000", ["http://localhost:3000"]),
        (
            " http://a.example , https://b.example:8443,",
            ["http://a.example", "https://b.example:8443"],
        ),
        ('["http://a.example"]', ["http://a.example"]),
        ("", []),
        ("[]", []),
    ],
)
def test_a_list_is_read_by_commas_or_as_json(
    monkeypatch: pytest.MonkeyPatch, text: str, names: list[str]
) -> None:
    monkeypatch.setenv("CITESTREAM_CORS_ORIGINS", text)
    assert Settings().cors_origins == names


@pytest.mark.parametrize("text", ['["http://a.example"', "[1]", '["*"]', "*"])
def test_a_list_that_cannot_be_read_names_its_setting(
    monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.setenv("CITESTREAM_CORS_ORIGINS", text)
    with pytest.raises(ValidationError, match="cors_origins"):
        Settings()


@pytest.mark.parametrize(
    ("name", "text", "rule"),
    [
        ("STORE_URL", "turns.db", "must be sqlite:///FILE"),
        ("STORE_URL", "sqlite:///", "must be sqlite:///FILE"),
        ("STORE_URL", "postgresql://localhost/turns", "must be sqlite:///FILE"),
        ("CORS_ORIGINS", "localhost:3000", "such as http://localhost:3000"),
        ("CORS_ORIGINS", "http://localhost:3000/", "without a path"),
        ("CORS_ORIGINS", '["http://a', "separated by commas, or a JSON list"),
        ("WEB_TOOLS", '{"a": 1}', "separated by commas, or a JSON list"),
        ("ALLOWED_HOSTS", "https://app.example.org", "a host name without scheme"),
        ("TRUSTED_PROXIES", "proxy", "an IP address, such as 127.0.0.1"),
        ("TRUSTED_PROXIES", "10.0.0.0/8", "an IP address, such as 127.0.0.1"),
    ],
)
def test_a_wrong_setting_says_what_is_right(
    monkeypatch: pytest.MonkeyPatch, name: str, text: str, rule: str
) -> None:
    monkeypatch.setenv(f"CITESTREAM_{name}", text)
    with pytest.raises(ValidationError) as refused:
        Settings()
    [error] = refused.value.errors()
    assert rule in error["msg"]


def test_names_and_addresses_are_lists(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CITESTREAM_ALLOWED_HOSTS", "app.example.org, *")
    monkeypatch.setenv("CITESTREAM_TRUSTED_PROXIES", "127.0.0.1,::1")
    assert Settings().allowed_hosts == ["app.example.org", "*"]
    assert Settings().trusted_proxies == ["127.0.0.1", "::1"]


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("CITESTREAM_PROT", "CITESTREAM_PORT"),
        ("CITESTREAM_STOREURL", "CITESTREAM_STORE_URL"),
        ("CITESTREAM_CORS_ORIGIN", "CITESTREAM_CORS_ORIGINS"),
        ("CITESTREAM_SERVICE_HOST", ""),
        ("CITESTREAM_PORT_8321_TCP_PROTO", ""),
    ],
)
def test_a_name_near_a_setting_is_a_slip(
    monkeypatch: pytest.MonkeyPatch, name: str, near: str
) -> None:
    monkeypatch.setenv(name, "1")
    assert slips()[name] == near


def test_settings_are_no_slips(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CITESTREAM_PORT", "1")
    monkeypatch.setenv("citestream_host", "::1")
    assert not slips().keys() & {"CITESTREAM_PORT", "citestream_host"}


def test_the_web_tools_are_a_list_and_by_default_the_usual_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert Settings().web_tools is None
    monkeypatch.setenv("CITESTREAM_WEB_TOOLS", '["web_search", "a,b"]')
    assert Settings().web_tools == ["web_search", "a,b"]


def test_settings_do_not_change() -> None:
    with pytest.raises(ValidationError):
        Settings().port = 1  # type: ignore[misc]


def test_every_setting_is_described() -> None:
    assert all(field.description for field in Settings.model_fields.values())
