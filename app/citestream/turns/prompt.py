"""What goes into a model's context, so that it cites the parts of a turn.

Must not know where the parts come from, or how the model is asked.
"""

from collections.abc import Callable, Iterable
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
    if style == "markers":
        shown = [{"id": part.id, "text": format_part(part)} for part in parts]
        return {"instructions": citations.INSTRUCTIONS, "parts": shown}
    shown = [{"id": part.id, "text": _numbered(part, number(part.id))} for part in parts]
    return {"instructions": sources.INSTRUCTIONS, "parts": shown}


def _numbered(part: DataPart, number: int | None) -> str:
    text = format_part(part)
    return text if number is None else f"[{number}] is the number of this source:\n{text}"
