"""Settings of a command: flags win over the environment, a wrong one is named and not repeated."""

import pytest

from citestream.cli.configured import settings_of
from citestream.cli.outcomes import WRONG, Failure


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
