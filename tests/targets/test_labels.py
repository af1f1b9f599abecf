import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citestream.targets import Preset, TargetInputError, account_source, load_preset, slug


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("", "account"),
        ("•••• / ––", "account"),
        ("\u0301\u0302", "account"),
        ("\ud83d", "account"),
        ("Joint_Savings", "joint-savings"),
        ("İş Bankası", "is-bankası"),
        ("Tagesgeld ²", "tagesgeld-2"),
        ("حساب ٣", "حساب-٣"),
        ("Groß & Söhne", "groß-sohne"),
        ("ΑΣ ΟΔΟΣ", "ας-οδος"),
        ("a\u200bb", "a-b"),
    ],
)
def test_slug(label: str, expected: str) -> None:
    assert slug(label) == expected


@given(st.text())
def test_slug_is_words_with_one_dash_between_and_its_own_slug(label: str) -> None:
    made = slug(label)
    assert re.fullmatch(r"[^\W_]+(?:-[^\W_]+)*", made)
    assert slug(made) == made


def test_source_stands_in_the_folder_of_the_preset(preset: Preset) -> None:
    ledger = load_preset('scheme = "ledger"\n[sql]\n"my/books/<label>" = "account"')
    assert account_source("Credit card", preset) == "silvia://your-account/credit-card"
    assert account_source("Credit card", ledger) == "ledger://my/books/credit-card"


def test_product_without_labels_has_no_source_for_one() -> None:
    with pytest.raises(TargetInputError) as caught:
        account_source("Credit card", load_preset('scheme = "ledger"'))
    assert caught.value.field == "label"
