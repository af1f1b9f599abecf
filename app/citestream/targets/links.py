"""Links to a product's own pages, made from targets by the templates of its preset.

A template is a path of the product's site or a web address, with fields of the kind as blanks:
`/accounts/<accountId>`. This file knows no file format and no rendered text.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote

from citestream.targets.addresses import is_openable
from citestream.targets.kinds import Target, target_json

_BLANK: Final = re.compile(r"<([A-Za-z][A-Za-z0-9_-]*)>")
_PATH: Final = re.compile(r"/(?![/\\])[^\s<>\\\x00-\x1f\x7f-\x9f]*")
_END_OF_PATH: Final = re.compile(r"[?#]")


@dataclass(frozen=True, slots=True)
class LinkTemplate:
    """A template in pieces: text, the name of a field, text, and so on, text last."""

    pieces: tuple[str, ...]

    def field_names(self) -> tuple[str, ...]:
        """Return the names of the fields that the template has blanks for."""
        return self.pieces[1::2]

    def fill(self, fields: Mapping[str, object]) -> str | None:
        """Return the link for a target's fields, each escaped as encodeURIComponent does.

        None when a field has no value, or when the path would have a segment `.` or `..`, which a
        browser resolves away.
        """
        filled = list(self.pieces)
        for at in range(1, len(filled), 2):
            value = fields.get(filled[at])
            if not isinstance(value, str) or not value:
                return None
            filled[at] = quote(value, safe="!~*'()")
        link = "".join(filled)
        path = _END_OF_PATH.split(link, maxsplit=1)[0]
        return None if {".", ".."} & set(path.split("/")) else link


def link_template(text: str) -> LinkTemplate | None:
    """Return the template that `text` is, or None when a link made of it could not be opened.

    A path begins with one slash; the scheme and host of an address are written out.
    """
    pieces = _BLANK.split(text)
    sample = "x".join(pieces[::2])
    host = re.match(r"https?://[^/?#]+(?=[/?#]|\Z)", pieces[0])
    if _PATH.fullmatch(sample) or (host and is_openable(sample) and "<" not in sample):
        return LinkTemplate(tuple(pieces))
    return None


def target_link(target: Target, links: Mapping[str, LinkTemplate]) -> str | None:
    """Return where a reader opens `target`, or None when there is no such place.

    That is what the template of its kind in `links` makes, else the target's own address.
    """
    fields = target_json(target) or {}
    template = links.get(target.kind)
    link = template.fill(fields) if template else None
    if link is None:
        url = fields.get("url")
        link = url if is_openable(url) else None
    return link
