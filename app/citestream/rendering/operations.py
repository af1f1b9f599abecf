"""The whole table of S0's operations: those of `sources/`, and `render`, which is built here."""

from collections.abc import Mapping
from typing import Any, Final

from citestream.parts.text import replace_surrogates
from citestream.rendering.render import append_block, render
from citestream.sources.operations import OPERATIONS, Body, Operation, sources_from_json


def _render(body: Body) -> dict[str, Any]:
    sources = sources_from_json(body["sources"])
    style = body.get("marker_style", "brackets")
    rendered = render(body["markdown"], sources=sources, marker_style=style)
    return {
        "markdown": append_block(rendered.text, replace_surrogates(body.get("tools_line") or "")),
        "cited": list(rendered.cited),
        "listed": list(rendered.listed),
    }


SOURCE_OPERATIONS: Final[Mapping[str, Operation]] = {**OPERATIONS, "render": _render}
"""Operation → function, named as in the addresses `/v1/sources/<operation>`."""
