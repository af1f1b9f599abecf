"""What goes into a model's context: instructions and parts, by the ids that the turn knows."""

import pytest

import citestream
from citestream import sources
from citestream.citations import INSTRUCTIONS, format_part
from citestream.parts import IdCounter, make_part
from citestream.turns import PartInput, Turn, prompt_of

FIRST, SECOND = make_part("a", "t", 1), make_part("b", "t", "one")


def test_parts_are_shown_with_the_instructions() -> None:
    assert prompt_of([SECOND, FIRST], {}.get, "markers") == {
        "instructions": INSTRUCTIONS,
        "parts": [{"id": "b", "text": "[b] t\nL1: one"}, {"id": "a", "text": "[a] t\n1"}],
    }


def test_by_numbers_a_numbered_part_is_shown_with_its_number() -> None:
    shown = prompt_of([FIRST, SECOND], {"b": 7}.get, "numbers")
    assert shown["instructions"] == sources.INSTRUCTIONS
    assert [part["text"] for part in shown["parts"]] == [
        "[a] t\n1",
        "[7] is the number of this source:\n[b] t\nL1: one",
    ]


def test_brackets_of_a_web_source_are_not_ours() -> None:
    page = make_part("p", "t", {"value": "See [3].\nTwo"}, title="T [2]")
    for number, text in (
        (None, "T [2]\nL1: See [3]."),
        (1, "T \uff3b2\uff3d\nL1: See \uff3b3\uff3d."),
    ):
        [shown] = prompt_of([page], {"p": number}.get, "markers")["parts"]
        assert shown["text"] == f"[p] t\n{text}\nL2: Two"


def test_an_unknown_style_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"^style: must be one of markers, numbers$"):
        prompt_of([], {}.get, "footnotes")  # type: ignore[arg-type]


def test_a_turn_shows_the_ids_that_it_knows() -> None:
    turn = Turn(ids=IdCounter({"tool_data_": 1}))
    turn.register(tool_name="t", data={"a": 1})
    turn.register_results("web_search", [{"title": "T", "url": "https://e.org"}])
    shown = turn.prompt()
    assert [part["id"] for part in shown["parts"]] == ["tool_data_02", "tool_data_03"]
    assert [part["text"] for part in shown["parts"]] == [format_part(p) for p in turn.parts()]
    assert turn.prompt(["tool_data_03"])["parts"] == shown["parts"][1:]
    assert turn.prompt([])["parts"] == []
    assert turn.prompt(style="numbers")["parts"][1]["text"].startswith("[1] is the number")
    with pytest.raises(KeyError):
        turn.prompt(["tool_data_01"])


def test_the_face_is_the_same_for_parts_and_dicts() -> None:
    dicts = [{"tool_name": "t", "data": {"a": 1}}, PartInput("t", 2)]
    assert citestream.prompt(dicts) == Turn(parts=dicts).prompt()
    with pytest.raises(citestream.PartError, match=r"^parts\[1\]\.unknown field; known fields: "):
        citestream.prompt([{"tool_name": "t", "data": 1}, {"tool": "t", "data": 1}])
