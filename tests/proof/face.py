"""The package under test, called in one way: deltas and options in, plain tuples or dicts out."""

from collections.abc import Iterable, Mapping
from typing import Any

from tests.proof.reference import stripped, visible

from citestream.citations import Engine, EngineOptions

Outcome = tuple[str, str, list[tuple[str, int, str]], int]
"""Clean text before the end and at the end, each source named, count of failed candidates."""


def engine_outcome(deltas: Iterable[str], options: Mapping[str, Any]) -> Outcome:
    """What the engine makes of these deltas."""
    engine = Engine(EngineOptions(**options))
    shown = "".join([engine.feed(delta) for delta in deltas])
    text = shown + engine.finish()
    return shown, text, [tuple(entry) for entry in engine.take()], engine.invalid_markers


def expected_outcome(text: str, options: Mapping[str, Any]) -> Outcome:
    """The same by the reference."""
    return visible(text, **options), *stripped(text, **options)
