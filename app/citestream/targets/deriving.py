"""From one result of a tool to its source and target, by the rows of a preset.

One result at a time, without memory: what a source meant before is the registry's affair.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import unquote

from citestream.targets.accounts import ROUTING_COLUMNS, accounts_of_rows
from citestream.targets.addresses import humanize_url, is_openable
from citestream.targets.kinds import (
    Analysis,
    CardDocument,
    MarketData,
    MortgageReference,
    Portfolio,
    Target,
    TaxReference,
    Web,
)
from citestream.targets.preset import DOCUMENT_KINDS, DeclaredRow, Preset

# Tested before upper case: some other letters have ASCII capitals (a long s becomes S).
_TICKER: Final = re.compile(r"[A-Za-z0-9.\-:^=]{1,32}")


@dataclass(frozen=True, slots=True)
class Result:
    """What S3 reads of one result: its source, the rows of it, its sidecar's address.

    `fields` are all fields of the result by name; only a declared kind reads them. `rows`, `url`
    and `fields` are data: whatever they hold, nothing raises.
    """

    source: str
    rows: object = ()
    url: object = None
    fields: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Written:
    """A source as a citation will name it, and what it points at; None is untyped.

    `columns` are the columns that were read in the rows.
    """

    source: str
    target: Target | None
    columns: tuple[str, ...] = ()


def derive(tool: str, result: Result, preset: Preset) -> Written:
    """Return the source and the target of one result of `tool`.

    The source is the readable address where a reader's document has one, else the result's own.
    """
    table = preset.tools.get(tool)
    if table is None:
        return Written(result.source, None)
    if table.address_kind is not None:
        address = _address(table.address_kind, result)
        if address is not None:
            return Written(address, _addressed(table.address_kind, address, result, preset))
    scheme, separator, path = result.source.partition("://")
    if separator and scheme == preset.scheme:
        for row in table.paths:
            if isinstance(row, DeclaredRow):
                fields = row.fields(path)
                if fields is not None:
                    return Written(result.source, row.kind.read({**result.fields, **fields}))
            elif (tail := row.tail(path)) is not None:
                columns = ROUTING_COLUMNS if row.kind == "account" else ()
                return Written(result.source, _PATHS[row.kind](tail, result.rows), columns)
    return Written(result.source, None)


def _address(kind: str, result: Result) -> str | None:
    """Return the address that a result of this kind is cited by, or None."""
    if kind not in DOCUMENT_KINDS:
        return result.source if is_openable(result.source) else None
    for url in (result.url, result.source):
        if is_openable(url):
            return humanize_url(url)
    return None


def _addressed(kind: str, address: str, result: Result, preset: Preset) -> Target | None:
    declared = preset.kinds.get(kind)
    if declared is not None:
        return declared.read({**result.fields, "url": address})
    return _ADDRESSED[kind](address)


def _market_data(tail: str, _rows: object) -> MarketData | Analysis:
    ticker = unquote(tail)
    return MarketData(ticker=ticker.upper()) if _TICKER.fullmatch(ticker) else Analysis()


_ADDRESSED: Final[Mapping[str, Callable[[str], Target]]] = {
    "web": lambda url: Web(url=url),
    "tax_reference": lambda url: TaxReference(url=url),
    "card_document": lambda url: CardDocument(url=url),
    "mortgage_reference": lambda url: MortgageReference(url=url),
}
_PATHS: Final[Mapping[str, Callable[[str, object], Target | None]]] = {
    "tax_reference": lambda _tail, _rows: TaxReference(url=None),
    "card_document": lambda _tail, _rows: CardDocument(url=None),
    "mortgage_reference": lambda _tail, _rows: MortgageReference(url=None),
    "market_data": _market_data,
    "analysis": lambda _tail, _rows: Analysis(),
    "portfolio": lambda _tail, _rows: Portfolio(),
    "account": lambda _tail, rows: accounts_of_rows(rows),
}
