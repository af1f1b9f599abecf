import pytest

from citestream.targets import (
    Account,
    DeclaredTarget,
    MarketData,
    Target,
    TaxReference,
    Web,
    one_address,
    target_address,
)

PAGE = "https://www.ecfr.gov/current/title-26"
DOWNLOAD = "https://www.ecfr.gov/api/versioner/v1/full/current/title-26.xml"
OTHER = "https://example.org/p"
EVENT = DeclaredTarget(kind="event", fields=(("eventId", "e"), ("url", OTHER)))


@pytest.mark.parametrize(
    ("target", "url", "expected"),
    [
        (TaxReference(url=DOWNLOAD), DOWNLOAD, (TaxReference(url=PAGE), PAGE)),
        (TaxReference(url=PAGE), DOWNLOAD, (TaxReference(url=PAGE), PAGE)),
        (TaxReference(url=DOWNLOAD), None, (TaxReference(url=PAGE), PAGE)),
        (TaxReference(url=None), DOWNLOAD, (TaxReference(url=None), PAGE)),
        (TaxReference(url=None), None, (TaxReference(url=None), None)),
        (Web(url=DOWNLOAD), None, (Web(url=DOWNLOAD), DOWNLOAD)),
        (Web(url=OTHER), PAGE, (Web(url=OTHER), PAGE)),
        (EVENT, None, (EVENT, OTHER)),
        (MarketData(ticker="A"), DOWNLOAD, (MarketData(ticker="A"), DOWNLOAD)),
        (None, DOWNLOAD, (None, DOWNLOAD)),
        (None, "", (None, None)),
    ],
)
def test_a_part_and_its_target_have_one_address(
    target: Target | None, url: str | None, expected: tuple[Target | None, str | None]
) -> None:
    assert one_address(target, url) == expected
    assert one_address(*expected) == expected


def test_address_of_a_target() -> None:
    assert target_address(EVENT) == OTHER
    assert target_address(Account(accountId="a", provider=None)) is None
    assert target_address(TaxReference(url=None)) is None
    assert target_address(None) is None
