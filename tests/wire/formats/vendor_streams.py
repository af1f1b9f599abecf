"""Short streams of each vendor, made of deltas, for what holds of every format."""

import json
from collections.abc import Iterator
from typing import Any

from tests.wire.formats.contract import Shown
from tests.wire.formats.streams import events

Object = dict[str, Any]


def named(*values: Object) -> bytes:
    return b"".join(
        f"event: {value['type']}\ndata: {json.dumps(value)}\n\n".encode() for value in values
    )


def responses(deltas: list[str]) -> bytes:
    text = "".join(deltas)
    place = {"item_id": "m", "output_index": 0, "content_index": 0}
    part = {"type": "output_text", "text": text, "annotations": [], "logprobs": []}
    item = {"id": "m", "type": "message", "content": [part]}
    empty = {**part, "text": ""}
    made: list[Object] = [
        {"type": "response.created", "response": {"id": "r", "output": []}},
        {"type": "response.output_item.added", "output_index": 0, "item": {**item, "content": []}},
        {"type": "response.content_part.added", **place, "part": empty},
        *({"type": "response.output_text.delta", **place, "delta": one} for one in deltas),
        {"type": "response.output_text.done", **place, "text": text},
        {"type": "response.content_part.done", **place, "part": part},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": {"id": "r", "output": [item]}},
    ]
    return named(*({**one, "sequence_number": at} for at, one in enumerate(made)))


def messages(deltas: list[str]) -> bytes:
    texts: Iterator[Object] = (
        {
            "type": "content_block_delta",
            "index": 0,
            "delta": {"type": "text_delta", "text": one},
        }
        for one in deltas
    )
    return named(
        {"type": "message_start", "message": {"id": "m", "content": []}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        *texts,
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}},
        {"type": "message_stop"},
    )


def gemini(deltas: list[str]) -> bytes:
    made: list[Object] = [
        {"candidates": [{"content": {"parts": [{"text": one}]}, "index": 0}]} for one in deltas
    ]
    made[-1]["candidates"][0]["finishReason"] = "STOP"
    return b"".join(f"data: {json.dumps(one)}\n\n".encode() for one in made)


def shown_by_responses(stream: bytes) -> Shown:
    found = list(events(stream))
    kinds = [one["type"] for one in found]
    done = [one["text"] for one in found if one["type"] == "response.output_text.done"]
    parts = [one["part"]["text"] for one in found if one["type"] == "response.content_part.done"]
    errors = kinds.count("error")
    ends = kinds.count("response.completed") + kinds.count("response.incomplete")
    return Shown(
        [one["delta"] for one in found if one["type"] == "response.output_text.delta"],
        done + parts,
        kinds.count("response.content_part.added"),
        kinds.count("response.content_part.done"),
        ends,
        errors,
        "end" if ends else "error" if errors else "other",
    )


def shown_by_anthropic(stream: bytes) -> Shown:
    found = list(events(stream))
    kinds = [one["type"] for one in found]
    ends, errors = kinds.count("message_stop"), kinds.count("error")
    return Shown(
        [one["delta"]["text"] for one in found if "text" in one.get("delta", ())],
        [],
        kinds.count("content_block_start"),
        kinds.count("content_block_stop"),
        ends,
        errors,
        "end" if ends else "error" if errors else "other",
    )


def shown_by_gemini(stream: bytes) -> Shown:
    found = list(events(stream))
    candidates = [one for event in found for one in event.get("candidates", ())]
    ends = sum("finishReason" in one for one in candidates)
    errors = sum("error" in event for event in found)
    return Shown(
        ["".join(part["text"] for part in one["content"]["parts"]) for one in candidates],
        [],
        0,
        0,
        ends,
        errors,
        "end" if ends else "error" if errors else "other",
    )


def shown_by_vercel(stream: bytes) -> Shown:
    return shown_by_types(stream, "text-delta", "text-start", "text-end", "finish", "error")


def shown_by_ag_ui(stream: bytes) -> Shown:
    kinds = ("TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_START", "TEXT_MESSAGE_END")
    return shown_by_types(stream, *kinds, "RUN_FINISHED", "RUN_ERROR")


def shown_by_a2a(stream: bytes) -> Shown:
    tasks, deltas, states = 0, [], []
    for one in events(stream):
        tasks += "task" in one or one.get("kind") == "task"
        update = one.get("artifactUpdate", one)
        parts = update.get("artifact", {}).get("parts", [])
        deltas += [part["text"] for part in parts if "text" in part]
        if one.get("kind") == "status-update" or "statusUpdate" in one:
            status = one.get("statusUpdate", one)["status"]["state"]
            states.append(status.removeprefix("TASK_STATE_").lower())
    failed = states.count("failed")
    last = "other" if not states else "error" if states[-1] == "failed" else "end"
    return Shown(deltas, [], tasks, len(states), len(states) - failed, failed, last)


def shown_by_types(
    stream: bytes, delta: str, opens: str, closes: str, ends: str, fails: str
) -> Shown:
    found = [one for one in events(stream) if "type" in one]
    kinds = [one["type"] for one in found]
    last = {ends: "end", fails: "error"}.get(kinds[-1] if kinds else "", "other")
    deltas = [one["delta"] for one in found if one["type"] == delta]
    return Shown(deltas, [], *map(kinds.count, (opens, closes, ends, fails)), last)
