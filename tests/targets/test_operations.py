import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citestream.targets import OPERATIONS, Preset, TargetInputError, load_preset

VECTORS = json.loads(
    (Path(__file__).parents[2] / "conformance" / "targets.json").read_text(encoding="utf-8")
)
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.just("search_result_location"),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["tool", "results", "source", "rows", "url", "type", "kind", "citationTargets"]
            )
            | st.text(),
            inner,
            max_size=4,
        )
    ),
    max_leaves=10,
)
KEYS = ("calls", "checkpoint", "value", "url", "row", "accountId", "label", "citations")


@pytest.mark.parametrize("row", VECTORS, ids=[row["id"] for row in VECTORS])
def test_vector(row: dict[str, object], preset: Preset) -> None:
    if "preset" in row:
        preset = load_preset(str(row["preset"]))
    answer = OPERATIONS[str(row["op"])](row["input"], preset)  # type: ignore[arg-type]
    assert answer == row["expect"], row["why"]
    assert json.dumps(answer) == json.dumps(row["expect"])  # objects keep their order too


def test_every_operation_has_vectors() -> None:
    assert {row["op"] for row in VECTORS} == set(OPERATIONS)


@given(
    operation=st.sampled_from(sorted(OPERATIONS)),
    body=st.fixed_dictionaries({}, optional=dict.fromkeys(KEYS, anything)),
)
def test_any_json_is_answered_or_refused_by_field(
    operation: str, body: dict[str, object], preset: Preset
) -> None:
    answer, field = {}, KEYS[0]
    try:
        answer = OPERATIONS[operation](body, preset)
    except TargetInputError as error:
        field = re.split(r"[.\[]", error.field)[0]
    assert json.loads(json.dumps(answer)) == answer
    assert field in KEYS


@pytest.mark.parametrize(
    ("operation", "body", "field"),
    [
        ("derive", {}, "calls"),
        ("derive", {"calls": {}}, "calls"),
        ("derive", {"calls": ["secret"]}, "calls[0]"),
        ("derive", {"calls": [{"tool": 1, "results": []}]}, "calls[0].tool"),
        ("derive", {"calls": [{"tool": "a"}]}, "calls[0].results"),
        ("derive", {"calls": [{"tool": "a", "results": [None]}]}, "calls[0].results[0]"),
        ("derive", {"calls": [{"tool": "a", "results": [{}]}]}, "calls[0].results[0].source"),
        ("derive", {"calls": [], "checkpoint": "secret"}, "checkpoint"),
        ("humanize-url", {"url": None}, "url"),
        ("account-url", {"accountId": 17}, "accountId"),
        ("account-url", {"accountId": ".."}, "accountId"),
        ("slug", {"label": ["secret"]}, "label"),
        ("attach", {"citations": "secret"}, "citations"),
        ("attach", {"citations": [[]]}, "citations[0]"),
        ("attach", {"citations": [], "checkpoint": []}, "checkpoint"),
    ],
)
def test_field_of_another_shape_is_named_and_not_echoed(
    operation: str, body: dict[str, object], field: str, preset: Preset
) -> None:
    with pytest.raises(TargetInputError) as caught:
        OPERATIONS[operation](body, preset)
    assert caught.value.field == field
    assert "secret" not in str(caught.value)


def test_deep_nesting_is_not_followed(preset: Preset) -> None:
    deep: object = "x"
    for _ in range(100_000):
        deep = {"source": deep}
    result = {"source": "silvia://your-account/a", "rows": [deep], "url": deep}
    answer = OPERATIONS["derive"]({"calls": [{"tool": "execute_sql", "results": [result]}]}, preset)
    assert answer["targets"] == {"silvia://your-account/a": None}
    assert OPERATIONS["account-ref"]({"row": deep}, preset) == {"account": None}
    assert OPERATIONS["parse"]({"value": deep}, preset) == {"target": None}
