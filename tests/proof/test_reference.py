"""The reference itself: every row of the vectors, so that it may judge the engine."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.proof.reference import DELIM, HEAD, START, STOP, joined, reference, visible

CONFORMANCE = Path(__file__).parents[2] / "conformance"
ROWS: list[dict[str, Any]] = [
    *json.loads((CONFORMANCE / "markers.json").read_text("utf-8")),
    *map(json.loads, (CONFORMANCE / "recorded_streams.jsonl").read_text("utf-8").splitlines()),
]


def known(parts: list[Any]) -> dict[str, str]:
    full = [{"id": part} if isinstance(part, str) else part for part in parts]
    return {part["id"]: part.get("origin", "tool") for part in full}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_a_row(row: dict[str, Any]) -> None:
    options = row.get("options", {})
    text = "".join(row["deltas"])
    expected = {
        key: row["expect"][key] for key in ("text", "citations", "dropped", "invalid_markers")
    }
    assert reference(text, known(row["parts"]), **options) == expected
    if "visible_after" in row:
        heads = ["".join(row["deltas"][: upto + 1]) for upto in range(len(row["deltas"]))]
        assert [visible(head, **options) for head in heads] == row["visible_after"]


def test_halves_of_a_character() -> None:
    assert joined("a\ud83d\ude00\ud83d") == "a\U0001f600\ufffd"
    assert joined("\ude00\ud83d\ud83d\ude00b") == "\ufffd\ufffd\U0001f600b"


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        pytest.param(f"{HEAD}id {DELIM}x\n", " x\n", id="run-ends-at-a-blank"),
        pytest.param(f"a{START}cite{STOP}", "a", id="family-before-stop"),
        pytest.param(f"a{START}cite{START}", "acite", id="family-before-start"),
        pytest.param(f"{HEAD}id{DELIM}/a b{DELIM}c\n", " bc\n", id="words-behind-the-run-stay"),
        pytest.param(f"{HEAD}  \n", "\n", id="blanks-behind-the-first-delimiter"),
    ],
)
def test_what_drop_takes(text: str, clean: str) -> None:
    assert reference(text, {}, "drop")["text"] == clean
