import pytest

from citestream.markdown import Insertion, to_html


def html(text: str, *insertions: Insertion) -> str:
    return to_html(text, 100_000, ValueError(), insertions)


def test_renders_any_script() -> None:
    assert to_html("潮 *a*", 100, ValueError()) == "<p>潮 <em>a</em></p>\n"


def test_stops_at_the_limit_in_bytes() -> None:
    error = ValueError("long")
    assert to_html("é", 10, error)
    with pytest.raises(ValueError, match="long"):
        to_html("é", 9, error)


def test_nesting_is_shown_flat() -> None:
    deep = html(">" * 100_000 + " a")
    assert deep.count("<blockquote>") == deep.count("</blockquote>") == 100
    stars = html("**" * 1_000 + "a" + "**" * 1_000)
    assert stars.count("<strong>") == stars.count("</strong>") == 100


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("# A *b*", "<h1>A <em>b</em></h1>\n"),
        ("a\\\nb  \nc\nd", "<p>a<br />\nb<br />\nc\nd</p>\n"),
        ("---", "<hr />\n"),
        ("> a", "<blockquote>\n<p>a</p>\n</blockquote>\n"),
        ("- a\n- b", "<ul>\n<li>a</li>\n<li>b</li>\n</ul>\n"),
        ("3. a\n   - b", '<ol start="3">\n<li>a\n<ul>\n<li>b</li>\n</ul>\n</li>\n</ol>\n'),
        ("1. a\n\n   b", "<ol>\n<li>\n<p>a</p>\n<p>b</p>\n</li>\n</ol>\n"),
        ("```py\na<b\n```", "<pre><code>a&lt;b\n</code></pre>\n"),
        ("    a&b", "<pre><code>a&amp;b</code></pre>\n"),
        (
            "|a|b|\n|-|:-:|\n|c|\n",
            '<table><thead><tr><th>a</th><th style="text-align: center">b</th></tr></thead>'
            '<tbody>\n<tr><td>c</td><td style="text-align: center"></td></tr>\n</tbody></table>\n',
        ),
        ("~~a~~ `b<` &amp; \\*", "<p><del>a</del> <code>b&lt;</code> &amp; *</p>\n"),
        ('[a](b "c&")', '<p><a href="b" title="c&amp;">a</a></p>\n'),
        ("<d@e.f>", '<p><a href="mailto:d@e.f">d@e.f</a></p>\n'),
        ("![a *b* `c` [d](e)](f)", "<p>a b c d</p>\n"),
        ("a<br>b<BR/>", "<p>a<br />b<br /></p>\n"),
        ("f(a)[b](c)<d> <u8>", '<p>f(a)<a href="c">b</a>&lt;d&gt; &lt;u8&gt;</p>\n'),
        ("<div>\n&\n\na", "<pre><code>&lt;div&gt;\n&amp;\n</code></pre>\n<p>a</p>\n"),
    ],
)  # fmt: skip
def test_each_construct(text: str, shown: str) -> None:
    assert html(text) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a^b", "<p>a@b</p>\n"),
        ("潮^🗼 é^", "<p>潮@🗼 é@</p>\n"),
        ("**a^**^ b", "<p><strong>a@</strong>@ b</p>\n"),
        ("^**a**", "<p>@<strong>a</strong></p>\n"),
        ("^`a`^", "<p>@<code>a</code>@</p>\n"),
        ("a^\n\nb", "<p>a@</p>\n<p>b</p>\n"),
        ("a\n\n^b", "<p>a</p>\n<p>@b</p>\n"),
        ("- a^\n  - b\n- ^c", "<ul>\n<li>a@\n<ul>\n<li>b</li>\n</ul>\n</li>\n<li>@c</li>\n</ul>\n"),
        ("|a^|b|\n|-|-|\n|c||^", "<table><thead><tr><th>a@</th><th>b</th></tr></thead><tbody>\n"
         "<tr><td>c</td><td></td></tr>\n</tbody></table>\n<p>@</p>\n"),
        ("^", "<p>@</p>\n"),
    ],
)  # fmt: skip
def test_insertions_stand_at_their_place(text: str, shown: str) -> None:
    places = [
        at - count for count, at in enumerate(at for at, sign in enumerate(text) if sign == "^")
    ]
    found = html(text.replace("^", ""), *(Insertion(at, at, "@") for at in places))
    assert found == shown


def test_an_insertion_replaces_what_it_covers() -> None:
    assert html("a [1] b", Insertion(2, 5, "@")) == "<p>a @ b</p>\n"
    text = "a [1][2] b\n\n[2]: u"
    both = html(text, Insertion(2, 5, "@"), Insertion(5, 8, "[2]"))
    assert both == "<p>a @[2] b</p>\n"


def test_a_block_insertion_is_a_paragraph_after_its_block() -> None:
    one = Insertion(6, 6, "@", block=True)
    assert html("> ```\n> a\n> ```\n\nb", one) == (
        "<blockquote>\n<pre><code>a\n</code></pre>\n<p>@</p>\n</blockquote>\n<p>b</p>\n"
    )
