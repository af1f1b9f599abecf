from collections.abc import Iterator, Mapping
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citestream.targets import (
    Account,
    AccountRef,
    Accounts,
    TargetInputError,
    account_path,
    account_ref,
    accounts_of_rows,
)
from citestream.targets.accounts import MOST_ACCOUNTS, pool

CHECKING = "Lr5nQ8_wT-2bXy7KdEoJc1MvZa4PiSh9UgFk0"
SAVINGS = "a3d0f6b8-92e1-4c57-b6aa-1e40c7d9f835"


class WatchedRow(Mapping[str, object]):
    """A row that remembers which columns were read."""

    def __init__(self, values: dict[str, object]) -> None:
        self.values_by_column = values
        self.read: set[str] = set()

    def __getitem__(self, column: str) -> object:
        self.read.add(column)
        return self.values_by_column[column]

    def __iter__(self) -> Iterator[str]:
        raise AssertionError("the columns were listed")

    def __len__(self) -> int:
        raise AssertionError("the columns were counted")


def test_only_the_named_columns_are_read() -> None:
    row = WatchedRow({"clerk_id": SAVINGS, "access_token": SAVINGS, "name": "Checking"})
    assert account_ref(row) is None
    assert row.read == {
        "source",
        "source_account_id",
        "snaptrade_account_id",
        "manual_account_uuid",
        "account_uuid",
        "account_id",
    }


@pytest.mark.parametrize("row", [None, 17, "account_id", [CHECKING], [("account_id", CHECKING)]])
def test_what_is_no_row_names_no_account(row: object) -> None:
    assert account_ref(row) is None


@pytest.mark.parametrize("source", [0, False, 17, [], ["plaid"], {"plaid": 1}, " ", "plaid "])
def test_odd_source_names_no_account(source: object) -> None:
    assert account_ref({"source": source, "source_account_id": CHECKING}) is None


@pytest.mark.parametrize(
    "account_id",
    [
        17,
        ["a" * 16],
        "a" * 15,
        "a" * 129,
        "1" * 16,
        "a" * 16 + "\n",
        "1" * 16 + "\n",
        "é" * 16,
        "１" * 16,
        "a" * 15 + ".",
        "a" * 15 + "\ud83d",
    ],
)
def test_value_that_is_no_id(account_id: object) -> None:
    assert account_ref({"account_id": account_id}) is None


@pytest.mark.parametrize("account_id", ["a" * 16, "a" * 128, "1" * 15 + "-", "_" * 16])
def test_value_that_is_an_id(account_id: str) -> None:
    assert account_ref({"account_id": account_id}) == AccountRef(account_id, None)


@pytest.mark.parametrize("rows", [None, 17, "", "ab", {"a": 1}, [], [None], [[]], iter([])])
def test_what_are_no_rows_cover_no_account(rows: object) -> None:
    assert accounts_of_rows(rows) is None


def test_as_many_accounts_as_may_stand_behind_one_label() -> None:
    rows = [{"account_id": f"account-{n:08}"} for n in range(MOST_ACCOUNTS + 1)]
    target = accounts_of_rows(rows[:-1] * 2)
    assert isinstance(target, Accounts)
    assert len(target.accounts) == MOST_ACCOUNTS
    assert accounts_of_rows(rows) is None
    last = Account(accountId="account-of-another", provider=None)
    assert pool(target, last) is None
    assert pool(target, Account(accountId="account-00000000", provider=None)) == target


def test_provider_known_later_is_filled_in_and_a_conflict_is_none() -> None:
    unknown = Account(accountId=SAVINGS, provider=None)
    plaid = Account(accountId=SAVINGS, provider="plaid")
    assert pool(unknown, plaid) == pool(plaid, unknown) == plaid
    assert pool(plaid, Account(accountId=SAVINGS, provider="manual")) == unknown


def test_pool_covers_each_account_once_in_the_order_first_seen() -> None:
    both = Accounts(accounts=(AccountRef(SAVINGS, "manual"), AccountRef(CHECKING, None)))
    assert pool(both, Account(accountId=CHECKING, provider="plaid")) == Accounts(
        accounts=(AccountRef(SAVINGS, "manual"), AccountRef(CHECKING, "plaid"))
    )


@given(st.text(min_size=1, alphabet=st.characters(exclude_categories=["Cs"])))
def test_path_is_one_segment_that_gives_the_id_back(account_id: str) -> None:
    if account_id in (".", ".."):
        return
    path = account_path(account_id)
    segment = path.removeprefix("/accounts/")
    assert path.isascii()
    assert unquote(segment) == account_id
    assert not set(segment) & set('/?#\\ "<>')


@pytest.mark.parametrize("account_id", ["", ".", "..", "a\ud83d", "\udc00"])
def test_id_that_no_path_can_carry_is_refused_without_an_echo(account_id: str) -> None:
    with pytest.raises(TargetInputError) as caught:
        account_path(account_id)
    assert caught.value.field == "accountId"
    assert "\\u" not in ascii(str(caught.value))


@pytest.mark.parametrize("account_id", ["...", ".a", "%2e%2e"])
def test_id_that_only_looks_like_a_way_up_is_escaped(account_id: str) -> None:
    assert account_path(account_id) == f"/accounts/{account_id.replace('%', '%25')}"
