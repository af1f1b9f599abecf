import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from citestream.targets import humanize_url, is_openable

ECFR = "https://www.ecfr.gov/api/versioner/v1/full/2026-09-01/title-12.xml"
RENDERER = "https://www.ecfr.gov/api/renderer/v1/content/enhanced/current/title-12"
USCODE = "https://uscode.house.gov/download/releasepoints/us/pl/118/42/"


@pytest.mark.parametrize(
    "url",
    [
        "http://example.org",
        "HTTPS://EXAMPLE.ORG/A",
        "https://example.org:8443/a?b=c#d",
        "https://[::1]/a",
        "https://例え.jp/道",
        "https://example.org/a@b",
    ],
)
def test_address_that_may_be_opened(url: str) -> None:
    assert is_openable(url)


@pytest.mark.parametrize(
    "url",
    [
        None,
        17,
        b"https://example.org/",
        ["https://example.org/"],
        "",
        "example.org",
        "//example.org/a",
        "https:example.org",
        "https:/example.org",
        "https://:443/",
        "https://?a",
        "https://@example.org/",
        "https://user:pass@example.org/",
        "https://example.org:http/",
        "https://example.org:65536/",
        "https://[::1/",
        " https://example.org/",
        "https://example.org/\t",
        "https://exam\nple.org/",
        "https://example.org/\u00a0",
        "https://example.org/\u3000",
        "https://example.org/\x00",
        "https://example.org/\x9f",
        "https://example.org/\ud83d",
        "https:\\\\example.org/",
        "data:text/html,x",
    ],
)
def test_address_that_may_not_be_opened(url: object) -> None:
    assert not is_openable(url)


@pytest.mark.parametrize(
    ("url", "page"),
    [
        (f"{ECFR}?subtitle=A", "title-12/subtitle-A"),
        (f"{ECFR}?subtitle=A&chapter=X", "title-12/chapter-X"),
        (f"{ECFR}?chapter=X&subchapter=B", "title-12/chapter-X/subchapter-B"),
        (f"{ECFR}?part=1026&section=", "title-12/part-1026"),
        (f"{ECFR}?part=1026&view=full#p", "title-12/part-1026"),
        (f"{RENDERER}?subpart=C&section=1026.19", "title-12/part-1026/section-1026.19"),
        (RENDERER.replace("https", "http").replace("www.ecfr.gov", "WWW.eCFR.gov"), "title-12"),
    ],
)
def test_ecfr_download_opens_at_the_narrowest_level(url: str, page: str) -> None:
    assert humanize_url(url) == f"https://www.ecfr.gov/current/{page}"


@pytest.mark.parametrize("site", ["ecfr.gov", "eCFR.gov", "www.ecfr.gov:443"])
def test_ecfr_has_several_spellings_of_its_host(site: str) -> None:
    page = "https://www.ecfr.gov/current/title-12/part-1026"
    assert humanize_url(f"{ECFR.replace('www.ecfr.gov', site)}?part=1026") == page


@pytest.mark.parametrize(
    ("file", "page"),
    [
        ("xml_uscAll@118-42.zip", ""),
        ("htm_uscall@119-102not101.zip", ""),
        ("xml_usc05A@118-42.zip", "view.xhtml?path=/prelim@title5/title5a&edition=prelim"),
        ("pdf_usc50a@118-42.zip", "view.xhtml?path=/prelim@title50/title50a&edition=prelim"),
    ],
)
def test_us_code_download_of_all_titles_or_an_appendix(file: str, page: str) -> None:
    assert humanize_url(f"{USCODE}{file}") == f"https://uscode.house.gov/{page}"


@pytest.mark.parametrize(
    "url",
    [
        f"{ECFR}?subpart=C",  # a subpart without its part is not unique
        f"{ECFR}?subchapter=B",
        f"{ECFR}?section=19",  # no dot, so no part
        f"{ECFR}?part=1026&part=1027",
        f"{ECFR}?part=..",
        f"{ECFR}?part=1026&section=-1",
        f"{ECFR}?part=%D9%A1",
        f"{ECFR}?part=1026%0A",
        f"{ECFR}?part=1026&appendix=Appendix%20A%20to%20Part%201026",
        ECFR.replace("title-12", "title-0"),
        ECFR.replace("title-12", "title-123"),
        ECFR.replace("2026-09-01", "yesterday"),
        ECFR.replace("www.ecfr.gov", "www.ecfr.gov:8443"),
        ECFR.replace("www.ecfr.gov", "user@www.ecfr.gov"),
        ECFR.replace(".xml", ".json"),
        f"{ECFR}/more",
        f"{ECFR}\n",
        f"{USCODE}xml_usc05B@118-42.zip",
        f"{USCODE}xml_usc5A@118-42.zip",
        f"{USCODE}xml_usc00@118-42.zip",
        f"{USCODE}xml_usc26@118-42.zip/more",
        f"{USCODE}xml_usc26@118-42.xml",
        "https://uscode.house.gov/download/download.shtml",
        "https://uscode.house.gov.example.org/download/releasepoints/us/pl/118/42/xml_usc26@1.zip",
        "not an address",
        "",
        "\ud83d",
    ],
)
def test_other_text_stays(url: str) -> None:
    assert humanize_url(url) == url


level = st.sampled_from(
    ["subtitle", "chapter", "subchapter", "part", "subpart", "section", "appendix", "view"]
)
query = st.lists(st.tuples(level, st.sampled_from(["", "1", "X", "1.2", "1.4(k)-1", "..", "a/b"])))


@given(query)
def test_page_of_an_ecfr_download_is_an_address_and_stays(
    pairs: list[tuple[str, str]],
) -> None:
    url = f"{ECFR}?{'&'.join('='.join(pair) for pair in pairs)}"
    page = humanize_url(url)
    assert humanize_url(page) == page
    assert is_openable(page)
    assert page == url or page.startswith("https://www.ecfr.gov/current/title-12")


@given(st.text() | st.text(alphabet="htps:/[]@\\.?#%a1\ud83d ", max_size=20))
@example("https://\u2100/")  # urlsplit refuses it: it hides a slash
def test_no_text_fails(text: str) -> None:
    is_openable(text)
    assert humanize_url(text) == text
