"""Each text has a `^` where the marker's offset is; `@` shows where it lands."""

import pytest

from citestream.markdown import structure
from citestream.rendering.landing import Landings


def landed(text: str) -> str:
    offset = text.index("^")
    text = text.replace("^", "", 1)
    landing = Landings(text, structure(text)).of(offset)
    return f"{text[: landing.at]}{landing.before}@{landing.behind}{text[landing.at :]}"


@pytest.mark.parametrize(
    ("offset", "lands"),
    [
        ("^", "@"),
        ("^a", "@a"),
        ("a^ b", "a@ b"),
        ("é 🗼^.", "é 🗼@."),
        ("a `b^` c", "a `b`@ c"),
        ("a ^`b` c", "a @`b` c"),
        ("a `b`^ c", "a `b`@ c"),
        ("a `^`` b", "a ```@ b"),
        ("a *^*b** c", "a **@b** c"),
        ("a [b^](u) c", "a [b](u)@ c"),
        ("a [b](u^) c", "a [b](u)@ c"),
        ("a [b][^] c\n\n[b]: u", "a [b][]@ c\n\n[b]: u"),
        ("a ![b^](u) c", "a ![b](u)@ c"),
        ("a <https://e.org^> c", "a <https://e.org>@ c"),
        ("a <b title='^'>c</b>", "a <b title=''>@c</b>"),
        ("a &am^p; b", "a &amp;@ b"),
        ("a &^ b", "a &@ b"),
        ("a \\^* b", "a @\\* b"),
        ("a \\\\^ b", "a \\\\@ b"),
        ("a\\^\nb", "a@\\\nb"),
        ("# ^T", "# @T"),
        ("^# T", "# @T"),
        ("#^ T #\n\nb", "# @T #\n\nb"),
        ("# T #^\n\nb", "# T@ #\n\nb"),
        ("T\n==^\n\nb", "T@\n==\n\nb"),
        ("^- a", "- @a"),
        ("^ a", "@ a"),
        (" ^ a", " @ a"),
        ("-^  a\n- b", "- @ a\n- b"),
        ("- ^ a\n\n      b", "-  @a\n\n      b"),
        ("-\n^  a", "-\n  @a"),
        ("#^   T", "# @  T"),
        (">^  a", "> @ a"),
        ("a\n^ b", "a@\n b"),
        ("<a href=u>b^ c</a> d", "<a href=u>b c</a>@ d"),
        ("<code>b^</code>", "<code>b</code>@"),
        ("这**是^**的", "这**是**@的"),
        ("a \\`^`` b", "a \\`@`` b"),
        ("- a\n^- b", "- a@\n- b"),
        ("- a\n-^ b", "- a\n- @b"),
        ("> a\n>^ b", "> a\n> @b"),
        ("a\n\n^\n\nb", "a@\n\n\n\nb"),
        ("a\n\n^b", "a\n\n@b"),
        ("a\n^", "a@\n"),
        ("| a^ | b |\n|-|-|\n", "| a@ | b |\n|-|-|\n"),
        ("| a | b |^\n|-|-|\n", "| a | b @|\n|-|-|\n"),
        ("^| a | b |\n|-|-|\n", "|@ a | b |\n|-|-|\n"),
        ("| a | b |\n|-^|-|\n| c | d |\n", "| a | b |\n|-|-|\n|@ c | d |\n"),
        ("a | b\n-|^-\nc | d\n", "a | b\n-|-\n@c | d\n"),
        ("|a|\n|-^|\n\n|b|\n|-|\n", "|a|\n|-|\n\n@\n\n\n|b|\n|-|\n"),
        ("|a|\n|-|\n|c|^", "|a|\n|-|\n|c@|"),
        ("|a|\n|-^|\n<div>\n", "|a|\n|-|\n\n@\n\n<div>\n"),
        ("```\na^\n```\nb", "```\na\n```\n\n@\n\nb"),
        ("```^\na\n```", "```\na\n```\n\n@\n"),
        ("```\na\n```\n^", "```\na\n```\n\n@\n\n"),
        ("^```\na\n```", "```\na\n```\n\n@\n"),
        ("b\n^```\na\n```", "b@\n```\na\n```"),
        ("~~~\na^\n", "~~~\na\n~~~\n\n@\n\n"),
        ("> ```\n> a^\n> ```\n> b", "> ```\n> a\n> ```\n>\n> @\n>\n> b"),
        ("1. ```\n   a^\n   ```\n   b", "1. ```\n   a\n   ```\n\n   @\n\n   b"),
        ("- ```\n  a^\n\nb", "- ```\n  a\n  ```\n\n  @\n\n\nb"),
        ("- ```^\n- b", "- ```\n  ```\n\n  @\n\n- b"),
        ("> <!-- a^\n\nb", "> <!-- a\n> -->\n>\n> @\n>\n\nb"),
        ("- a\n\n      b^\n\n  c", "- a\n\n      b\n\n  @\n\n\n  c"),
        ("    a^\n\nb", "    a\n\n@\n\n\nb"),
        ("<div>\na^\n</div>\n\nb", "<div>\na\n</div>\n\n@\n\n\nb"),
        ("<!-- a^", "<!-- a\n-->\n\n@\n"),
        ("^---\n\na", "---\n\n@a"),
        ("--^-", "---\n\n@"),
        ("a\n\n[x]: u^", "a@\n\n[x]: u"),
        ("[x]: ^u\n\na", "[x]: u\n\n@a"),
    ],
)
def test_landing(offset: str, lands: str) -> None:
    assert landed(offset) == lands


def test_taken_ranges_are_passed() -> None:
    landings = Landings("a [1] b", structure("a [1] b"), [(2, 5)])
    assert [landings.of(offset).at for offset in range(8)] == [0, 1, 2, 5, 5, 5, 6, 7]
