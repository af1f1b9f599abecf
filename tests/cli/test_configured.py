"""Settings of a command: flags win over the environment, a wrong one is named and not repeated."""

from pathlib import Path

import pytest

from citestream.cli.configured import preset_of, settings_of
from citestream.cli.outcomes import WRONG, Failure
from citestream.targets import shipped_preset


def test_flags_win(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CITESTREAM_PORT", "9000")
    assert settings_of(port=None).port == 9000
    assert settings_of(port=9001).port == 9001


def test_a_wrong_setting_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CITESTREAM_PORT", "seventy")
    with pytest.raises(Failure) as failure:
        settings_of()
    assert failure.value.status == WRONG
    assert str(failure.value).startswith("CITESTREAM_PORT: ")
    assert "seventy" not in str(failure.value)


def test_the_preset_is_the_shipped_one_or_the_one_that_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert preset_of(settings_of()) is shipped_preset()
    named = tmp_path / "desk.toml"
    named.write_text('scheme = "desk"', encoding="utf-8-sig")
    monkeypatch.setenv("CITESTREAM_TARGET_PRESET", str(named))
    assert preset_of(settings_of()).scheme == "desk"
    named.write_text('scheme = "Desk"', encoding="utf-8")
    with pytest.raises(Failure, match=r"^CITESTREAM_TARGET_PRESET: line 1: ") as failure:
        preset_of(settings_of())
    assert failure.value.status == WRONG
