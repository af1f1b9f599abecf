"""A citation in its surroundings: the lines of the part, as the model saw them, the cited marked.

Must not know streams or terminals.
"""

import json
import re
from typing import NamedTuple

from citestream import Excerpt

_LINES = re.compile(r"L([0-9]+)(?:-L?([0-9]+))?")


class PlaceLine(NamedTuple):
    """One line of a part: its locator, what stands there, and whether it is cited."""

    place: str
    value: str
    cited: bool


def place_lines(part_text: str, locator: str) -> list[PlaceLine]:
    """Return the lines of a part's text (of ``POST /v1/prompt``) with those at ``locator`` marked.

    An empty locator marks them all: the whole part is cited.
    """
    lines = (line.partition(": ") for line in part_text.split("\n")[1:])
    return [PlaceLine(place, value, _names(locator, place)) for place, _, value in lines]


def around(lines: list[PlaceLine]) -> list[PlaceLine]:
    """Return the cited lines and the one before and behind them."""
    cited = [index for index, line in enumerate(lines) if line.cited]
    return lines[max(0, cited[0] - 1) : cited[-1] + 2] if cited else []


def agree(lines: list[PlaceLine], excerpt: Excerpt) -> bool:
    """Tell whether the cited lines say what the service's excerpt says."""
    cited = [line for line in lines if line.cited]
    if excerpt.resolution == "whole":
        value = json.loads(excerpt.text)
        return [line.value for line in cited] == [json.dumps(one) for one in value.values()]
    if cited and cited[0].place.startswith("/"):
        return json.dumps(excerpt.text, ensure_ascii=False) == cited[0].value
    return excerpt.text == "\n".join(line.value for line in cited)


def _names(locator: str, place: str) -> bool:
    if not locator or place == locator:
        return True
    lines = _LINES.fullmatch(locator)
    if lines is None:
        return place.startswith(f"{locator}/")
    number = int(place.removeprefix("L"))
    return int(lines[1]) <= number <= int(lines[2] or lines[1])
