from dataclasses import FrozenInstanceError, asdict
from typing import Annotated, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field, TypeAdapter, ValidationError

from citestream.targets import (
    BUILT_IN_KINDS,
    AccountRef,
    Accounts,
    Analysis,
    BuiltInTarget,
    DeclaredField,
    DeclaredKind,
    MarketData,
    Web,
    account_json,
    parse_target,
    target_json,
    written_target,
)

KINDS = {
    "web",
    "tax_reference",
    "card_document",
    "mortgage_reference",
    "market_data",
    "analysis",
    "account",
    "accounts",
    "portfolio",
}
word = st.text(alphabet="Aa0-_.é 储", min_size=1)
url = word.map(lambda path: f"https://example.org/{path.replace(' ', '')}")
ref = st.fixed_dictionaries(
    {"accountId": word, "provider": st.sampled_from([None, "plaid", "manual", "snaptrade"])}
)
document = st.sampled_from(["tax_reference", "card_document", "mortgage_reference"])
well_formed = st.one_of(
    st.fixed_dictionaries({"kind": st.just("web"), "url": url}),
    st.fixed_dictionaries({"kind": document, "url": st.none() | url}),
    st.fixed_dictionaries({"kind": st.just("market_data"), "ticker": word}),
    st.fixed_dictionaries({"kind": st.sampled_from(["analysis", "portfolio"])}),
    ref.map(lambda fields: {"kind": "account", **fields}),
    st.fixed_dictionaries({"kind": st.just("accounts"), "accounts": st.lists(ref, min_size=1)}),
)
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=6,
)
malformed = st.fixed_dictionaries(
    {"kind": st.sampled_from([*sorted(KINDS), "crypto", ""]) | anything},
    optional=dict.fromkeys(("url", "ticker", "accountId", "provider", "accounts"), anything),
)


def test_kinds_are_spelled_as_in_s3() -> None:
    assert {
        member.__dataclass_fields__["kind"].default for member in get_args(BuiltInTarget)
    } == KINDS
    assert KINDS == BUILT_IN_KINDS


@given(well_formed)
def test_what_is_well_formed_is_read_and_written_as_it_came(value: dict[str, object]) -> None:
    target = parse_target(value)
    assert target is not None
    assert target_json(target) == value
    assert next(iter(target_json(target) or {})) == "kind"


@given(well_formed, anything)
def test_unknown_keys_are_dropped(value: dict[str, object], extra: object) -> None:
    assert parse_target({**value, "added later": extra}) == parse_target(value)


@given(anything | malformed)
def test_any_value_is_read_without_an_error(value: object) -> None:
    target = parse_target(value)
    assert parse_target(target_json(target)) == target


@pytest.mark.parametrize(
    "value",
    [
        {"kind": ["web"], "url": "https://example.org/"},
        {"kind": "web"},
        {"kind": "web", "url": 17},
        {"kind": "tax_reference", "url": ""},
        {"kind": "tax_reference", "url": ["https://example.org/"]},
        {"kind": "market_data", "ticker": 17},
        {"kind": "market_data", "ticker": "\ud83d"},
        {"kind": "account", "accountId": "a\udc00"},
        {"kind": "account"},
        {"kind": "accounts", "accounts": {"accountId": "a"}},
        {"kind": "accounts", "accounts": "ab"},
        {"kind": "accounts", "accounts": [None]},
        "web",
        17,
    ],
)
def test_malformed_value_is_no_target(value: object) -> None:
    assert parse_target(value) is None


MAIL = DeclaredKind(
    "mail", (DeclaredField("messageId", "string"), DeclaredField("thread", "string", nullable=True))
)


def test_declared_kind_is_read_where_it_is_declared() -> None:
    value = {"kind": "mail", "messageId": "m-17", "thread": None}
    assert target_json(parse_target(value, {"mail": MAIL})) == value
    assert parse_target(value) is None
    assert parse_target({**value, "messageId": ""}, {"mail": MAIL}) is None
    assert parse_target({"kind": "analysis"}, {"mail": MAIL}) == Analysis()


@given(well_formed | st.just({"kind": "mail", "messageId": "m", "thread": None}))
def test_what_was_written_is_read_back_whatever_is_declared(value: dict[str, object]) -> None:
    target = parse_target(value, {"mail": MAIL})
    assert target is not None
    assert written_target(target_json(target)) == target
    assert written_target(None) is None


@pytest.mark.parametrize("provider", ["mx", "Plaid", "", 1, ["plaid"], {"plaid": 1}])
def test_unknown_provider_keeps_the_account(provider: object) -> None:
    target = parse_target({"kind": "account", "accountId": "a", "provider": provider})
    assert target_json(target) == {"kind": "account", "accountId": "a", "provider": None}


def test_deep_nesting_is_not_followed() -> None:
    deep: object = "x"
    for _ in range(100_000):
        deep = [deep]
    assert parse_target({"kind": "analysis", "note": deep}) == Analysis()
    assert parse_target({"kind": "accounts", "accounts": deep}) is None


def test_targets_are_values() -> None:
    target = MarketData(ticker="AAPL")
    with pytest.raises(FrozenInstanceError):
        target.ticker = "MSFT"  # type: ignore[misc]
    assert len({target, MarketData(ticker="AAPL"), Accounts(accounts=())}) == 2


def test_untyped_is_null_and_an_account_its_two_fields() -> None:
    assert target_json(None) is None
    assert account_json(AccountRef("a", "manual")) == {"accountId": "a", "provider": "manual"}


def test_union_is_discriminated_by_kind_in_a_schema() -> None:
    adapter: TypeAdapter[BuiltInTarget] = TypeAdapter(
        Annotated[BuiltInTarget, Field(discriminator="kind")]
    )
    assert set(adapter.json_schema()["discriminator"]["mapping"]) == KINDS
    target = adapter.validate_python({"kind": "web", "url": "https://example.org/"})
    assert target == Web(url="https://example.org/")
    assert asdict(target) == target_json(target)
    with pytest.raises(ValidationError):
        adapter.validate_python({"kind": "crypto"})
