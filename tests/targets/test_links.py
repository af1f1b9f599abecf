from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citestream.targets import (
    Account,
    Accounts,
    Analysis,
    DeclaredTarget,
    MarketData,
    Preset,
    Target,
    TaxReference,
    Web,
    account_path,
    load_preset,
    target_link,
)
from citestream.targets.links import link_template

PAGE = "https://example.org/p"
OWN = load_preset(
    'scheme = "desk"\nlink.mail = "https://mail.example.org/#/<folder>/<messageId>"\n'
    'link.market_data = "/quotes?of=<ticker>"\nlink.web = "/reader?of=<url>"\n[kind.mail]\n'
    'messageId = "string"\nfolder = "string?"\nurl = "url?"\n'
).links


def mail(**fields: str | None) -> DeclaredTarget:
    return DeclaredTarget(kind="mail", fields=tuple(fields.items()))


@pytest.mark.parametrize(
    ("target", "link"),
    [
        (
            mail(messageId="m/17 \u00e9", folder="in"),
            "https://mail.example.org/#/in/m%2F17%20%C3%A9",
        ),
        (mail(messageId="m", folder=None, url=PAGE), PAGE),
        (mail(messageId="m", folder=None, url=None), None),
        (mail(messageId="m", folder=None, url="javascript:1"), None),
        (MarketData(ticker="A=F"), "/quotes?of=A%3DF"),
        (Web(url=PAGE), "/reader?of=https%3A%2F%2Fexample.org%2Fp"),
        (TaxReference(url=PAGE), PAGE),
        (TaxReference(url=None), None),
        (Account(accountId="a", provider="plaid"), None),
        (Analysis(), None),
        (Accounts(accounts=()), None),
    ],
)
def test_link_of_a_target(target: Target, link: str | None) -> None:
    assert target_link(target, OWN) == link


@pytest.mark.parametrize("segment", [".", ".."])
def test_segment_that_a_browser_resolves_away_makes_no_link(segment: str) -> None:
    template = link_template("/m/<id>?of=<id>")
    assert template is not None
    assert template.fill({"id": segment}) is None
    assert template.fill({"id": f"{segment}a"}) == f"/m/{segment}a?of={segment}a"
    assert template.fill({"id": ""}) is None


@given(account_id=st.text(st.characters(exclude_categories=["Cs"]), min_size=1))
def test_shipped_preset_opens_an_account_where_s3_says(account_id: str, preset: Preset) -> None:
    link = target_link(Account(accountId=account_id, provider=None), preset.links)
    if account_id in (".", ".."):
        assert link is None
    else:
        assert link == account_path(account_id)
        assert unquote(link) == f"/accounts/{account_id}"
