import pytest
from hypothesis import given
from hypothesis import strategies as st

from citestream.targets import (
    Account,
    Analysis,
    MarketData,
    Portfolio,
    Preset,
    Result,
    Target,
    TaxReference,
    Web,
    Written,
    derive,
    load_preset,
)

PAGE = "https://www.irs.gov/publications/p550"
ROW = {"account_id": "Lr5nQ8_wT-2bXy7KdEoJc1MvZa4PiSh9UgFk0"}
ACCOUNT = Account(accountId=ROW["account_id"], provider=None)


def test_other_product_derives_by_its_own_table_alone() -> None:
    own = load_preset(
        'scheme = "ledger"\n[sql]\n"books/<label>" = "account"\n"books/<path>" = "portfolio"\n'
        '[read_law]\n"<url>" = "tax_reference"\n"law/<path>" = "tax_reference"\n"law" = "analysis"'
    )
    labelled = Result("ledger://books/checking", rows=[ROW])
    assert derive("sql", labelled, own).target == ACCOUNT
    assert derive("sql", Result("silvia://books/checking", [ROW]), own).target is None
    assert derive("read_law", Result("ledger://law"), own).target == Analysis()
    assert derive("read_law", Result("ledger://law/1", url=PAGE), own) == Written(
        PAGE, TaxReference(url=PAGE)
    )
    assert derive("search_web", Result(PAGE), own).target is None


def test_first_row_that_fits_counts() -> None:
    own = load_preset('scheme = "x"\n[t]\n"a/<path>" = "portfolio"\n"a/b" = "analysis"')
    assert derive("t", Result("x://a/b"), own).target == Portfolio()


def test_reader_without_a_row_for_addresses_reads_none() -> None:
    own = load_preset('scheme = "x"\n[t]\n"a/<path>" = "card_document"')
    assert derive("t", Result("x://a/b", url=PAGE), own).source == "x://a/b"


@pytest.mark.parametrize(
    "url", [None, 17, [PAGE], {"url": PAGE}, "", "ftp://example.org/", "\ud83d"]
)
def test_sidecar_without_an_address_leaves_the_source(url: object, preset: Preset) -> None:
    path = "silvia://tax-authority/irs/p17.md"
    written = derive("read_tax_authority", Result(path, url=url), preset)
    assert written == Written(path, TaxReference(url=None))
    assert derive("read_tax_authority", Result(PAGE, url=url), preset) == Written(
        PAGE, TaxReference(url=PAGE)
    )


@pytest.mark.parametrize(
    "source",
    [
        "",
        "analysis",
        "silvia:analysis",
        "silvia:///analysis",
        "SILVIA://analysis",
        " silvia://analysis",
        "silvia://analysis/",
        "silvia://analysis\ud83d",
        "silvia://Analysis",
        "silvia://market-data",
    ],
)
def test_source_that_no_row_fits_is_untyped(source: str, preset: Preset) -> None:
    assert derive("execute_python", Result(source), preset) == Written(source, None)


@pytest.mark.parametrize(
    ("tail", "target"),
    [
        ("aapl", MarketData(ticker="AAPL")),
        ("A" * 32, MarketData(ticker="A" * 32)),
        ("%41" * 32, MarketData(ticker="A" * 32)),
        ("AAPL ", Analysis()),
        ("AAPL\n", Analysis()),
        ("%", Analysis()),
        ("%zz", Analysis()),
        ("%ff", Analysis()),
        ("\ud83d", Analysis()),
        ("ﬀ", Analysis()),
        ("A" * 1_000_000, Analysis()),
    ],
)
def test_ticker(tail: str, target: Target, preset: Preset) -> None:
    source = f"silvia://market-data/finnhub/{tail}"
    assert derive("execute_python", Result(source), preset) == Written(source, target)


@given(
    tool=st.sampled_from(["execute_sql", "execute_python", "read_tax_authority", "search_web"]),
    source=st.text()
    | st.builds(
        "silvia://{}{}".format,
        st.sampled_from(["your-account/", "your-portfolio", "market-data/finnhub/", "analysis"]),
        st.text(),
    ),
    rows=st.none() | st.integers() | st.text() | st.lists(st.none() | st.just(ROW) | st.text()),
    url=st.none() | st.integers() | st.text(),
)
def test_whatever_a_result_holds_nothing_raises(
    tool: str, source: str, rows: object, url: object, preset: Preset
) -> None:
    written = derive(tool, Result(source, rows, url), preset)
    assert written.source == source or written.target == TaxReference(url=written.source)
    assert not isinstance(written.target, Web) or written.target.url == source
