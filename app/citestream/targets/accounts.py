"""The user's accounts: ids read from rows, pooled into one target, and their page's path.

Of a row nothing but the columns named here is read, whatever else it holds (S3, privacy). This
file knows nothing of sources or turns.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final
from urllib.parse import quote

from citestream.targets.errors import TargetInputError
from citestream.targets.kinds import PROVIDERS, Account, AccountRef, Accounts, Provider

MOST_ACCOUNTS: Final = 256
"""More accounts than this behind one label leave the label untyped."""

# The columns after the unified views' own, in the order in which they are asked (S3). Plaid's and
# SnapTrade's tables share the last name, so it never says a provider.
_OTHER_COLUMNS: Final[tuple[tuple[str, Provider | None], ...]] = (
    ("snaptrade_account_id", "snaptrade"),
    ("manual_account_uuid", "manual"),
    ("account_uuid", "manual"),
    ("account_id", None),
)
ROUTING_COLUMNS: Final = (
    "source",
    "source_account_id",
    *(column for column, _ in _OTHER_COLUMNS),
)
"""All columns that are read; they say where a click leads and are not for a reader's eyes."""
_ID: Final = re.compile(r"(?![0-9]+\Z)[A-Za-z0-9_-]{16,128}")


def account_ref(row: object) -> AccountRef | None:
    """Return the account that a row names, or None.

    A `source` other than the providers names no account, whatever else the row holds; one that is
    missing, null or empty is not known. An id that does not count lets the next column speak.
    """
    if not isinstance(row, Mapping):
        return None
    source = row.get("source")
    provider = next((name for name in PROVIDERS if name == source), None)
    if provider is None and source is not None and source != "":
        return None
    for column, said in (("source_account_id", provider), *_OTHER_COLUMNS):
        value = row.get(column)
        if isinstance(value, str) and _ID.fullmatch(value):
            return AccountRef(value, said)
    return None


def accounts_of_rows(rows: object) -> Account | Accounts | None:
    """Return the target of all `rows` behind one label; None when any row names no account."""
    if not isinstance(rows, Sequence):
        return None
    refs: list[AccountRef] = []
    for row in rows:
        ref = account_ref(row)
        if ref is None:
            return None
        refs.append(ref)
    return _covering(refs)


def pool(first: Account | Accounts, second: Account | Accounts) -> Account | Accounts | None:
    """Return the target that covers the accounts of both, None when they are too many."""
    return _covering([*_refs(first), *_refs(second)])


def _refs(target: Account | Accounts) -> tuple[AccountRef, ...]:
    if isinstance(target, Accounts):
        return target.accounts
    return (AccountRef(target.accountId, target.provider),)


def _covering(refs: Iterable[AccountRef]) -> Account | Accounts | None:
    """Return one target for `refs`: each account once, in the order first seen.

    A provider that is known fills one that is not; two that differ leave it unknown.
    """
    covered: dict[str, AccountRef] = {}
    conflicting: set[str] = set()  # kept apart, so that a third ref does not fill them again
    for ref in refs:
        first = covered.setdefault(ref.accountId, ref)
        if first.provider is None:
            covered[ref.accountId] = ref
        elif ref.provider not in (None, first.provider):
            conflicting.add(ref.accountId)
    for account_id in conflicting:
        covered[account_id] = AccountRef(account_id, None)
    if not covered or len(covered) > MOST_ACCOUNTS:
        return None
    if len(covered) > 1:
        return Accounts(accounts=tuple(covered.values()))
    (only,) = covered.values()
    return Account(accountId=only.accountId, provider=only.provider)


def account_path(account_id: str) -> str:
    """Return the path of an account's page, the id escaped as encodeURIComponent does.

    Raises TargetInputError for an id that no path segment can carry: empty, `.`, `..` (a browser
    would resolve them away), or half a surrogate pair.
    """
    if account_id in ("", ".", ".."):
        raise TargetInputError("accountId", "must not be empty, '.' or '..'")
    try:
        return "/accounts/" + quote(account_id, safe="!~*'()")
    except UnicodeEncodeError:
        raise TargetInputError("accountId", "must not hold a lone surrogate") from None
