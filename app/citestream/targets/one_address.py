"""One address for a part and its target, so that every way to it leads to the same page.

This file knows no tool and no table.
"""

from dataclasses import replace

from citestream.targets.addresses import humanize_url
from citestream.targets.kinds import (
    CardDocument,
    MortgageReference,
    Target,
    TaxReference,
    target_json,
)


def one_address(target: Target | None, url: str | None) -> tuple[Target | None, str | None]:
    """Return a part's own target and its address as a reader gets them.

    Of a document both are the readable page (`humanize_url`); a part without an address has its
    target's.
    """
    if isinstance(target, (TaxReference, CardDocument, MortgageReference)):
        if target.url is not None:
            target = replace(target, url=humanize_url(target.url))
        url = url and humanize_url(url)
    return target, url or target_address(target)


def target_address(target: Target | None) -> str | None:
    """Return the address that a target has, None without one."""
    address = (target_json(target) or {}).get("url")
    return address if isinstance(address, str) else None
