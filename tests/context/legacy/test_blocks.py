"""Where old blocks stand."""

from citestream.context.legacy.blocks import ELEMENT, PREVIEW, REVIEW, TERMINAL, find_blocks


def seen(text: str) -> list[tuple[str, str]]:
    return [(b.tag, text[b.body_start : b.body_end]) for b in find_blocks(text)]


def test_blocks_in_order_with_their_bodies() -> None:
    text = "a\n<terminal_context>\nb\n</terminal_context> <review_comment k>c</review_comment>d"
    assert seen(text) == [(TERMINAL, "b"), (REVIEW, "c")]
    assert [text[block.end :][:1] for block in find_blocks(text)] == [" ", "d"]


def test_an_empty_block_is_a_block() -> None:
    assert seen("<element_context>\n</element_context>") == [(ELEMENT, "")]
    assert seen("<element_context>\n\n</element_context>") == [(ELEMENT, "")]


def test_a_block_owns_what_is_in_it() -> None:
    inner = "<terminal_context>\nx\n</terminal_context>\n<review_comment>y</review_comment>"
    assert seen(f"<preview_annotation>\n{inner}\n</preview_annotation>") == [(PREVIEW, inner)]
    assert seen(f"<review_comment>\n{inner}")[0] == (
        REVIEW,
        f"\n{inner.removesuffix('</review_comment>')}",
    )


def test_only_the_tags_asked_for() -> None:
    text = "<terminal_context>\n<element_context>\nx\n</element_context>\n</terminal_context>"
    assert [block.tag for block in find_blocks(text, (ELEMENT,))] == [ELEMENT]


def test_a_block_that_is_never_closed_hides_no_other() -> None:
    for opening in ("<terminal_context>\n", "<review_comment ", "<review_comment>\n```\n"):
        text = f"{opening}\n<element_context>\nx\n</element_context>"
        assert (ELEMENT, "x") in seen(text)


def test_near_names_are_no_blocks() -> None:
    assert seen("<review_comments>x</review_comment>") == []
    assert seen("<terminal_context>x\n</terminal_context>") == []
    assert seen("<terminal_context>\nx</terminal_context>") == []


def test_fences_hide_closing_tags_and_the_last_one_is_kept() -> None:
    text = (
        "<review_comment>w\n```a\n1\n```\n`````b c\n```\n````\n</review_comment>\n`````\n"
        "</review_comment>"
    )
    (block,) = find_blocks(text)
    assert block.end == len(text)
    assert block.fence is not None
    assert block.fence.info == "b c"
    assert text[block.fence.start :].startswith("`````b")
    assert text[block.fence.code_start : block.fence.code_end] == "```\n````\n</review_comment>"


def test_an_empty_fence_has_no_code() -> None:
    (block,) = find_blocks("<review_comment>\n```\n```\n</review_comment>")
    assert block.fence is not None
    assert block.fence.code_start == block.fence.code_end


def test_blocks_far_into_a_text_and_of_any_length() -> None:
    far = "<terminal_contex" * 5_000 + "`" * 140_000
    assert seen(f"{far}<element_context>\n{far}\n</element_context>") == [(ELEMENT, far)]
    closing = "</review_comment>"
    opened, closed = "`" * 140_000, "`" * 140_001
    text = f"<review_comment>\n{opened} x\n{closing}\n{closed}  \n{closing}"
    (block,) = find_blocks(text)
    assert block.fence is not None
    assert (block.fence.info, text[block.fence.code_start : block.fence.code_end]) == (
        " x",
        "</review_comment>",
    )
