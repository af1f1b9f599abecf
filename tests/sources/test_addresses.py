import pytest
import regex

from citestream.sources import destination, is_linkable


@pytest.mark.parametrize(
    "url",
    [
        "http://e",
        "HTTPS://E.org/a?b#c",
        "https://例え.jp/[x]*_~'\"",
        "https://e.org:80",
        "https://e.org/@a",
        "http://e?a@b",
    ],
)
def test_linkable(url: str) -> None:
    assert is_linkable(url)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "https://",
        "https:///path",
        "https:e.org",
        "//e.org",
        "javascript:alert(1)//https://e.org",
        "java\tscript:x",
        "\u200bhttps://e.org",
        "\x01https://e.org",
        " https://e.org",
        "https://e.org/a b",
        "https://e.org/\u00a0",
        "https://e.org/\u3000",
        "https://e.org/\u2028",
        "https://e.org/\x00",
        "https://e.org/\x85",
        "https://e.org/\x7f",
        "https://e.org/<",
        "https://e.org/>",
        "https://e.org\\a",
        "http\u017f://e.org",
        "data:text/html,x",
        "https://user@e.org",
        "https://bank.example:pw@evil.example/a",
        "https://@e.org",
        "https://e.org/\u200b",
        "https://e\u2060.org",
        "https://e.org/\u202etxt",
        "https://e.org/\u2066",
        "https://e.org/\ufeff",
        "https://e.org/\u00ad",
        "https://e.org/\U000e0041",
        "https://e.org/" + "p" * 2_035,
    ],
)
def test_unlinkable(url: str) -> None:
    assert not is_linkable(url)


@pytest.mark.parametrize(
    ("url", "written"),
    [
        ("https://e.org/(a)|`", "https://e.org/%28a%29%7C%60"),
        ("https://e.org/?a&amp;b&nope;c&d", "https://e.org/?a&amp;amp;b&nope;c&d"),
        ("https://e.org/?&#35;&#x23;&#12345678;", "https://e.org/?&amp;#35;&amp;#x23;&#12345678;"),
        ("https://e.org/%28\"'*_[]", "https://e.org/%28\"'*_[]"),
    ],
)
def test_destination(url: str, written: str) -> None:
    assert destination(url) == written


def test_quotes_are_encoded_when_asked_for() -> None:
    assert destination("https://e.org/\"'", encode_quotes=True) == "https://e.org/%22%27"


def test_no_character_that_is_not_shown_is_linked() -> None:
    shown = regex.compile(r"[^\p{Default_Ignorable_Code_Point}\p{Cc}\p{Bidi_Control}]")
    for sign in map(chr, range(0x110000)):
        assert shown.fullmatch(sign) or not is_linkable(f"https://e.org/{sign}"), hex(ord(sign))
