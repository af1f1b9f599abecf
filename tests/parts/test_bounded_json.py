"""Texts of many values: read as by any decoder, refused in time, and without stopping others."""

import json
import threading
import time
import tracemalloc
from math import isnan
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citestream.parts import bounded_json
from citestream.parts.bounded_json import MAX_VALUES, TooManyValuesError, decode

DECODER = json.JSONDecoder(object_pairs_hook=lambda pairs: pairs, parse_float=lambda text: [text])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


def outcome(text: str) -> Any:
    try:
        return decode(text, DECODER)
    except ValueError as error:
        return f"{type(error).__name__}: {error}"


def both_ways(text: str) -> tuple[Any, Any]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bounded_json, "FEW", -1)
        return outcome(text), outcome_of_the_decoder(text)


def outcome_of_the_decoder(text: str) -> Any:
    try:
        return DECODER.decode(text)
    except ValueError as error:
        return f"{type(error).__name__}: {error}"


@settings(max_examples=150, deadline=None)
@given(JSON, st.sampled_from([None, 1]), st.integers(0, 20), st.sampled_from(["", "}", ",", "]"]))
def test_counted_values_are_the_decoders(value: Any, indent: Any, at: int, put_in: str) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=False)
    text = text[:at] + put_in + text[at:]
    counted, plain = both_ways(text)
    assert repr(counted) == repr(plain)


def test_keys_are_shared_among_the_objects_of_a_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounded_json, "FEW", -1)
    first, second = decode('[{"some key": 1}, {"some key": 2}]', json.JSONDecoder())
    assert next(iter(first)) is next(iter(second))


@pytest.mark.parametrize("piece", ["[]", "{}", "1", '""', '{"a":1}', "[[]]"])
@pytest.mark.parametrize("beyond", [0, 1])
def test_the_bound(piece: str, beyond: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounded_json, "FEW", 100)
    monkeypatch.setattr(bounded_json, "MAX_VALUES", 1000)
    inside = 2 if piece in ('{"a":1}', "[[]]") else 1
    text = "[" + ",".join([piece] * (1000 // inside)) + ",0" * beyond + "]"
    if beyond:
        with pytest.raises(TooManyValuesError, match="1000 values"):
            decode(text, json.JSONDecoder())
    else:
        assert decode(text, json.JSONDecoder()) == json.loads(text)


def test_signs_inside_of_strings_are_no_values() -> None:
    value = ["," * MAX_VALUES, "[{" * 10]
    assert decode(json.dumps(value), json.JSONDecoder()) == value


def test_a_text_of_lists_alone_takes_a_bounded_part_of_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bounded_json, "FEW", 1000)
    monkeypatch.setattr(bounded_json, "MAX_VALUES", 40_000)
    text = "[" + "[]," * 160_000 + "[]]"
    tracemalloc.start()
    try:
        with pytest.raises(TooManyValuesError):
            decode(text, json.JSONDecoder())
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 8 * len(text)  # the values of all of it would take more than twenty times as much


def test_other_threads_run_while_many_values_are_read() -> None:
    text = "[" + "[]," * 400_000 + "[]]"
    done = threading.Event()
    reading = threading.Thread(target=lambda: (decode(text, json.JSONDecoder()), done.set()))
    turns = 0
    reading.start()
    while not done.is_set():
        time.sleep(0)
        turns += 1
    reading.join()
    assert turns > 5


def test_what_decoders_allow_is_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounded_json, "FEW", -1)
    assert isnan(decode("[NaN]", json.JSONDecoder())[0])
