"""The generated table of abbreviations: it is what the conformance file lists."""

import json

from tests.claims import generate_abbreviations as generator
from tests.vectors import CONFORMANCE

from citestream.claims import abbreviations


def test_the_table_is_what_its_generator_writes() -> None:
    assert generator.TABLE.read_text(encoding="utf-8") == generator.table()


def test_each_list_is_whole() -> None:
    lists = json.loads((CONFORMANCE / "abbreviations.json").read_text(encoding="utf-8"))
    assert abbreviations.ALWAYS.split("|") == lists["always"]
    assert abbreviations.BEFORE_NUMBER.split("|") == lists["before_number"]
    assert abbreviations.AFTER_ORDINAL.split("|") == lists["after_ordinal"]


def test_the_head_says_where_the_lists_are_from() -> None:
    assert "CLDR 42" in (abbreviations.__doc__ or "")
    assert "Unicode License v3" in (abbreviations.__doc__ or "")
