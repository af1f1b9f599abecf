"""Web addresses: which may be opened, and the readable page behind a known download.

Pure text work. This file knows no tool and no kind of target.
"""

import re
from typing import TypeGuard
from urllib.parse import SplitResult, parse_qsl, urlsplit

# White space, control characters (Cc), backslash, halves of surrogate pairs. They are looked for
# before urlsplit sees the text, because urlsplit silently drops some of them.
_FORBIDDEN = re.compile(r"[\s\\\x00-\x1f\x7f-\x9f\ud800-\udfff]")


_DEFAULT_PORT = {"http": ":80", "https": ":443"}


def _split(url: str) -> SplitResult | None:
    """Split `url` if it may be opened, else None."""
    if _FORBIDDEN.search(url):
        return None
    try:
        parts = urlsplit(url)
        has_host = bool(parts.hostname)
        _ = parts.port  # raises when the port is no number up to 65535
    except ValueError:
        return None
    if parts.scheme not in ("http", "https") or not has_host or "@" in parts.netloc:
        return None
    return parts


def is_openable(url: object) -> TypeGuard[str]:
    """Say whether `url` is an address that a reader may open (S3).

    That is a string with scheme http or https, a host, no user info, no white space, no control
    character and no backslash.
    """
    return isinstance(url, str) and _split(url) is not None


def humanize_url(url: str) -> str:
    """Return the readable page of a download of the eCFR or the US Code (S3).

    Every other text comes back as it is, broken addresses included; nothing raises. Doing it twice
    changes nothing.
    """
    parts = _split(url)
    if parts is None:
        return url
    page = _PAGES.get(parts.netloc.lower().removesuffix(_DEFAULT_PORT[parts.scheme]))
    return (page(parts) if page else None) or url


# --- eCFR -----------------------------------------------------------------------------------------

_DATE = r"(?:current|[0-9]{4}-[0-9]{2}-[0-9]{2})"
_TITLE = r"title-([1-9][0-9]?)"
_ECFR_DOWNLOAD = re.compile(
    rf"/api/versioner/v1/full/{_DATE}/{_TITLE}\.xml"
    rf"|/api/versioner/v1/structure/{_DATE}/{_TITLE}\.json"
    rf"|/api/renderer/v1/content/enhanced/{_DATE}/{_TITLE}"
)
_ECFR_LEVELS = ("subtitle", "chapter", "subchapter", "part", "subpart", "section", "appendix")

# The narrowest level first, with the levels its page names. A chapter and a part are unique in
# their title, so what stands round them is left out; a subchapter and a subpart are not. The name
# of an appendix is a phrase, never a plain number, and so has no page here.
_ECFR_PAGES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("appendix", ("appendix",)),
    ("section", ("part", "section")),
    ("subpart", ("part", "subpart")),
    ("part", ("part",)),
    ("subchapter", ("chapter", "subchapter")),
    ("chapter", ("chapter",)),
    ("subtitle", ("subtitle",)),
)
_PLAIN = r"[0-9A-Za-z][0-9A-Za-z-]*"
_ECFR_VALUES = {
    **dict.fromkeys(_ECFR_LEVELS, re.compile(_PLAIN)),
    "section": re.compile(r"[0-9A-Za-z][0-9A-Za-z.()-]*"),
    "appendix": re.compile(r"(?!)"),
}


def _ecfr_page(parts: SplitResult) -> str | None:
    download = _ECFR_DOWNLOAD.fullmatch(parts.path)
    if download is None:
        return None
    pairs = [pair for pair in parse_qsl(parts.query) if pair[0] in _ECFR_LEVELS]
    given = dict(pairs)
    if len(given) != len(pairs):
        return None
    if not all(_ECFR_VALUES[level].fullmatch(value) for level, value in pairs):
        return None
    if "part" not in given and "." in given.get("section", ""):
        given["part"] = given["section"].partition(".")[0]
    title = next(filter(None, download.groups()))
    page = f"https://www.ecfr.gov/current/title-{title}"
    for narrowest, named in _ECFR_PAGES:
        if narrowest in given:
            if any(level not in given for level in named):
                return None
            return "/".join([page, *(f"{level}-{given[level]}" for level in named)])
    return page


# --- US Code --------------------------------------------------------------------------------------

# One title in any format (`xml_usc05@119-102not101.zip`), its appendix (`usc05A`), or all titles
# (`uscAll`), which are read at the front page of the site.
_USCODE_DOWNLOAD = re.compile(
    r"/download/releasepoints/us/pl/[0-9]+/[^/]+/"
    r"[a-z]+_usc(?:(0[1-9]|[1-9][0-9])([Aa]?)|[Aa]ll)@[^/]+\.zip"
)


def _uscode_page(parts: SplitResult) -> str | None:
    download = _USCODE_DOWNLOAD.fullmatch(parts.path)
    if download is None:
        return None
    if download[1] is None:
        return "https://uscode.house.gov/"
    title = download[1].lstrip("0")
    path = f"/prelim@title{title}" + (f"/title{title}a" if download[2] else "")
    return f"https://uscode.house.gov/view.xhtml?path={path}&edition=prelim"


_PAGES = {
    "ecfr.gov": _ecfr_page,
    "www.ecfr.gov": _ecfr_page,
    "uscode.house.gov": _uscode_page,
}
