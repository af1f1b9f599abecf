"""The closing event as bytes, and its pieces."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.citations.markers import marker

from citestream.parts import DataPart
from citestream.service.stored.closing import Closing, write_closing
from citestream.sources import Source
from citestream.turns import Answer, ArtifactEvent, Citation, PartInput, Turn
from citestream.wire.json_text import dumps

WORDS = st.text(st.characters(exclude_categories=("Cs",)), max_size=6)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=6,
)
ANSWERS = st.builds(
    lambda text, data, sources, href: Answer(
        status="completed",
        reason="complete",
        text=text,
        citations=tuple(Citation(f"p{n}", 0, "") for n in range(len(data))),
        cited_parts=tuple(DataPart(f"p{n}", "t", one) for n, one in enumerate(data)),
        dropped=(),
        invalid_markers=0,
        sources=tuple(Source(n, "T", f"https://e.org/{n}") for n in range(sources)),
        part_href=href,
    ),
    WORDS,
    st.lists(JSON, max_size=3),
    st.integers(0, 2),
    st.sampled_from([None, "/parts/"]),
)


def check(answer: Answer) -> None:
    event = ArtifactEvent(answer)
    data, lengths = write_closing(event)
    assert data == dumps(event.as_json())
    closing = Closing(data, lengths, None if lengths.parts else answer.text)
    assert json.loads(closing.text()) == answer.text
    assert json.loads(closing.citations()) == [one.as_json() for one in answer.citations]
    assert json.loads(closing.metadata()) == answer.artifact().get("metadata")
    rest = answer.closing_json()
    assert json.loads(closing.artifact()) == rest.pop("artifact")
    outcome = b"{" + closing.outcome() + b"}"
    assert json.loads(outcome) == rest
    assert list(json.loads(outcome))[:2] == ["status", "reason"]


@given(ANSWERS)
def test_the_pieces_are_those_of_the_answer(answer: Answer) -> None:
    check(answer)


def ended(text: str, data: Any) -> Answer:
    turn = Turn(parts=[PartInput("t", data, "a")], part_href="/parts/", include=["excerpt"])
    turn.feed(text)
    turn.finish()
    return turn.answer()


@pytest.mark.parametrize("data", ["x" * 300_000, {"value": [1]}, {"value": 1, "other": "\u2028"}])
def test_the_closing_of_a_turn(data: Any) -> None:
    check(ended(f'"\\ \u2028 {marker("a")}.', data))


def test_the_text_of_an_answer_to_be_given_again_is_not_in_its_artifact() -> None:
    check(ended(marker("user_text_1") + " \n", 1))
