"""The proof: one answer cut at every place, through the service and through the usual regex."""

import json
from collections.abc import Callable, Iterator
from http.client import HTTPConnection

from examples import usual_regex
from examples.demo.answers import ShownAnswer, differences
from examples.demo.screen import SIGNS
from examples.demo.service import whole_answer


class Tally:
    """What came of many streams of one answer."""

    def __init__(self) -> None:
        self.streams = 0
        self.leaks = 0
        """Streams in which a sign of a marker reached the reader."""
        self.unexpected = 0
        """Streams that came to another answer than the one written down for them."""
        self._answers: set[str] = set()

    @property
    def answers(self) -> int:
        """Answers that differ in their text or in their citations."""
        return len(self._answers)

    def add(self, text: str, rest: object) -> None:
        """Count a stream: the text that a reader got, and all else that it came to."""
        self.streams += 1
        self._answers.add(json.dumps([text, rest]))
        self.leaks += any(sign in text for sign in SIGNS)


def every_cut(raw: str) -> Iterator[list[str]]:
    """Yield ``raw`` whole, one character at a time, and cut in two at every place."""
    yield [raw]
    yield list(raw)
    for at in range(1, len(raw)):
        yield [raw[:at], raw[at:]]


def prove(
    connection: HTTPConnection, answer: ShownAnswer, told: Callable[[Tally], None]
) -> tuple[Tally, Tally]:
    """Return what every cut comes to: in the service, and with the usual regex.

    ``told`` is called with the service's tally as it grows. The service's reader joins the
    ``delta`` events; what else came is compared whole.
    """
    ours, usual = Tally(), Tally()
    for deltas in every_cut(answer.raw):
        body = {"parts": answer.parts, "options": answer.options, "deltas": deltas}
        *events, closing = whole_answer(connection, body)
        text = "".join(event["text"] for event in events if event["type"] == "delta")
        if text != answer.expect["text"] or differences(answer, closing):
            ours.unexpected += 1
        ours.add(text, [closing, [event for event in events if event["type"] != "delta"]])
        usual.add(*usual_regex.clean(deltas))
        told(ours)
    return ours, usual
