"""The dialect ``tags``: ``<cite id="a">…</cite>``, ``<co: 0,1>…</co: 0,1>``.

Lives here: the grammar of the tags, and how many closing tags are owed. Which text is between them
is the engine's. Must not know text, offsets or streams.
"""

import re
from functools import lru_cache
from typing import Any, Final

from citestream.citations.dialects.dialect import FAILED, Known, Marker, Recogniser, only
from citestream.citations.dialects.grammar import (
    BLANKS,
    CONTROLS,
    Grammar,
    GrammarRecogniser,
    Piece,
    all_of,
    one_of,
    repeated,
    run,
    word,
)

MAX_TAG: Final = 512
"""Code points of a tag at most."""
ATTRIBUTES: Final = frozenset({"id", "ids", "index", "source", "sources", "ref", "refs"})
"""The attributes whose value names sources."""


def _quoted(opener: str, closer: str, refused: str) -> Piece:
    return all_of(word(opener), run(f"^<>{refused}{CONTROLS}", 0), word(closer))


_NAME: Final = all_of(run("A-Za-z", 1, 1), run("A-Za-z0-9_\\-", 0, 31))
_VALUE: Final = one_of(
    _quoted('"', '"', '"'),
    _quoted("'", "'", "'"),
    _quoted('\\"', '\\"', '"\\\\'),
    _quoted("\u201c", "\u201d", "\u201d"),
    run(f"^ \"'\u201c\u201d\\\\=/<>{CONTROLS}", 1),
)
_ATTRIBUTE: Final = all_of(run(" ", 1), _NAME, BLANKS, word("="), BLANKS, _VALUE)
_KEY: Final = all_of(BLANKS, run("A-Za-z0-9_.\\-", 1), BLANKS)
_KEYS: Final = all_of(_KEY, repeated(all_of(word(","), _KEY)))
_END: Final = one_of(word(">"), word("/>"))
_ATTRIBUTES: Final = re.compile(
    f"({_NAME.whole})(?:{BLANKS.whole})=(?:{BLANKS.whole})({_VALUE.whole})"
)
_QUOTES: Final = "\\\"'\u201c\u201d"


@lru_cache(maxsize=1024)
def _sources(tag: str) -> list[str] | None:
    """Return the ids that an opening tag names; None for a tag of HTML's own."""
    if tag.startswith("<co:"):
        return [key.strip(" ") for key in tag[len("<co:") : -1].split(",")]
    for name, value in _ATTRIBUTES.findall(tag):
        if name in ATTRIBUTES:
            return re.split("[, ]+", value.strip(_QUOTES))
    return None


def _names_sources(tag: str) -> bool:
    return tag.startswith("</") or _sources(tag) is not None


# Each of these ends some tag that was left open, with as little as it takes.
_VALUE_ENDS: Final = ("", "0", "=0", "a=0", '"', "'", '\\"', "\u201d")
_ENDINGS: Final = (
    *(end + ">" for end in _VALUE_ENDS),
    *(end + " id=0>" for end in _VALUE_ENDS),
    *(name[cut:] + "=0>" for name in ATTRIBUTES for cut in range(len(name))),
)
_GRAMMAR: Final = Grammar(
    all_of(
        word("<"),
        one_of(
            all_of(word("cite"), repeated(_ATTRIBUTE, 1), BLANKS, _END),
            all_of(word("co:"), _KEYS, word(">")),
            all_of(word("/cite"), BLANKS, word(">")),
            all_of(word("/co"), repeated(all_of(word(":"), _KEYS), 0, 1), word(">")),
        ),
    ),
    MAX_TAG,
    _ENDINGS,
    accepts=_names_sources,
)


class _TagsRecogniser(GrammarRecogniser):
    __slots__ = ("_owed",)

    grammar = _GRAMMAR
    usual = re.compile('<cite id="[A-Za-z0-9_\\-]{0,128}(?:("/?>)|\\Z)')
    spare = 128
    heads = ("<cite", "<co:", "</cite", "</co")

    def __init__(self) -> None:
        super().__init__()
        self._owed = {"cite": 0, "co": 0}

    def advance(self, text: str, at: int) -> int:
        length = super().advance(text, at)
        if length > 0:
            tag = text[at : at + length]
            if tag.startswith("</") and not self._owed[_kind(tag)]:
                return FAILED
        return length

    def marker(self, text: str, at: int, end: int) -> Marker:
        tag = text[at:end]
        kind = _kind(tag)
        if tag.startswith("</"):
            self._owed[kind] -= 1
            return Marker(role="close", tag=kind)
        named = only(filter(None, _sources(tag) or ()))
        if tag.endswith("/>"):
            return Marker(named, numbered=True)
        self._owed[kind] += 1
        return Marker(named, role="open", tag=kind, numbered=True)

    def state(self) -> Any:
        return dict(self._owed)

    def recall(self, state: Any) -> None:
        self._owed = dict(state)


def _kind(tag: str) -> str:
    return "cite" if tag.startswith(("<cite", "</cite")) else "co"


class _Tags:
    name: Final = "tags"
    stray_signs: Final = ""

    def recogniser(self, _known: Known) -> Recogniser:
        return _TagsRecogniser()


TAGS: Final = _Tags()
