"""Folding of ids."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citestream.context import fold_context_id


@given(st.text(alphabet=st.characters(), max_size=200))
def test_a_folded_id_is_an_id_and_folds_to_itself(producer_id: str) -> None:
    folded = fold_context_id(producer_id)
    assert re.fullmatch(r"[A-Za-z0-9_-]{1,128}", folded)
    assert fold_context_id(folded) == folded


@pytest.mark.parametrize(
    ("producer_id", "folded"),
    [
        ("a b", "a-b-10a3f9f24eebefbd"),
        ("café", "caf-3308be7c16b2f0e7"),
        ("", "ctx-811c9dc59dc5811c"),
        (
            "pull-request-selection:src/b.ts:4-9",
            "pull-request-selection-src-b-ts-4-9-b4c51b27a7b228a8",
        ),
        ("A" * 128, "A" * 128),
    ],
)
def test_known_values(producer_id: str, folded: str) -> None:
    assert fold_context_id(producer_id) == folded
