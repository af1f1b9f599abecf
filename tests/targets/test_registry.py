import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citestream.targets import (
    Account,
    Analysis,
    MarketData,
    Preset,
    Registry,
    Result,
    Target,
    TargetInputError,
    Web,
    derive,
)

PAGE = "https://www.irs.gov/publications/p550"
IDS = ("Lr5nQ8_wT-2bXy7KdEoJc1MvZa4PiSh9UgFk0", "a3d0f6b8-92e1-4c57-b6aa-1e40c7d9f835")

# Few sources and few ids, so that most turns write one source several times.
row = st.fixed_dictionaries(
    {},
    optional={
        "source": st.sampled_from(["plaid", "manual", "snaptrade", "wallet", "", None]),
        "source_account_id": st.sampled_from([*IDS, "17"]),
        "account_id": st.sampled_from(IDS),
    },
)
named_row = st.fixed_dictionaries(
    {
        "source": st.sampled_from(["plaid", "manual", None]),
        "source_account_id": st.sampled_from(IDS),
    }
)
labelled = st.builds(
    Result,
    st.sampled_from(["silvia://your-account/a", "silvia://your-account/b"]),
    st.lists(named_row, min_size=1, max_size=3) | st.lists(row, max_size=3),
)
linked = st.builds(
    Result,
    st.sampled_from([PAGE, "silvia://tax-authority/p550.md", "silvia://analysis", "x://y"]),
    st.just(()),
    st.sampled_from([None, PAGE]),
)
results = st.lists(
    st.tuples(st.just("execute_sql"), labelled)
    | st.tuples(
        st.sampled_from(["execute_python", "read_tax_authority", "search_web", "fetch_page"]),
        linked,
    ),
    max_size=8,
)


def write(registry: Registry, turn: list[tuple[str, Result]], preset: Preset) -> None:
    for tool, result in turn:
        written = derive(tool, result, preset)
        registry.write(written.source, written.target)


@given(turn=results, cuts=st.sets(st.integers(0, 8)))
def test_turn_cut_into_slices_means_the_same(
    turn: list[tuple[str, Result]], cuts: set[int], preset: Preset
) -> None:
    whole, sliced = Registry(), Registry()
    write(whole, turn, preset)
    for at, entry in enumerate(turn):
        if at in cuts:
            sliced = Registry.from_checkpoint(json.loads(json.dumps(sliced.checkpoint())))
        write(sliced, [entry], preset)
    assert json.dumps(sliced.checkpoint()) == json.dumps(whole.checkpoint())


@given(turn=results, again=st.integers(0, 7))
def test_same_result_again_changes_no_other_meaning_than_a_provider(
    turn: list[tuple[str, Result]], again: int, preset: Preset
) -> None:
    registry = Registry()
    write(registry, turn, preset)
    before = without_providers(registry)
    write(registry, turn[again : again + 1], preset)
    assert without_providers(registry) == before


def without_providers(registry: Registry) -> object:
    text = json.dumps(registry.checkpoint())
    for provider in ('"plaid"', '"manual"', '"snaptrade"'):
        text = text.replace(provider, "null")
    return json.loads(text)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (Web(url=PAGE), None),
        (None, Web(url=PAGE)),
        (Analysis(), Web(url=PAGE)),
        (MarketData(ticker="A"), MarketData(ticker="B")),
        (Account(accountId="a", provider=None), Analysis()),
    ],
)
def test_disagreement_is_untyped_for_good(first: Target | None, second: Target | None) -> None:
    registry = Registry()
    for target in (first, second, first, second):
        registry.write("s", target)
    assert registry.target("s") is None
    assert registry.checkpoint() == {"citationTargets": {"s": None}}


def test_source_that_the_turn_did_not_write_means_nothing() -> None:
    registry = Registry()
    assert registry.target("silvia://analysis") is None
    assert registry.checkpoint() == {"citationTargets": {}}


def test_meaning_may_be_lost_after_it_was_read() -> None:
    registry = Registry()
    registry.write(PAGE, Web(url=PAGE))
    assert registry.target(PAGE) == Web(url=PAGE)
    registry.write(PAGE, None)
    assert registry.target(PAGE) is None


@pytest.mark.parametrize("checkpoint", [None, {}, {"slice": 2}, {"citationTargets": None}])
def test_checkpoint_without_targets_is_an_empty_registry(checkpoint: object) -> None:
    assert Registry.from_checkpoint(checkpoint).checkpoint() == {"citationTargets": {}}


@pytest.mark.parametrize(
    ("checkpoint", "field"),
    [
        ([], "checkpoint"),
        ("{}", "checkpoint"),
        ({"citationTargets": []}, "checkpoint.citationTargets"),
        ({"citationTargets": "secret"}, "checkpoint.citationTargets"),
    ],
)
def test_checkpoint_of_another_shape_is_refused(checkpoint: object, field: str) -> None:
    with pytest.raises(TargetInputError) as caught:
        Registry.from_checkpoint(checkpoint)
    assert caught.value.field == field
    assert "secret" not in str(caught.value)
