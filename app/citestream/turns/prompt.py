"""What goes into a model's context, so that it cites the parts of a turn.

Must not know where the parts come from, or how the model is asked.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, Final, Literal, TypeAlias, get_args

from citestream import citations, sources
from citestream.citations import format_part
from citestream.parts import DataPart

PromptStyle: TypeAlias = Literal["markers", "numbers"]
"""How a model is taught to cite: by the ids of parts, or by the numbers of web sources."""

STYLES: Final[tuple[PromptStyle, ...]] = get_args(PromptStyle)


def prompt_of(
    parts: Iterable[DataPart], number: Callable[[str], int | None], style: PromptStyle
) -> dict[str, Any]:
    """Return ``{"instructions": str, "parts": [{"id": str, "text": str}]}``.

    ``number`` returns the number of the source that a part is. Raises ``ValueError`` for an
    unknown style.
    """
    if style not in STYLES:
        raise ValueError(f"style: must be one of {', '.join(STYLES)}")
    shown = [{"id": part.id, "text": _shown(part, number(part.id), style)} for part in parts]
    paragraph = citations.INSTRUCTIONS if style == "markers" else sources.INSTRUCTIONS
    return {"instructions": paragraph, "parts": shown}


def _shown(part: DataPart, number: int | None, style: PromptStyle) -> str:
    if number is None:
        return format_part(part)
    # A number in brackets of a page's own must not be taken for one of ours.
    title, data = part.title and sources.foreign_line(part.title), part.data
    if isinstance(data, dict) and isinstance(data.get("value"), str):
        data = {**data, "value": sources.foreign_body(data["value"])}
    text = format_part(replace(part, title=title, data=data))
    return text if style == "markers" else f"[{number}] is the number of this source:\n{text}"
