"""The two answers that are shown, read from the files beside this one.

``expect`` in a file was written by hand; what comes back from the service is held against it.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class ShownAnswer:
    """A raw answer as a model's tokens, the data it was made from, and what it must come to."""

    title: str
    about: str
    options: dict[str, str]
    parts: list[dict[str, Any]]
    tokens: list[str]
    end: str
    expect: dict[str, Any]

    @property
    def raw(self) -> str:
        """The whole raw answer; an emoji that the tokens cut stands in it as two halves."""
        return "".join(self.tokens)


def load(name: str) -> ShownAnswer:
    """Return the answer in ``<name>.json``."""
    text = (Path(__file__).parent / f"{name}.json").read_text(encoding="utf-8")
    return ShownAnswer(**json.loads(text))


def differences(answer: ShownAnswer, artifact: dict[str, Any]) -> list[str]:
    """Return what of a closing event is not as ``expect`` has it."""
    text, citations = shown(artifact)
    found = {
        "text": text,
        "citations": [[one["data_part_id"], one["locator"]] for one in citations],
        "dropped": [one["data_part_id"] for one in artifact["dropped"]],
        "invalid_markers": artifact["invalid_markers"],
    }
    return [
        f"{answer.title}: {field} is {found[field]!r}, not {expected!r}"
        for field, expected in answer.expect.items()
        if found[field] != expected
    ]


def shown(artifact: dict[str, Any]) -> tuple[str, list[dict[str, Any]]]:
    """Return clean text and citations out of a closing event."""
    text_part = artifact["artifact"]["parts"][0]
    return text_part["text"], text_part["metadata"]["citations"]
