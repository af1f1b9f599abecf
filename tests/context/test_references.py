"""The link grammar: laws over all labels, ids and kinds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citestream.context import (
    ContextError,
    ContextSettings,
    format_reference,
    parse_references,
    plain_text,
    sanitize_label,
)
from citestream.context.encoding import encodable
from citestream.context.references import REFERENCES_LIMIT

KINDS = st.from_regex(r"[a-z][a-z0-9-]{0,39}", fullmatch=True)
IDS = st.from_regex(r"[A-Za-z0-9_-]{1,128}", fullmatch=True)
LABELS = st.text(alphabet=st.characters() | st.sampled_from(" []\\\n\r\t()!"), max_size=300)
PROSE = st.text(alphabet=st.sampled_from("ab \n[]()!:/é😀"), max_size=20)


@given(PROSE, KINDS, IDS, LABELS, st.booleans(), PROSE)
def test_what_is_formatted_parses_back(
    before: str, kind: str, id_: str, label: str, image: bool, after: str
) -> None:
    link = format_reference(kind, id_, label, image=image)
    found = parse_references(before + link + after)
    assert len(found) == 1
    reference = found[0]
    end = len(before) + len(link)
    assert (reference.kind, reference.context_id, reference.end) == (kind, id_, end)
    assert reference.label == sanitize_label(label, kind)
    # A `!` that the prose ends with belongs to the link that follows it.
    bang = image or before.endswith("!")
    assert reference.image == bang
    assert reference.start == len(before) - (bang and not image)


@given(KINDS, IDS, LABELS, st.booleans())
def test_format_of_parse_is_the_identity(kind: str, id_: str, label: str, image: bool) -> None:
    link = format_reference(kind, id_, label, image=image)
    (reference,) = parse_references(link)
    assert link == format_reference(
        reference.kind, reference.context_id, reference.label, image=reference.image
    )


@given(LABELS)
def test_a_clean_label_stays(label: str) -> None:
    cleaned = sanitize_label(label, "kind")
    assert sanitize_label(cleaned, "kind") == cleaned
    assert 1 <= len(cleaned) <= 200
    assert not set(cleaned) & set("[]\\\r\n\t")
    assert cleaned == cleaned.strip()


def test_a_cut_leaves_no_blank_at_the_end() -> None:
    assert sanitize_label("x" * 199 + " y", "file") == "x" * 199


def test_a_label_in_a_text_has_at_most_512_characters() -> None:
    link = "[{}](t3-context://v1/file/a)"
    assert len(parse_references(link.format("x" * 512))) == 1
    assert parse_references(link.format("x" * 513)) == []


@pytest.mark.parametrize("end", ["\r", "\n", "\r\n"])
def test_a_label_has_no_line_end(end: str) -> None:
    assert parse_references(f"[a{end}b](t3-context://v1/file/a)") == []


@pytest.mark.parametrize("sign", ["\u0663", "\uff41", "\u017f", "\u212a"])
def test_kinds_and_ids_are_ascii(sign: str) -> None:
    assert parse_references(f"[a](t3-context://v1/file/{sign})") == []
    assert parse_references(f"[a](t3-context://v1/f{sign}/a)") == []


def test_a_text_has_at_most_100_000_references() -> None:
    link = "[](t3-context://v1/file/a)"
    assert len(parse_references(link * REFERENCES_LIMIT)) == 100_000
    with pytest.raises(ContextError, match="text: at most 100,000 references"):
        parse_references(link * (REFERENCES_LIMIT + 1))


def test_the_scheme_can_be_chosen() -> None:
    named = ContextSettings(scheme="acme.x")
    link = format_reference("file", "a", "A", settings=named)
    assert link == "[A](acme.x://v1/file/a)"
    assert len(parse_references(link, named)) == 1
    assert parse_references(link) == []
    assert parse_references("[A](acme-x://v1/file/a)", named) == []
    assert plain_text(f"{link}!", named) == "A!"


@pytest.mark.parametrize(
    ("kind", "id_"), [("a" * 41, "a"), ("a_b", "a"), ("a", "a" * 129), ("a", "")]
)
def test_a_link_that_cannot_be_read_is_not_written(kind: str, id_: str) -> None:
    with pytest.raises(ContextError):
        format_reference(kind, id_, "x")


def test_a_long_label_is_cleaned_as_if_at_once() -> None:
    assert sanitize_label(" " * 70_000 + "a" + "\\" * 70_000 + "b", "k") == "a b"
    assert sanitize_label("[" * 140_000, "k") == "k"
    assert sanitize_label("a " * 140_000, "k") == ("a " * 100).rstrip()


@given(st.lists(st.sampled_from(["[é](t3-context://v1/file/a)", "\U0001f408", "x", "!", "\ud83d"])))
def test_places_in_utf16_cut_the_same_links(pieces: list[str]) -> None:
    text = "".join(pieces)
    units = encodable(text).encode("utf-16-le")
    for rune, utf16 in zip(
        parse_references(text), parse_references(text, unit="utf16"), strict=True
    ):
        link = encodable(text)[rune.start : rune.end]
        assert units[2 * utf16.start : 2 * utf16.end].decode("utf-16-le") == link
