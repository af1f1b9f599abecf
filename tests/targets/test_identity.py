from citestream.targets import (
    Account,
    AccountRef,
    Accounts,
    Analysis,
    CardDocument,
    DeclaredTarget,
    MarketData,
    Portfolio,
    TaxReference,
    Web,
    target_key,
)

PAGE = "https://example.org/p"


def test_a_provider_is_no_part_of_an_account() -> None:
    known = Account(accountId="a", provider="plaid")
    assert target_key(known) == target_key(Account(accountId="a", provider=None))
    both = (AccountRef("a", "plaid"), AccountRef("b", None))
    accounts = Accounts(accounts=both)
    assert target_key(accounts) == target_key(Accounts(accounts=both[::-1]))


def test_things_that_differ_have_keys_that_differ() -> None:
    targets = [
        Account(accountId="a", provider=None),
        Account(accountId="b", provider=None),
        Accounts(accounts=(AccountRef("a", None), AccountRef("b", None))),
        MarketData(ticker="A"),
        Web(url=PAGE),
        TaxReference(url=PAGE),
        CardDocument(url=PAGE),
        DeclaredTarget(kind="mail", fields=(("messageId", "a"), ("thread", None))),
        DeclaredTarget(kind="mail", fields=(("messageId", "a"), ("thread", "b"))),
    ]
    keys = {target_key(target) for target in targets}
    assert len(keys) == len(targets)
    assert None not in keys


def test_what_names_no_single_thing_has_none() -> None:
    nameless = DeclaredTarget(kind="note", fields=(("title", None),))
    for target in (Analysis(), Portfolio(), TaxReference(url=None), nameless):
        assert target_key(target) is None
