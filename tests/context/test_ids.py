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


def test_a_long_id_folds_as_if_at_once() -> None:
    for sign in ("x", "é", "\U0001f408", "-", "a:"):
        long = sign * 70_000 + "b" + sign * 70_000
        data = long.encode("utf-16-be")
        units = [int.from_bytes(data[at : at + 2], "big") for at in range(0, len(data), 2)]
        forward, backward = 0x811C9DC5, 0x9DC5811C
        for one, other in zip(units, reversed(units), strict=True):
            forward = (forward ^ one) * 0x01000193 % 2**32
            backward = (backward ^ other) * 0x01000193 % 2**32
        slug = re.sub("[^A-Za-z0-9_-]+", "-", long).strip("-")[:48]
        assert fold_context_id(long) == f"{slug}-{forward:08x}{backward:08x}"
    assert fold_context_id("é" * 70_000 + "a").startswith("a-")
    assert fold_context_id("ab" * 10 + "é" * 140_000).startswith(f"{'ab' * 10}-")
