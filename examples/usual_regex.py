"""What is usually written first: a regular expression over each delta as it comes.

Right as long as every marker arrives whole in one delta. A model's tokens cut markers, and then it
sees none of the pieces. Shown beside citestream by ``python -m examples.demo``.
"""

import re
from collections.abc import Iterable

MARKER = re.compile("\ue200cite\ue202([^\ue201\ue202]+)(?:\ue202([^\ue201]*))?\ue201")


def clean(deltas: Iterable[str]) -> tuple[str, list[tuple[str, str, int]]]:
    """Return the text a reader gets, and ``(source id, locator, offset)`` of each citation."""
    text = ""
    citations = []
    for delta in deltas:
        for marker in MARKER.finditer(delta):
            offset = len(text) + len(MARKER.sub("", delta[: marker.start()]))
            citations.append((marker[1], marker[2] or "", offset))
        text += MARKER.sub("", delta)
    return text, citations
