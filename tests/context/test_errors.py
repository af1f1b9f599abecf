"""Errors name the field and the rule."""

from citestream.context import ContextError, ProviderTextLimitError


def test_an_error_names_field_and_rule() -> None:
    assert str(ContextError("kind", "a lower-case letter")) == "kind: a lower-case letter"


def test_the_limit_error_is_a_context_error_that_counts() -> None:
    error = ProviderTextLimitError(1_234, 120_000)
    assert isinstance(error, ContextError)
    assert (error.field, error.over, error.limit) == ("text", 1_234, 120_000)
    assert "1,234 characters over the 120,000" in str(error)
