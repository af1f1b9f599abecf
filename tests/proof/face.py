"""The package under test, called in one way: deltas and options in, plain tuples or dicts out."""

from collections.abc import Iterable, Mapping
from typing import Any

from tests.citations.markers import triples
from tests.proof.reference import stripped, visible

from citestream import Answer, PartInput, parse
from citestream.citations import Engine, EngineOptions

Outcome = tuple[str, str, list[tuple[str, int, str]], int]
"""Clean text before the end and at the end, each source named, count of failed candidates."""


def engine_outcome(deltas: Iterable[str], options: Mapping[str, Any]) -> Outcome:
    """What the engine makes of these deltas."""
    engine = Engine(EngineOptions(**options))
    shown = "".join([engine.feed(delta) for delta in deltas])
    text = shown + engine.finish()
    return shown, text, triples(engine.take()), engine.invalid_markers


def expected_outcome(text: str, options: Mapping[str, Any]) -> Outcome:
    """The same by the reference."""
    return visible(text, **options), *stripped(text, **options)


def part(source: str, origin: Any) -> PartInput:
    """A part of this id with some data."""
    return PartInput(tool_name="search", data={"value": "line"}, id=source, origin=origin)


def parts_of(known: Mapping[str, str]) -> list[PartInput]:
    """A part for each id."""
    return [part(source, origin) for source, origin in known.items()]


def as_expected(answer: Answer) -> dict[str, Any]:
    """An answer in the keys of the vectors."""
    whole = answer.as_json()
    return {key: whole[key] for key in ("text", "citations", "dropped", "invalid_markers")}


def parsed(text: str, known: Mapping[str, str], options: Mapping[str, Any]) -> dict[str, Any]:
    """What the whole text comes to, in the keys of the vectors."""
    return as_expected(parse(text, parts_of(known), options=EngineOptions(**options)))
