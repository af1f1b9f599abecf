import pytest

from citestream.markdown.raw_html import RawTags, block_closer


@pytest.mark.parametrize(
    ("block", "closer"),
    [
        (b"<!-- a", "-->"),
        (b"<!-- a -->", ""),
        (b"<?php", "?>"),
        (b"<![CDATA[ a", "]]>"),
        (b"<!A", ">"),
        (b"<pre>\na", "</pre>"),
        (b"<SCRIPT>\na</script>", ""),
        (b"<div>", ""),
    ],
)
def test_the_line_that_ends_a_block(block: bytes, closer: str) -> None:
    assert block_closer(block, 0, len(block)) == closer


def tags(*pieces: bytes) -> RawTags:
    found = RawTags()
    data, at = b"".join(pieces), 0
    for piece in pieces:
        found.read(data, at, at + len(piece))
        at += len(piece)
    return found


def test_pairs_are_whole_and_outermost() -> None:
    assert tags(b"<code>", b"a", b"<code>", b"</code>", b"</CODE>").literal() == [(0, 27)]
    assert tags(b"<a b>", b"<code>", b"</a>", b"</code>").literal() == [(0, 22)]
    assert tags(b"<a>", b"</code>", b"<abbr>", b"</abbr>").literal() == []


def test_a_block_ends_what_it_opened() -> None:
    found = tags(b"<a>")
    found.end_block()
    found.read(b"<a></a>", 3, 7)
    assert found.literal() == []


def test_details_are_counted_and_never_below_none() -> None:
    assert tags(b"</details>", b"<details>", b"<!--", b"<details>").open_details == 2
    assert tags(b"<!-- <details>").open_details == 0
    assert tags(b"<details>", b"</details >").open_details == 0
