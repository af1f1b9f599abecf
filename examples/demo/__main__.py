"""What citestream is for, in about twenty seconds: ``python -m examples.demo``.

Starts the service on a free port of this machine and shows what comes back from it. Ends with 1
when something is not as it must be. ``--fast`` does the same without the pauses.
"""

import argparse
import os
import sys

from examples import usual_regex
from examples.demo.answers import ShownAnswer, differences, load, shown
from examples.demo.places import agree, around, place_lines
from examples.demo.proof import Tally, prove
from examples.demo.screen import Screen, TwoColumns, screen_of, visible, width, wrapped
from examples.demo.service import Event, LiveAnswer, Service, connection_to, part_texts
from examples.demo.speed import (
    engine_microseconds,
    round_trip_microseconds,
    turn_microseconds,
)

from citestream import Excerpt

TOKEN_SECONDS = 0.055
INDENT = "    "


def show_answer(screen: Screen, port: int, answer: ShownAnswer) -> list[str]:
    """Stream one answer through the service; return what is not as it must be."""
    asked = ", ".join(f"{name}: {value}" for name, value in answer.options.items())
    screen.heading(answer.title, f"{answer.about} ({asked})")
    closing = _stream(screen, port, answer)
    text, citations = shown(closing)
    screen.line()
    screen.paragraph(_numbered(screen, text, citations))
    screen.pause(1)
    wrong = differences(answer, closing)
    with connection_to(port) as connection:
        texts = part_texts(connection, answer.parts)
    for number, citation in enumerate(citations, 1):
        screen.line()
        words = _tail(text[: citation["offset"]], screen.columns // 2)
        screen.line(f"{screen.paint(f'[{number}]', 'cited')} {words}")
        wrong += _show_place(screen, citation, texts[citation["data_part_id"]])
        screen.pause(0.4)
    _left_out(screen, closing, text)
    screen.pause(0.6)
    return wrong


def _stream(screen: Screen, port: int, answer: ShownAnswer) -> Event:
    """Send the tokens one by one and show what comes back; return the closing event."""
    columns = TwoColumns(screen, "the model sends", "the reader sees")
    start = {"options": answer.options, "include": ["excerpt", "source"]}
    live = LiveAnswer(port, start, answer.parts)
    count = 0

    def tell(token: str, events: list[Event]) -> None:
        nonlocal count
        columns.add(token, "".join(one["text"] for one in events if one["type"] == "delta"))
        for event in events:
            if event["type"] == "citation":
                count += 1
                columns.note(f"↳ [{count}] ", _place(event["citation"]))
        screen.pause(TOKEN_SECONDS)

    for token in answer.tokens:
        tell(token, live.say(token))
    last = live.finish(answer.end)
    tell(f"end: {answer.end}", last)
    columns.close()
    return last[-1]


def _place(citation: Event) -> str:
    return f"{citation['data_part_id']} {citation['locator']}".rstrip()


def _numbered(screen: Screen, text: str, citations: list[Event]) -> str:
    """Return the text with the number of each citation at its offset."""
    pieces = []
    done = 0
    for number, citation in enumerate(citations, 1):
        pieces += [text[done : citation["offset"]], screen.paint(f"[{number}]", "cited")]
        done = citation["offset"]
    return "".join([*pieces, text[done:]])


def _show_place(screen: Screen, citation: Event, part_text: str) -> list[str]:
    """Show what a citation names, marked among what stands round it."""
    found = Excerpt(citation["resolution"], **citation["excerpt"])
    tool = citation["source"]["tool_name"]
    screen.line(f"{INDENT}{tool}, {_place(citation)}: {found.resolution}")
    lines = place_lines(part_text, citation["locator"])
    for line in around(lines):
        bar, colour = ("▌ ", "cited") if line.cited else ("  ", "dim")
        for piece in wrapped(f"{line.place}: {line.value}", screen.columns - 6):
            screen.line(f"{INDENT}{screen.paint(f'{bar}{piece}', colour)}")
    if agree(lines, found):
        return []
    return [f"{_place(citation)}: the excerpt is not what stands there"]


def _tail(text: str, columns: int) -> str:
    """Return the last words of ``text`` that fit."""
    if width(text) <= columns:
        return text
    while width(text) > columns - 1:
        text = text[1:]
    return "…" + text[text.index(" ") :]


def _left_out(screen: Screen, closing: Event, text: str) -> None:
    for dropped in closing["dropped"]:
        screen.line()
        screen.line(f"[-] {_tail(text[: dropped['offset']], screen.columns // 2)}")
        screen.line(
            f"{INDENT}{dropped['data_part_id']}: {dropped['reason']}, so no citation; its marker "
            "is gone all the same"
        )
    if closing["invalid_markers"]:
        screen.line()
        screen.line(f"[!] broken markers: {closing['invalid_markers']}")
        screen.paragraph(
            "dropped, since this answer asked for it; unless asked, a broken marker is shown as "
            "the literal text it is",
            INDENT,
        )


def show_proof(screen: Screen, port: int, answers: list[ShownAnswer]) -> list[str]:
    """Cut both answers at every place; return what is not as it must be."""
    screen.heading(
        "The same answers, cut at every place",
        "whole, one character at a time, and in two at every place; each stream once through the "
        "service and once through examples/usual_regex.py, a regex over each delta. A leak is a "
        "stream in which a sign of a marker reached the reader.",
    )
    room = max(len(answer.title) for answer in answers) + 16
    screen.line(f"{'':{room}}{'streams':>9}{'answers':>9}{'leaks':>9}")
    wrong = []
    for answer in answers:

        def told(ours: Tally, title: str = answer.title) -> None:
            if ours.streams % 10 == 0:
                screen.redrawn(_counts(f"{title}, citestream", room, ours))

        with connection_to(port) as connection:
            ours, usual = prove(connection, answer, told)
        screen.line(_counts(f"{answer.title}, citestream", room, ours))
        screen.line(screen.paint(_counts(f"{answer.title}, usual regex", room, usual), "bad"))
        if ours.answers != 1 or ours.leaks or ours.unexpected:
            wrong.append(
                f"{answer.title}: {ours.answers} answers, {ours.leaks} leaks, "
                f"{ours.unexpected} streams with another answer than expected"
            )
    _show_usual(screen, answers)
    screen.pause(1.5)
    return wrong


def _show_usual(screen: Screen, answers: list[ShownAnswer]) -> None:
    screen.line()
    screen.paragraph(
        "What the usual regex shows of the tokens above (an unfinished marker gets past it "
        "however the answer is cut):"
    )
    for answer in answers:
        text, citations = usual_regex.clean(answer.tokens)
        screen.line()
        # Many readers join the halves of a cut character; that is not held against the regex.
        whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        screen.paragraph(screen.marked(visible(whole)), INDENT)
        screen.line(f"{INDENT}citations: {len(citations)}")


def _counts(title: str, room: int, tally: Tally) -> str:
    return f"{title:{room}}{tally.streams:9}{tally.answers:9}{tally.leaks:9}"


def show_speed(screen: Screen, port: int, answers: list[ShownAnswer]) -> None:
    """Measure and tell what a token costs."""
    screen.heading(
        "Microseconds per token", "measured just now on this machine; the fastest of many runs"
    )
    screen.line(f"{'':20}{'engine':>9}{'turn':>9}{'service':>9}")
    for answer in answers:
        engine = engine_microseconds(answer.tokens)
        turn = turn_microseconds(answer.tokens, answer.parts)
        service = round_trip_microseconds(port, answer)
        screen.line(f"{answer.title:20}{engine:9.2f}{turn:9.2f}{service:9.0f}")
    screen.line()
    screen.paragraph(
        "engine: clean text and markers. turn: all of the library, with parts, events and the "
        "closing answer. service: from one token sent until its events are read, over a socket."
    )


def run(screen: Screen) -> int:
    """Show everything; return 0 when all was as it must be, else 1."""
    answers = [load("recorded"), load("shipped")]
    screen.line(screen.paint("citestream", "bold"))
    screen.paragraph(
        "A model marks its claims with private-use characters: U+E200, shown as ⟦, U+E202 as ¦ "
        "and U+E201 as ⟧. Its tokens cut the markers anywhere. All below comes back from the "
        "service, token by token, while the tokens are being sent."
    )
    with Service() as service:
        wrong = [one for answer in answers for one in show_answer(screen, service.port, answer)]
        wrong += show_proof(screen, service.port, answers)
        show_speed(screen, service.port, answers)
    for one in wrong:
        print(f"something is off: {one}", file=sys.stderr)
    return 1 if wrong else 0


def main() -> int:
    """Run the command; return its exit code."""
    parser = argparse.ArgumentParser(prog="python -m examples.demo", description=__doc__)
    parser.add_argument("--fast", action="store_true", help="without pauses")
    fast = parser.parse_args().fast
    try:
        return run(screen_of(sys.stdout, os.environ, fast=fast))
    except KeyboardInterrupt:
        print()
        return 130
    except BrokenPipeError:
        # Nothing more can be written, not even at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


if __name__ == "__main__":
    sys.exit(main())
