"""The application, built."""

import asyncio
from pathlib import Path
from typing import Any

import anyio.to_thread
import pytest

from citestream.main import WORK_THREADS, SettingError, create_app
from citestream.settings import Settings
from tests.server import with_own_store


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
