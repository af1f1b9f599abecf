"""What is said where the libraries of an extra are missing."""

from collections.abc import Iterator

import pytest

from citestream import extras


@pytest.fixture(autouse=True)
def _afresh() -> Iterator[None]:
    extras.require_service.cache_clear()
    yield
    extras.require_service.cache_clear()


def test_with_the_service_installed_nothing_is_said() -> None:
    extras.require_service()


def test_what_is_missing_is_named_with_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extras, "SERVICE", ("anyio", "no_such_library_here"))
    with pytest.raises(ImportError) as refused:
        extras.require_service()
    assert "no_such_library_here: pip install 'citestream[service]'" in str(refused.value)
    assert refused.value.name == "no_such_library_here"
