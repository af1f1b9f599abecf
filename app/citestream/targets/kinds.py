"""What a citation may point at: the kinds of target as one tagged union, and their JSON.

Field names are the wire's names (S3), so that one spelling serves Python, JSON and schemas. This
file knows nothing of tools, sources or rows.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Final, Literal, TypeAlias, get_args

from citestream.targets.addresses import is_openable
from citestream.targets.declared import DeclaredKind, DeclaredTarget

JsonObject: TypeAlias = dict[str, object]

Provider: TypeAlias = Literal["plaid", "manual", "snaptrade"]
PROVIDERS: Final[tuple[Provider, ...]] = get_args(Provider)


@dataclass(frozen=True, slots=True)
class AccountRef:
    """One account of the user; `provider` is for routing only, None when the rows did not say."""

    accountId: str  # noqa: N815
    provider: Provider | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Web:
    """A web page."""

    kind: Literal["web"] = "web"
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TaxReference:
    """A tax document, with the address of its page when it has one."""

    kind: Literal["tax_reference"] = "tax_reference"
    url: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CardDocument:
    """A credit card document, with the address of its page when it has one."""

    kind: Literal["card_document"] = "card_document"
    url: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class MortgageReference:
    """A mortgage document, with the address of its page when it has one."""

    kind: Literal["mortgage_reference"] = "mortgage_reference"
    url: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class MarketData:
    """Market data of one ticker."""

    kind: Literal["market_data"] = "market_data"
    ticker: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """A computation."""

    kind: Literal["analysis"] = "analysis"


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """One account of the user."""

    kind: Literal["account"] = "account"
    accountId: str  # noqa: N815
    provider: Provider | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Accounts:
    """Several accounts of the user; the citation covers all of them."""

    kind: Literal["accounts"] = "accounts"
    accounts: tuple[AccountRef, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Portfolio:
    """The user's portfolio as a whole."""

    kind: Literal["portfolio"] = "portfolio"


Document: TypeAlias = TaxReference | CardDocument | MortgageReference
BuiltInTarget: TypeAlias = Web | Document | MarketData | Analysis | Account | Accounts | Portfolio
"""A target of a kind that every product has; `kind` tells the members apart."""
Target: TypeAlias = BuiltInTarget | DeclaredTarget
"""What a citation points at; `kind` tells the members apart."""


def target_json(target: Target | None) -> JsonObject | None:
    """Return the JSON object of a target, `kind` first; None (untyped) stays None."""
    if target is None:
        return None
    if isinstance(target, DeclaredTarget):
        return {"kind": target.kind, **dict(target.fields)}
    if isinstance(target, Accounts):
        return {"kind": target.kind, "accounts": [account_json(ref) for ref in target.accounts]}
    return {field.name: getattr(target, field.name) for field in fields(target)}


def account_json(ref: AccountRef) -> JsonObject:
    """Return the JSON object of one account."""
    return {"accountId": ref.accountId, "provider": ref.provider}


# --- reading --------------------------------------------------------------------------------------


def parse_target(
    value: object, declared: Mapping[str, DeclaredKind] | None = None
) -> Target | None:
    """Read a target as a forward compatible reader does (S3); never raises.

    `declared` are the kinds of the product's preset by name. None for a kind that is not known or a
    malformed value: the reader then falls back to source and title. Keys that are not known are
    dropped; a provider that is not known becomes None.
    """
    if not isinstance(value, Mapping):
        return None
    kind = value.get("kind")
    if not isinstance(kind, str):
        return None
    if read := _READERS.get(kind):
        return read(value)
    own = (declared or {}).get(kind)
    return own.read(value) if own else None


def written_target(value: JsonObject | None) -> Target | None:
    """Return the target that `target_json` wrote as `value`, whatever kinds are declared now.

    Only for what this process or an earlier one wrote itself: a running turn keeps its targets when
    the service restarts with another preset.
    """
    if value is None:
        return None
    kind = str(value["kind"])
    if read := _READERS.get(kind):
        return read(value)
    fields = (
        (name, None if field is None else str(field))
        for name, field in value.items()
        if name != "kind"
    )
    return DeclaredTarget(kind=kind, fields=tuple(fields))


_LONE_SURROGATE: Final = re.compile(r"[\ud800-\udfff]")


def _text(value: object) -> str | None:
    """Return a string that is not empty and whole Unicode: half a character names nothing."""
    if not isinstance(value, str) or not value or _LONE_SURROGATE.search(value):
        return None
    return value


def _web(value: Mapping[str, object]) -> Web | None:
    url = value.get("url")
    return Web(url=url) if is_openable(url) else None


def _document(kind: type[Document]) -> Callable[[Mapping[str, object]], Document | None]:
    def read(value: Mapping[str, object]) -> Document | None:
        # A document says that it has no address; a missing key says nothing.
        url = value.get("url", "")
        if url is None:
            return kind(url=None)
        return kind(url=url) if is_openable(url) else None

    return read


def _market_data(value: Mapping[str, object]) -> MarketData | None:
    ticker = _text(value.get("ticker"))
    return MarketData(ticker=ticker) if ticker else None


def _account_ref(value: object) -> AccountRef | None:
    account_id = _text(value.get("accountId")) if isinstance(value, Mapping) else None
    if not isinstance(value, Mapping) or account_id is None:
        return None
    provider = value.get("provider")
    return AccountRef(account_id, next((name for name in PROVIDERS if name == provider), None))


def _account(value: Mapping[str, object]) -> Account | None:
    ref = _account_ref(value)
    return Account(accountId=ref.accountId, provider=ref.provider) if ref else None


def _accounts(value: Mapping[str, object]) -> Accounts | None:
    listed = value.get("accounts")
    if not isinstance(listed, (list, tuple)):
        return None
    refs = tuple(ref for ref in map(_account_ref, listed) if ref)
    # One bad member spoils the list, which claims to cover all.
    return Accounts(accounts=refs) if refs and len(refs) == len(listed) else None


_READERS: Final[Mapping[str, Callable[[Mapping[str, object]], Target | None]]] = {
    "web": _web,
    "tax_reference": _document(TaxReference),
    "card_document": _document(CardDocument),
    "mortgage_reference": _document(MortgageReference),
    "market_data": _market_data,
    "analysis": lambda _: Analysis(),
    "account": _account,
    "accounts": _accounts,
    "portfolio": lambda _: Portfolio(),
}

BUILT_IN_KINDS: Final = frozenset(_READERS)
"""The names of the kinds that every product has; no preset declares them."""
