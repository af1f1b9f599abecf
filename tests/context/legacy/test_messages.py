"""The upgrade of old messages: laws over texts made of their pieces, and single rules."""

from hypothesis import given, settings
from hypothesis import strategies as st

from citestream.context import (
    ContextSettings,
    UpgradedMessage,
    decode_records,
    parse_references,
    upgrade_message,
)

REVIEW = (
    '<review_comment sectionId="s" filePath="src/f.py" startIndex="1" endIndex="1">'
    "note</review_comment>"
)
EXCERPT = "<terminal_context>\n- Build line 7:\n  7 | done\n</terminal_context>"
ELEMENT = "<element_context>\n- <p>:\n  html:\n    <p>\n</element_context>"
PREVIEW = "<preview_annotation>\nPage: Home\n</preview_annotation>"
LINK = "[Build line 7](t3-context://v1/terminal/legacy_terminal_1)"
REVIEW_LINK = "[f.py line](t3-context://v1/review-comment/legacy_review-comment_1)"

PIECES = st.sampled_from(
    [
        *(REVIEW, EXCERPT, ELEMENT, PREVIEW, "\ufffc", "@build:7", "\n", "\n\n", " ", "see"),
        *("<terminal_context>\n", "\n</terminal_context>", "- Build line 7:\n", "  x\n", "```\n"),
        *("<review_comment ", ">", "</review_comment>", "<element_context>\n", "\ud800", LINK),
    ]
)
TEXTS = st.lists(PIECES, max_size=12).map("".join)


@given(TEXTS)
@settings(max_examples=500)
def test_an_upgraded_text_is_left_alone(text: str) -> None:
    once = upgrade_message(text)
    again = upgrade_message(once.text)
    assert (again.text, again.records) == (once.text, ())
    assert once == upgrade_message(text)


@given(TEXTS)
@settings(max_examples=500)
def test_every_record_is_valid_and_has_its_link(text: str) -> None:
    upgraded = upgrade_message(text)
    if upgraded.records:
        decoded = decode_records(upgraded.records)
        assert (decoded.records, decoded.ambiguous) == (upgraded.records, ())
        linked = [reference.context_id for reference in parse_references(upgraded.text)]
        assert {record["contextId"] for record in upgraded.records} <= set(linked)


def test_a_block_that_the_upgrade_uncovers_stays() -> None:
    # The second placeholder goes and leaves the first block at the end of the text.
    once = upgrade_message(f"\ufffc\n\n{EXCERPT}\ufffc\n{EXCERPT}")
    assert once.text == f"{LINK}\n\n{EXCERPT}"
    assert upgrade_message(once.text).records == ()


def upgraded(text: str) -> str:
    return upgrade_message(text).text


def test_several_trailing_blocks_of_a_kind() -> None:
    result = upgrade_message("\n\n".join(["hi", EXCERPT, EXCERPT, PREVIEW, PREVIEW]))
    assert [record["contextId"] for record in result.records] == [
        "legacy_terminal_1",
        "legacy_terminal_2",
        "legacy_preview-annotation_1",
        "legacy_preview-annotation_2",
    ]


def test_text_of_blocks_alone() -> None:
    assert upgraded(EXCERPT) == LINK
    assert upgraded(f"\n\n{EXCERPT}\n \n") == LINK


def test_a_review_at_the_end_is_appended() -> None:
    assert upgraded(f"hi {REVIEW}") == f"hi\n\n{REVIEW_LINK}"
    assert upgraded(f"hi {REVIEW} there") == f"hi {REVIEW_LINK} there"


def test_a_block_with_prose_behind_it_stays() -> None:
    assert upgraded(f"{EXCERPT}\nhi") == f"{EXCERPT}\nhi"
    assert upgraded(f"{EXCERPT}\n{REVIEW} hi") == f"{EXCERPT}\n{REVIEW_LINK} hi"


def test_a_malformed_review_stays_text_and_spoils_nothing() -> None:
    bad = '<review_comment filePath="a">x</review_comment>'
    assert upgraded(f"{bad} {REVIEW} end\n\n{EXCERPT}") == f"{bad} {REVIEW_LINK} end\n\n{LINK}"


def test_a_review_over_a_limit_stays_text() -> None:
    long = REVIEW.replace("note", "n" * 16_001)
    assert upgraded(f"{long} {REVIEW} end") == f"{long} {REVIEW_LINK} end"


def test_a_block_over_a_limit_leaves_the_whole_message() -> None:
    for block in (
        EXCERPT.replace("done", "d" * 64_001),
        ELEMENT.replace("    <p>", f"    {'p' * 8_001}"),
        PREVIEW.replace("Home", "h" * 201),
        EXCERPT.replace("- Build line 7:\n", "- Build line 7:\n" * 201),
    ):
        assert upgraded(f"{REVIEW} hi\n\n{block}") == f"{REVIEW} hi\n\n{block}"


def test_captured_text_is_not_searched_for_places() -> None:
    shown = EXCERPT.replace("done", "@build:7 \ufffc " + LINK)
    result = upgrade_message(f"hi\n\n{shown}")
    assert result.text == f"hi\n\n{LINK}"
    assert result.records[0]["text"] == "@build:7 \ufffc " + LINK


def test_hard_breaks_stay() -> None:
    assert upgraded(f"a  \nb\n\n{EXCERPT}") == f"a  \nb\n\n{LINK}"


def test_a_lone_surrogate_is_replaced() -> None:
    assert upgraded("a\ud800") == "a\ufffd"


def test_links_have_the_chosen_scheme() -> None:
    named = ContextSettings(scheme="acme")
    assert upgrade_message(EXCERPT, named).text == LINK.replace("t3-context", "acme")


def test_a_text_without_old_blocks_keeps_its_line_ends() -> None:
    for text in ("a\r\nb", "a\rb\r\n", f"{EXCERPT}\nhi".replace("\n", "\r\n")):
        assert upgrade_message(text) == UpgradedMessage(text, ())


def test_crlf_inside_a_review_is_read() -> None:
    review = REVIEW.replace("note", "\nnote\n```diff\n+ x\n```\n").replace("\n", "\r\n")
    result = upgrade_message(f"a\r\nb {review} c\rd")
    assert result.text == f"a\nb {REVIEW_LINK} c\rd"
    assert (result.records[0]["text"], result.records[0]["diff"]) == ("note", "+ x")


@given(TEXTS)
@settings(max_examples=500)
def test_crlf_reads_as_lf(text: str) -> None:
    lf = upgrade_message(text)
    crlf = upgrade_message(text.replace("\n", "\r\n"))
    assert crlf.records == lf.records
    assert crlf.text == (lf.text if lf.records else lf.text.replace("\n", "\r\n"))


def test_hard_bounds_of_what_is_parsed() -> None:
    # Each is over a limit of its record, so nothing of it is lost by not parsing it.
    padded = REVIEW.replace("<review_comment ", f'<review_comment note="{"n" * 70_000}" ')
    assert upgraded(f"{padded} hi") == f"{padded} hi"
    far = ELEMENT.replace("html:", f"source: {'s' * 5_000}:3:4\n  html:")
    assert upgraded(f"hi\n\n{far}") == f"hi\n\n{far}"
