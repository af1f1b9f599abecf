"""The file of ``--parts``: what is taken, and what is said of a mistake."""

from pathlib import Path

import pytest

from citestream.cli import parts_file
from citestream.cli.outcomes import Failure
from citestream.cli.parts_file import read_parts
from citestream.targets import shipped_preset


def read(folder: Path, content: str) -> list[object]:
    path = folder / "parts.json"
    path.write_text(content, encoding="utf-8")
    return [*read_parts(str(path), shipped_preset())]


@pytest.mark.parametrize(
    ("data", "why"),
    [
        ("1e999", "a number is too large"),
        ("9" * 5000, "a number has too many digits"),
        ("[" * 70 + "]" * 70, "nested more than 64 deep"),
    ],
)
def test_data_that_cannot_be_held_costs_only_itself(tmp_path: Path, data: str, why: str) -> None:
    given = f'[{{"tool_name": "t", "data": {data}}}, {{"tool_name": "u", "data": 1}}]'
    first, second = read(tmp_path, "\ufeff" + given)
    assert (first.unreadable, first.data) == (why, None)  # type: ignore[attr-defined]
    assert (second.tool_name, second.data) == ("u", 1)  # type: ignore[attr-defined]


def test_a_key_of_the_data_given_twice_is_the_last(tmp_path: Path) -> None:
    [part] = read(tmp_path, '[{"tool_name": "t", "data": {"a": 1, "a": 2}}]')
    assert part.data == {"a": 2}  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("[1]", "[0]: must be a PartInput or a dict of its fields"),
        ('[{"tool_name": 1, "data": 1}]', "[0].tool_name: must be a string"),
        ('[{"tool_name": "t", "data": 1, "id": "/a"}]', "[0].id: "),
        ('[{"tool_name": "t", "data": 1, "origin": "sky"}]', "[0].origin: must be one of"),
        ("{", "not JSON at line 1, column 2"),
        ("1e999", "must be a JSON list of parts"),
    ],
)
def test_a_mistake_names_its_place(tmp_path: Path, content: str, told: str) -> None:
    with pytest.raises(Failure) as refused:
        read(tmp_path, content)
    assert str(refused.value).startswith(f"{tmp_path / 'parts.json'}: {told}")


def test_a_file_has_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts_file, "MAX_BYTES", 8)
    with pytest.raises(Failure, match="at most 8 bytes"):
        read(tmp_path, "[        ]")
