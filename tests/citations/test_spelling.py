"""One source as a marker of each dialect."""

import pytest

from citestream.citations.dialects import DIALECTS, Template
from citestream.citations.spelling import spell

TEMPLATE = Template("[[cite:", "]]", "|")


@pytest.mark.parametrize(
    ("dialect", "whole", "located"),
    [
        ("guide", "\ue200cite\ue202a\ue201", "\ue200cite\ue202a\ue202L3\ue201"),
        ("chatgpt", "\ue200cite\ue202a\ue201", "\ue200cite\ue202a\ue202L3\ue201"),
        ("escaped", "\\ue200cite\\ue202a\\ue201", "\\ue200cite\\ue202a\\ue202L3\\ue201"),
        ("lenticular", "【a†source】", "【a†L3】"),
        ("tags", '<cite id="a"/>', None),
        ("numbers", "[a]", None),
        (TEMPLATE, "[[cite:a]]", "[[cite:a|L3]]"),
        (Template("<|", "|>"), "<|a|>", None),
    ],
)
def test_spellings(dialect: str | Template, whole: str, located: str | None) -> None:
    assert spell(dialect, "a", "") == whole
    if located is None:
        with pytest.raises(ValueError, match=r"^locator: "):
            spell(dialect, "a", "L3")
    else:
        assert spell(dialect, "a", "L3") == located


def test_each_dialect_with_a_name_has_a_spelling() -> None:
    for name in DIALECTS:
        assert spell(name, "1", "")


def test_another_family_of_chatgpt() -> None:
    assert spell("chatgpt", "a", "", "filecite") == "\ue200filecite\ue202a\ue201"
