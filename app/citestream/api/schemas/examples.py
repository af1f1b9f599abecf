"""Whole bodies with their whole answers, as the document shows them.

A test sends each and compares: what is shown here is what the service says.
"""

from typing import Any, Final

import citestream

_PART: Final[dict[str, Any]] = {
    "id": "tool_data_02",
    "tool_name": "pubmed_search",
    "data": {"value": {"results": [{"findings": "The lifetime limit is 450 mg/m²."}]}},
    "origin": "tool",
    "title": "Dose limits",
    "url": "https://example.org/dose-limits",
}
_OPTIONS: Final = {"invalid_markers": "drop", "whitespace": "tidy"}
_RAW: Final = "The limit is 450 mg/m² \ue200cite\ue202tool_data_02\ue202/results/0/findings\ue201."
_CLEAN: Final = "The limit is 450 mg/m²."
_CITATION: Final[dict[str, Any]] = {
    "data_part_id": "tool_data_02",
    "offset": 23,
    "locator": "/results/0/findings",
}
_INCLUDED: Final[dict[str, Any]] = {
    **_CITATION,
    "resolution": "resolved",
    "excerpt": {"text": "The lifetime limit is 450 mg/m².", "truncated": False},
    "offsets": {"rune": 23, "utf16": 23, "utf8": 24},
    "source": {
        "tool_name": "pubmed_search",
        "title": "Dose limits",
        "url": "https://example.org/dose-limits",
    },
    "claim": {
        "start": 0,
        "end": 23,
        "offsets": {
            "start": {"rune": 0, "utf16": 0, "utf8": 0},
            "end": {"rune": 23, "utf16": 23, "utf8": 24},
        },
    },
    "check": {"found": ["450"], "missing": []},
}
_CUSTOM: Final[dict[str, Any]] = {
    "type": "custom",
    "name": "tool_ended",
    "value": {"tool": "pubmed_search"},
}


def _closing(citation: dict[str, Any]) -> dict[str, Any]:
    return {
        "artifact": {
            "parts": [
                {"text": _CLEAN, "metadata": {"citations": [citation]}},
                {
                    "data": _PART["data"],
                    "metadata": {"dataPartId": "tool_data_02", "toolName": "pubmed_search"},
                },
            ]
        },
        "status": "completed",
        "reason": "complete",
        "dropped": [],
        "invalid_markers": 0,
    }


ANSWER_BODY: Final[dict[str, Any]] = {
    "parts": [_PART],
    "text": _RAW,
    "options": _OPTIONS,
    "include": ["excerpt", "offsets", "source", "diagnostics", "claim", "check"],
}
ANSWER: Final[dict[str, Any]] = {
    **_closing(_INCLUDED),
    "text": _CLEAN,
    "citations": [_INCLUDED],
    "unsupported": 0,
    "diagnostics": {"invalid_marker_offsets": [], "replaced_signs": 0, "stray_signs": 0},
}

INPUT_LINES: Final[list[dict[str, Any]]] = [
    {"type": "start", "options": _OPTIONS, "include": []},
    {"type": "part", **_PART},
    _CUSTOM,
    {"type": "delta", "text": _RAW},
    {"type": "end", "reason": "complete"},
]
"""A body of NDJSON, line by line."""
STREAM_EVENTS: Final[list[dict[str, Any]]] = [
    _CUSTOM,
    {"type": "delta", "text": _CLEAN},
    {"type": "citation", "citation": _CITATION},
    {"type": "citations_summary", "citations": [_CITATION]},
    {"type": "artifact", **_closing(_CITATION)},
]
"""The events that answer :data:`INPUT_LINES`."""

PROMPT_BODY: Final[dict[str, Any]] = {"parts": [_PART], "style": "markers"}
PROMPT: Final[dict[str, Any]] = {
    "instructions": citestream.prompt([])["instructions"],
    "parts": [
        {
            "id": "tool_data_02",
            "text": "[tool_data_02] pubmed_search\nDose limits\nhttps://example.org/dose-limits\n"
            '/results/0/findings: "The lifetime limit is 450 mg/m²."',
        }
    ],
}

_CREATED: Final = 1795982225.3
_ENDED: Final = 1795982231.9
_LABELS: Final = {"tenant": "north"}
_ASKED: Final = "What is the limit?"

MESSAGE_BODY: Final[dict[str, Any]] = {
    "id": "m-1",
    "text": _ASKED,
    "context": None,
    "attachments": {},
}
CREATED_MESSAGE: Final[dict[str, Any]] = {"id": "m-1", "position": 1, "unavailable": []}
CREATE_TURN_BODY: Final[dict[str, Any]] = {
    "turn_id": "turn-7",
    "session_id": "session-1",
    "options": _OPTIONS,
    "include": [],
    "labels": _LABELS,
}
CREATED_TURN: Final[dict[str, Any]] = {"id": "turn-7", "session_id": "session-1", "next": 1}
PUSH_BODY: Final[dict[str, Any]] = {"seq": 1, "events": INPUT_LINES}
PUSH_ANSWER: Final[dict[str, Any]] = {
    "next": 6,
    "parts": [{"id": "tool_data_02", "tool_name": "pubmed_search"}],
    "tool_output": [],
    "prompt": "/v1/turns/turn-7/prompt",
    "status": "completed",
}
NEXT_INPUT: Final[dict[str, Any]] = {"next": 6, "status": "completed"}
STORED_ANSWER: Final[dict[str, Any]] = {
    "id": "turn-7",
    "session_id": "session-1",
    "labels": _LABELS,
    "created": _CREATED,
    "ended": _ENDED,
    "next": 6,
    **_closing(_CITATION),
    "text": _CLEAN,
    "citations": [_CITATION],
}
CITED_PART: Final[dict[str, Any]] = STORED_ANSWER["artifact"]["parts"][1]
RAW_TEXT: Final[dict[str, Any]] = {"text": _RAW}
SESSION: Final[dict[str, Any]] = {
    "id": "session-1",
    "created": _CREATED,
    "items": [
        {
            "type": "message",
            "position": 1,
            "id": "m-1",
            "created": _CREATED,
            "text": _ASKED,
            "context": None,
            "attachments": {},
            "unavailable": [],
        },
        {
            "type": "turn",
            "position": 2,
            "id": "turn-7",
            "created": _CREATED,
            "ended": _ENDED,
            "status": "completed",
            "reason": "complete",
            "text": _CLEAN,
            "citations": [
                {
                    "data_part_id": "tool_data_02",
                    **{name: _PART[name] for name in ("tool_name", "title", "url")},
                }
            ],
            "inline_citations": [_CITATION],
            "sources": [],
            "labels": _LABELS,
        },
    ],
    "next": None,
}
HISTORY: Final[dict[str, Any]] = {
    "messages": [
        {"role": "user", "content": _ASKED},
        {"role": "assistant", "content": _CLEAN},
    ],
    "text": None,
}
