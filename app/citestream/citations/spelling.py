"""How one source is written as a marker of each dialect.

Lives here: the one spelling that is used where markers are written rather than read. Whether the
marker is read again is not decided here.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from citestream.citations.dialects import Template
from citestream.parts.text import DELIM, START, STOP


def spell(dialect: str | Template, source_id: str, locator: str, family: str = "cite") -> str:
    """Return the marker of one source; of ``numbers`` the id is the source's number.

    ``family`` is a family of ``chatgpt`` that is written as ``cite`` is. Raises ``ValueError``
    where the dialect has no place for a locator.
    """
    if isinstance(dialect, Template):
        return _template(dialect, source_id, locator)
    return _SPELLINGS[dialect](source_id, locator, family)


def _signs(source_id: str, locator: str, family: str) -> str:
    fields = (family, source_id, locator) if locator else (family, source_id)
    return START + DELIM.join(fields) + STOP


def _escaped(source_id: str, locator: str, family: str) -> str:
    marker = _signs(source_id, locator, family)
    for sign in (START, DELIM, STOP):
        marker = marker.replace(sign, f"\\u{ord(sign):04x}")
    return marker


def _lenticular(source_id: str, locator: str, _family: str) -> str:
    return f"【{source_id}†{locator or 'source'}】"


def _numbers(source_id: str, locator: str, _family: str) -> str:
    _refuse_locator(locator)
    return f"[{source_id}]"


def _tags(source_id: str, locator: str, _family: str) -> str:
    _refuse_locator(locator)
    return f'<cite id="{source_id}"/>'


def _template(template: Template, source_id: str, locator: str) -> str:
    if locator and not template.separator:
        raise ValueError("locator: the template has no separator for it")
    return (
        template.opener + source_id + template.separator * bool(locator) + locator + template.closer
    )


def _refuse_locator(locator: str) -> None:
    if locator:
        raise ValueError("locator: the dialect has no place for one")


_SPELLINGS: Final[Mapping[str, Callable[[str, str, str], str]]] = MappingProxyType(
    {
        "guide": _signs,
        "chatgpt": _signs,
        "lenticular": _lenticular,
        "numbers": _numbers,
        "tags": _tags,
        "escaped": _escaped,
    }
)
