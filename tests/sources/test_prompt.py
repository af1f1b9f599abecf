"""The paragraph, held to what the reading of an answer does with its examples (S0)."""

import re

from citestream.sources import INSTRUCTIONS, Source, link

SOURCES = [Source(n, f"Page {n}", f"https://example.org/{n}") for n in (3, 5)]
ONE, SEVERAL = INSTRUCTIONS.split("Give one number at a time")


def test_the_form_it_asks_for_is_read_as_a_citation() -> None:
    assert re.findall(r"\[\d+\]", ONE) == ["[3]"]
    assert link(f"Noon {ONE[ONE.index('[3]') :][:3]}.", SOURCES).cited == (3,)
    wanted = re.findall(r"write (\[3\] \[5\])", SEVERAL)
    assert wanted
    assert link(f"Noon {wanted[0]}.", SOURCES).cited == (3, 5)


def test_it_rules_out_what_the_rules_rule_out() -> None:
    for forbidden in ("never [3, 5]", "no footnote definitions", "no list of sources"):
        assert forbidden in INSTRUCTIONS
    assert "only a number that a tool printed" in INSTRUCTIONS
