"""What a model is told, so that it cites numbered sources: the paragraph of S0.

Must not know who asks a model, or how.
"""

from typing import Final

INSTRUCTIONS: Final = (
    "Search results and pages come with a number in square brackets in front of their title. Back "
    "every statement that rests on one of them with its number in square brackets, directly behind "
    "the statement, like this: [3]. Write only a number that a tool printed in this turn, exactly "
    "as printed; never make one up, and never count for yourself. A number in full-width brackets "
    "(\uff3b3\uff3d) is the page's own and names none of these: never cite it. Give one number at "
    "a time: where "
    "two sources back a statement write [3] [5], never [3, 5] and never [3-5]. Write no footnote "
    "definitions such as [^3]: and no list of sources of your own; the list is added under your "
    "answer. Where no source backs a statement, write no number."
)
"""The paragraph for ``style: "numbers"``."""
