"""The demo and the examples, run as a person runs them, and what they promise held."""

import ast
import io
import json
import os
import pty
import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from types import SimpleNamespace

import pytest
from examples import openai_stream, usual_regex
from examples.demo import __main__ as demo
from examples.demo import speed
from examples.demo.answers import ShownAnswer, differences, load
from examples.demo.places import PlaceLine, agree, around, place_lines
from examples.demo.screen import GUTTER, Screen, TwoColumns, screen_of, visible, width, wrapped
from examples.demo.service import Service

from citestream import Excerpt, Turn
from citestream.citations.signs import SignMachine
from citestream.turns import ArtifactEvent
from tests.vectors import rows

ROOT = Path(__file__).parents[1]
ANSWERS = [load("recorded"), load("shipped")]
SIGNS = "\ue200\ue201\ue202"
DEMO = [sys.executable, "-m", "examples.demo", "--fast"]


def environment(**more: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    return {**kept, "PYTHONPATH": str(ROOT / "app"), **more}


@pytest.fixture(scope="module")
def plain() -> str:
    done = subprocess.run(DEMO, capture_output=True, cwd=ROOT, env=environment(), timeout=120)
    assert done.stderr.decode() == ""
    assert done.returncode == 0
    return done.stdout.decode()


@pytest.fixture(scope="module")
def terminal() -> str:
    """What a terminal of 80 columns gets."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        DEMO, stdout=theirs, stderr=theirs, cwd=ROOT, env=environment(COLUMNS="80")
    ) as running:
        os.close(theirs)
        got = b""
        try:
            while chunk := os.read(ours, 65536):
                got += chunk
        except OSError:  # how Linux tells that the other end is closed
            pass
        os.close(ours)
    assert running.returncode == 0
    return got.decode()


def lines_of(terminal: str) -> list[str]:
    """The lines as they stand in the end: what comes behind a CR goes over what was there."""
    whole = terminal.replace("\r\n", "\n").split("\n")
    return [re.sub("\x1b\\[[0-9;]*m", "", line.rsplit("\r", 1)[-1]) for line in whole]


# -- the demo ---------------------------------------------------------------------------------


def test_plain_lines_show_every_token_and_the_whole_text(plain: str) -> None:
    assert "\x1b" not in plain
    assert "\r" not in plain
    assert not any(sign in plain for sign in SIGNS)
    sent = "".join(re.findall("^model   (.*)$", plain, re.MULTILINE))
    seen = "".join(re.findall("^reader  (.*)$", plain, re.MULTILINE))
    assert sent == "".join(
        f"[{visible(token)}]"
        for answer in ANSWERS
        for token in [*answer.tokens, f"end: {answer.end}"]
    )
    assert seen == "".join(answer.expect["text"] for answer in ANSWERS)


def test_every_citation_is_shown_with_its_place(plain: str) -> None:
    for answer in ANSWERS:
        for number, (part_id, locator) in enumerate(answer.expect["citations"], 1):
            assert f"↳ [{number}] {part_id} {locator}".rstrip() in plain
    assert "  L1: 00:00 Wind south-west 6, all berths taken.\n    ▌ L2: 04:20" in plain
    assert "▌ L4: 10:20 Wind 7, harbour open again.\n      L5: 11:05" in plain
    assert '▌ /routes/0/departures/1: "12:40"\n' in plain
    assert "tool_data_09: unknown_part" in plain
    assert "broken markers: 1" in plain


def test_the_proof_counts_one_answer_and_no_leak(plain: str) -> None:
    for answer in ANSWERS:
        streams = len(answer.raw) + 1
        ours = re.search(rf"{answer.title}, citestream +(\d+) +(\d+) +(\d+)\n", plain)
        usual = re.search(rf"{answer.title}, usual regex +(\d+) +(\d+) +(\d+)\n", plain)
        assert ours
        assert usual
        assert [*map(int, ours.groups())] == [streams, 1, 0]
        assert int(usual[1]) == streams
        assert int(usual[2]) > 1
        assert int(usual[3]) > 0


def test_the_columns_of_a_terminal_align(terminal: str) -> None:
    lines = lines_of(terminal)
    assert max(map(width, lines)) < 80
    places = {width(line.split(GUTTER)[0]) for line in lines if GUTTER in line}
    assert len(places) == 1
    rights = [line.split(GUTTER)[1] for line in lines if GUTTER in line]
    seen = "".join(right for right in rights if not re.match("↳| {6}|the reader sees", right))
    assert seen == "".join(answer.expect["text"] for answer in ANSWERS)
    assert "\x1b[1;35m⟦\x1b[0m" in terminal


def test_without_colour_a_terminal_gets_no_escape(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    out = Terminal()
    screen = screen_of(out, os.environ, fast=True)
    screen.line(screen.paint("word", "bold"))
    assert out.getvalue() == "\rword\n"


def test_an_engine_that_shows_markers_is_found_out(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    feed = SignMachine.feed
    monkeypatch.setattr(SignMachine, "feed", lambda self, delta: feed(self, delta.strip(SIGNS)))
    monkeypatch.setattr(speed, "SECONDS", 0.01)
    assert demo.run(Screen(io.StringIO(), colour=False, fast=True)) == 1
    assert "something is off: A recorded answer: " in capsys.readouterr().err


def test_a_difference_is_named() -> None:
    answer = ANSWERS[0]
    closing = {
        "artifact": {"parts": [{"text": "Else.", "metadata": {"citations": []}}]},
        "dropped": [],
        "invalid_markers": 0,
    }
    fields = [one.split(": ")[1].split()[0] for one in differences(answer, closing)]
    assert fields == ["text", "citations"]


def test_the_recorded_answer_is_one_of_the_vectors() -> None:
    answer = ANSWERS[0]
    assert any(
        row["deltas"] == answer.tokens and row["parts"] == answer.parts
        for row in rows("recorded_streams.jsonl")
    )


def test_the_examples_need_nothing_but_the_service() -> None:
    allowed = {"citestream", "examples", "uvicorn", *sys.stdlib_module_names}
    for path in (ROOT / "examples").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names: Iterable[str] = ()
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            assert {name.split(".")[0] for name in names} <= allowed, path


# -- what it shows with ------------------------------------------------------------------------


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_wide_and_combining_characters_take_their_columns() -> None:
    assert [width(text) for text in ("ab", "日本", "🚢", "e\u0301", "\x1b[1;35m⟦\x1b[0m")] == [
        2,
        4,
        2,
        1,
        1,
    ]


def test_signs_and_halves_are_made_visible() -> None:
    assert visible("a\ue200c\ue202d\ue201 \ud83d\n") == "a⟦c¦d⟧ \\ud83d⏎"


def test_text_is_broken_at_blanks() -> None:
    assert wrapped("one 日本 three", 8) == ["one 日本", "three"]


@pytest.mark.parametrize("columns", [70, 80, 100, 200])
def test_a_row_never_runs_over(columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    out = Terminal()
    table = TwoColumns(Screen(out, colour=True, fast=True), "left", "right")
    for number in range(30):
        table.add("本" * (number % 5), "日" * (number % 7))
        if number % 9 == 0:
            table.note("↳ ", "a_long_id /and/a/long/pointer")
    table.close()
    lines = [line for line in lines_of(out.getvalue()) if line]
    assert max(map(width, lines)) < columns
    assert len({width(line.split(GUTTER)[0]) for line in lines}) == 1


def test_a_cited_place_is_marked_and_held_against_the_excerpt() -> None:
    text = "[a] log\nL1: one\nL2: two\nL3: three\nL4: four"
    lines = place_lines(text, "L2-3")
    assert around(lines) == [
        PlaceLine("L1", "one", False),
        PlaceLine("L2", "two", True),
        PlaceLine("L3", "three", True),
        PlaceLine("L4", "four", False),
    ]
    assert agree(lines, Excerpt("resolved", "two\nthree", truncated=False))
    assert not agree(lines, Excerpt("resolved", "one\ntwo", truncated=False))


def test_a_pointer_marks_what_lies_below_it() -> None:
    lines = place_lines('[a] x\n/a/0: "p"\n/a/1: "q"\n/ab: "r"', "/a")
    assert [line.place for line in lines if line.cited] == ["/a/0", "/a/1"]
    assert agree(place_lines('[a] x\n/a/0: "p"', "/a/0"), Excerpt("resolved", "p", truncated=False))


# -- the usual regex, and a stream of chunks ---------------------------------------------------


def test_the_usual_regex_is_right_about_whole_markers() -> None:
    first, second = "A\ue200cite\ue202x\ue201 b", "c\ue200cite\ue202y\ue202L2\ue201."
    assert usual_regex.clean([first + second]) == ("A bc.", [("x", "", 1), ("y", "L2", 4)])
    assert usual_regex.clean([first, second]) == ("A bc.", [("x", "", 1), ("y", "L2", 4)])


def test_the_usual_regex_shows_a_marker_that_is_cut() -> None:
    text, citations = usual_regex.clean(["A\ue200ci", "te\ue202x\ue201."])
    assert text == "A\ue200cite\ue202x\ue201."
    assert citations == []


def chunk(content: object, finish_reason: str | None = None) -> SimpleNamespace:
    choice = SimpleNamespace(delta=SimpleNamespace(content=content), finish_reason=finish_reason)
    return SimpleNamespace(choices=[choice])


@pytest.mark.parametrize("answer", ANSWERS, ids=lambda answer: answer.title)
def test_a_stream_of_chunks_gives_the_answer(answer: ShownAnswer) -> None:
    turn = Turn()
    for part in answer.parts:
        turn.register(**part)
    usage = SimpleNamespace(choices=[])
    chunks = [chunk(""), *map(chunk, answer.tokens), chunk(None, "stop"), usage]
    events = list(openai_stream.answer(chunks, turn))
    assert isinstance(events[-1], ArtifactEvent)
    assert events[-1].answer == turn.answer()
    assert [[one.data_part_id, one.locator] for one in turn.answer().citations] == (
        answer.expect["citations"]
    )


@pytest.mark.parametrize(
    ("finish_reason", "reason"),
    [
        ("stop", "complete"),
        ("tool_calls", "complete"),
        ("length", "length"),
        ("content_filter", "stopped"),
        (None, "failed"),
    ],
)
def test_the_finish_reason_is_the_reason(finish_reason: str | None, reason: str) -> None:
    turn = Turn()
    list(openai_stream.answer([chunk("Text."), chunk(None, finish_reason)], turn))
    assert turn.answer().reason == reason


def test_a_chunk_may_have_no_delta_a_list_or_a_refusal() -> None:
    thought = SimpleNamespace(type="thinking", thinking=[SimpleNamespace(text="hidden")])
    shown = SimpleNamespace(type="text", text="b")
    odd = [
        SimpleNamespace(choices=None),
        SimpleNamespace(choices=[SimpleNamespace(finish_reason=None)]),
        SimpleNamespace(choices=[SimpleNamespace(delta=None, finish_reason=None)]),
        *(chunk("a"), chunk([thought, shown])),
        SimpleNamespace(choices=[SimpleNamespace(delta=SimpleNamespace(refusal="d"))]),
    ]
    turn = Turn()
    list(openai_stream.answer([*odd, chunk(None, "stop")], turn))
    assert turn.answer().artifact()["parts"][0]["text"] == "abd"


def test_the_chunk_example_prints_events(capsys: pytest.CaptureFixture[str]) -> None:
    openai_stream.main()
    events = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert "".join(one["text"] for one in events if one["type"] == "delta") == (
        "High water is at noon."
    )
    assert [one["type"] for one in events[-3:]] == ["citation", "citations_summary", "artifact"]


def test_the_service_of_the_demo_stops() -> None:
    with Service() as service:
        assert service.port > 0
    with pytest.raises(ConnectionError):
        demo.show_proof(Screen(io.StringIO(), colour=False, fast=True), service.port, ANSWERS)
