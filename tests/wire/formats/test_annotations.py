"""OpenAI's annotations: which of the vendor's numbers are places in the answer."""

import pytest
from tests.wire.formats.streams import make_turn

from citestream.wire.formats.annotations import is_decided, moved_annotation
from citestream.wire.formats.clean_text import CleanText, CleanTexts, View

MARKER = "\ue200cite\ue202a\ue201"


def text(raw: str) -> CleanText:
    found = CleanTexts(make_turn, View(), "rune").open()
    found.feed(raw)
    return found


@pytest.mark.parametrize(
    ("annotation", "moved"),
    [
        (
            {"type": "url_citation", "start_index": 3, "end_index": len(MARKER) + 3},
            {"type": "url_citation", "start_index": 1, "end_index": 3},
        ),
        (
            {"type": "file_citation", "index": len(MARKER) + 2},
            {"type": "file_citation", "index": 2},
        ),
        ({"type": "file_path", "index": 12}, {"type": "file_path", "index": 12}),
    ],
)
def test_places_move(annotation: dict[str, object], moved: dict[str, object]) -> None:
    assert moved_annotation(text(f"a{MARKER}bcdef"), annotation) == moved


def test_what_reaches_into_a_candidate_waits() -> None:
    held = text("ab\ue200ci")
    assert is_decided(held, {"type": "url_citation", "start_index": 0, "end_index": 2})
    assert not is_decided(held, {"type": "url_citation", "start_index": 0, "end_index": 4})
    assert is_decided(held, {"type": "file_path", "index": 4})
