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
    "include": ["excerpt", "offsets", "source", "diagnostics"],
}
ANSWER: Final[dict[str, Any]] = {
    **_closing(_INCLUDED),
    "text": _CLEAN,
    "citations": [_INCLUDED],
    "diagnostics": {"invalid_marker_offsets": [], "replaced_signs": 0},
}

INPUT_LINES: Final[dict[str, Any]] = {
    "start": {"type": "start", "options": _OPTIONS, "include": []},
    "part": {"type": "part", **_PART},
    "custom": _CUSTOM,
    "delta": {"type": "delta", "text": _RAW},
    "end": {"type": "end", "reason": "complete"},
}
"""A body of NDJSON, line by line."""
STREAM_EVENTS: Final[dict[str, Any]] = {
    "custom": _CUSTOM,
    "delta": {"type": "delta", "text": _CLEAN},
    "citation": {"type": "citation", "citation": _CITATION},
    "citations_summary": {"type": "citations_summary", "citations": [_CITATION]},
    "artifact": {"type": "artifact", **_closing(_CITATION)},
}
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
