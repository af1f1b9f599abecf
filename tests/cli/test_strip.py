"""``citestream strip`` in real pipes: what goes in piece by piece, what comes out when."""

import json
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.chat_streams import event, finish, piece, transcript
from tests.cli.command import COMMAND, SECONDS, Ran, begin, environment
from tests.vectors import rows

from citestream import DeltaInput
from citestream.cli import main
from citestream.cli.strip import SOURCES

MARKED = "Fact\ue200cite\ue202doc\ue202L2-L3\ue202other\ue201. Ünd\ue200cite\ue202x\ue201"
PARTS = [{"id": "doc", "tool_name": "search", "data": "one\ntwo\nthree", "title": "Doc"}]


def parts_file(folder: Path, parts: object) -> str:
    path = folder / "parts.json"
    path.write_text(json.dumps(parts), encoding="utf-8")
    return str(path)


def lines(*events: dict[str, Any]) -> bytes:
    return b"".join(json.dumps(event).encode() + b"\n" for event in events)


Strip = Callable[..., Ran]


@pytest.fixture
def strip(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> Strip:
    """Run ``strip`` in this process, with a file as its stdin."""

    def stripped(*arguments: str, stdin: bytes = b"") -> Ran:
        path = tmp_path / "stdin"
        path.write_bytes(stdin)
        status = 0
        with path.open("rb") as file:
            monkeypatch.setattr("citestream.cli.strip.STDIN", file.fileno())
            try:
                main(["strip", *arguments])
            except SystemExit as ended:
                status = int(ended.code or 0)
        return Ran(status, *capfdbinary.readouterr())

    return stripped


def test_text_is_visible_while_it_arrives() -> None:
    with begin("strip") as process:
        assert process.stdin
        assert process.stdout
        assert process.stderr

        def shown(sent: bytes) -> bytes:
            assert process.stdin
            assert process.stdout
            process.stdin.write(sent)
            return process.stdout.read(100)

        assert shown("Fünf ".encode()) == "Fünf ".encode()
        tower = "🗼".encode()
        assert shown(b"a" + tower[:2]) == b"a"
        assert shown(tower[2:] + b"\xff") == tower + "\ufffd".encode()
        marker = "\ue200cite\ue202doc\ue202/a/0\ue201".encode()
        assert shown(b"b" + marker[:9]) == b"b"
        assert shown(marker[9:] + b". c") == b". c"
        told = json.loads(process.stderr.readline())
        assert told == {"data_part_id": "doc", "offset": 10, "locator": "/a/0"}
        assert shown("d\ue200cite".encode()) == b"d"
        process.stdin.close()
        assert process.stdout.read() == "\ue200cite".encode()
        assert process.stderr.read() == b""
        assert process.wait(SECONDS) == 0


@given(st.binary(max_size=12), st.data())
def test_bytes_read_the_same_however_they_are_cut(body: bytes, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(body)))
    source = SOURCES["text"]()
    events = [*source.feed(body[:at]), *source.feed(body[at:]), *source.finish()]
    text = "".join(found.text for found in events if isinstance(found, DeltaInput))
    assert text == body.decode("utf-8", "replace")


def test_without_parts_each_source_named_is_told(strip: Strip) -> None:
    ran = strip(stdin=MARKED.encode())
    assert (ran.status, ran.text) == (0, "Fact. Ünd")
    assert ran.lines == [
        {"data_part_id": "doc", "offset": 5, "locator": "L2-L3"},
        {"data_part_id": "other", "offset": 5, "locator": ""},
        {"data_part_id": "x", "offset": 9, "locator": ""},
    ]


def test_with_parts_citations_are_resolved_and_the_dropped_are_told(
    strip: Strip, tmp_path: Path
) -> None:
    parts = parts_file(tmp_path, PARTS)
    include = ("--include", "excerpt", "source", "--include", "diagnostics")
    ran = strip("--parts", parts, *include, stdin=f"{MARKED}\ue200".encode())
    assert (ran.status, ran.text) == (0, "Fact. Ünd\ue200")
    assert ran.lines == [
        {
            "data_part_id": "doc",
            "offset": 5,
            "locator": "L2-L3",
            "resolution": "resolved",
            "excerpt": {"text": "two\nthree", "truncated": False},
            "source": {"tool_name": "search", "title": "Doc", "url": None},
        },
        {"data_part_id": "other", "offset": 5, "locator": "", "reason": "unknown_part"},
        {"data_part_id": "x", "offset": 9, "locator": "", "reason": "unknown_part"},
        {"diagnostics": {"invalid_marker_offsets": [9], "replaced_signs": 0, "stray_signs": 1}},
    ]


def test_targets_are_those_of_the_product(
    strip: Strip, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    preset = tmp_path / "desk.toml"
    preset.write_text(
        'scheme = "desk"\n[kind.mail]\nmessageId = "string"\n[read_mail]\n'
        '"mail/<messageId>" = "mail"\n',
        encoding="utf-8",
    )
    monkeypatch.setenv("CITESTREAM_TARGET_PRESET", str(preset))
    target = {"kind": "mail", "messageId": "m-1"}
    ran = strip(
        "--parts",
        parts_file(tmp_path, [PARTS[0] | {"target": target}]),
        stdin=b"a" + MARKED.encode(),
    )
    assert ran.lines[0]["target"] == target
    result = {"id": "doc", "source": "desk://mail/m-1", "body": "one\ntwo\nthree"}
    events = lines(
        {"type": "results", "tool_name": "read_mail", "results": [result]},
        {"type": "delta", "text": MARKED},
        {"type": "end"},
    )
    assert strip("--from", "ndjson", stdin=events).lines[0]["target"] == target
    refused = strip("--parts", parts_file(tmp_path, [PARTS[0] | {"target": {"kind": "berth"}}]))
    assert refused.status != 0
    assert "[0].target: must be a target of a known kind" in refused.stderr.decode()


@pytest.mark.parametrize("row", rows("recorded_streams.jsonl")[:3], ids=lambda row: row["id"])
def test_a_recorded_chat_stream(strip: Strip, row: dict[str, Any], tmp_path: Path) -> None:
    parts = parts_file(tmp_path, row["parts"])
    body = transcript(row["deltas"])
    ran = strip("--from", "openai-chat", "--parts", parts, stdin=body)
    assert (ran.status, ran.text) == (0, row["expect"]["text"])
    assert ran.lines == row["expect"]["citations"] + row["expect"]["dropped"]


def test_a_chat_stream_is_shown_while_it_arrives_halves_of_characters_joined() -> None:
    with begin("strip", "--from", "openai-chat") as process:
        assert process.stdin
        assert process.stdout
        process.stdin.write(piece("a\ud83d") + piece("\uddfc")[:-1])
        assert process.stdout.read(100) == b"a"
        process.stdin.write(b"\n")
        assert process.stdout.read(100) == "🗼".encode()
        process.stdin.write(finish("stop"))
        process.stdin.close()
        assert process.wait(SECONDS) == 0


@pytest.mark.parametrize(
    ("body", "text", "told"),
    [
        (piece("a \ue200ci"), "a \ue200ci", "the stream broke off before its end"),
        (
            piece("a") + event({"error": {"code": "overloaded", "message": "m"}}),
            "a",
            "the stream ended with an error (overloaded)",
        ),
    ],
)
def test_a_chat_stream_that_fails_shows_its_text_and_says_so(
    strip: Strip, body: bytes, text: str, told: str
) -> None:
    ran = strip("--from", "openai-chat", stdin=body)
    assert (ran.status, ran.text) == (1, text)
    assert ran.stderr.decode() == f"citestream strip: {told}\n"


def test_options(strip: Strip) -> None:
    raw = "Word \ue200cite\ue202a\ue201. \ue200cite\ue202b c".encode()
    ran = strip("--invalid-markers", "drop", "--whitespace", "tidy", stdin=raw)
    assert (ran.status, ran.text) == (0, "Word. c")


@pytest.mark.parametrize(("end", "between"), [("", b"\n"), ("\n", b"")])
def test_citations_behind_the_text(strip: Strip, end: str, between: bytes) -> None:
    raw = f"Fact\ue200cite\ue202a\ue201.{end}".encode()
    ran = strip("--citations", "-", stdin=raw)
    line = b'{"data_part_id":"a","offset":5,"locator":""}\n'
    assert ran == (0, f"Fact.{end}".encode() + between + line, b"")


def test_citations_to_a_file(strip: Strip, tmp_path: Path) -> None:
    path = tmp_path / "citations.jsonl"
    path.write_text("what was there before, and was longer than what comes")
    ran = strip("--citations", str(path), stdin="A\ue200cite\ue202a\ue201".encode())
    assert ran == (0, b"A", b"")
    assert path.read_bytes() == b'{"data_part_id":"a","offset":1,"locator":""}\n'


def test_input_events_bring_their_own_parts_and_start(strip: Strip) -> None:
    body = lines(
        {"type": "start", "options": {"invalid_markers": "drop"}, "include": ["offsets"]},
        {"type": "delta", "text": "A\ue200cite\ue202tool_data_01\ue201 \ue201\ud83d"},
        {"type": "custom", "name": "usage", "value": 1},
        {"type": "part", "tool_name": "search", "data": 1},
        {"type": "delta", "text": "\uddfc \ue201."},
        {"type": "end", "reason": "stopped"},
        {"type": "of tomorrow"},
    )
    ran = strip("--from", "ndjson", "--whitespace", "tidy", stdin=body[:-1])
    assert (ran.status, ran.text) == (0, "A 🗼.")
    offsets = {"rune": 1, "utf16": 1, "utf8": 1}
    assert ran.lines == [
        {"data_part_id": "tool_data_01", "offset": 1, "locator": "", "offsets": offsets}
    ]


def test_input_events_may_end_without_a_line_end_and_meet_parts_of_a_file(
    strip: Strip, tmp_path: Path
) -> None:
    body = lines({"type": "delta", "text": "A\ue200cite\ue202doc\ue201"})[:-1]
    ran = strip("--from", "ndjson", "--parts", parts_file(tmp_path, PARTS), stdin=body)
    assert (ran.status, ran.text) == (0, "A")
    assert ran.lines == [{"data_part_id": "doc", "offset": 1, "locator": ""}]


@pytest.mark.parametrize(
    ("second", "told"),
    [
        (b'{"type": "delta"}', "line 3: text: Field required"),
        (b'{"type": "start"}', "line 3: type: 'start' may only be the first event of a turn"),
        (b'{"type"', "line 3: not JSON at line 1, column 8"),
    ],
)
def test_an_input_event_that_cannot_be_read_is_named(
    strip: Strip, second: bytes, told: str
) -> None:
    body = lines({"type": "delta", "text": "A"}) + b"\n" + second
    ran = strip("--from", "ndjson", stdin=body)
    assert ran == (1, b"A", f"citestream strip: {told}\n".encode())


@pytest.mark.parametrize(
    ("parts", "told"),
    [
        ({"parts": []}, "must be a JSON list of parts"),
        ([{"data": 1}], "[0].tool_name: field required"),
        (
            [{"tool_name": "t", "data": 1, "secret": 2}],
            "[0]: unknown field; known fields: tool_name, data, id, origin, title, url, target",
        ),
        ([*PARTS, {**PARTS[0], "data": "other"}], "[1].id: "),
        ([{"tool_name": "t", "data": 1}] * 2_001, "at most 2000 parts"),
    ],
)
def test_a_mistake_in_the_parts_names_file_and_field(
    parts: object, told: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = parts_file(tmp_path, parts)
    with pytest.raises(SystemExit) as ended:
        main(["strip", "--parts", path])
    assert ended.value.code == 2
    found = capfd.readouterr()
    assert found.out == ""
    assert found.err.startswith(f"citestream strip: {path}: {told}")
    assert found.err.count("\n") == 1
    assert "secret" not in found.err


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("[{]", "not JSON at line 1, column 3"),
        ('[{"tool_name": "t", "tool_name": "t"}]', "[0]: a key is given twice in one object"),
    ],
)
def test_parts_that_are_no_json(
    content: str, told: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "parts.json"
    path.write_text(content)
    with pytest.raises(SystemExit) as ended:
        main(["strip", "--parts", str(path)])
    assert ended.value.code == 2
    assert capfd.readouterr().err == f"citestream strip: {path}: {told}\n"


@pytest.mark.parametrize("flag", ["--parts", "--citations"])
def test_a_file_that_is_not_there(
    flag: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "missing" / "file"
    with pytest.raises(SystemExit) as ended:
        main(["strip", flag, str(path)])
    assert ended.value.code == 1
    assert capfd.readouterr().err == f"citestream strip: {path}: No such file or directory\n"


def test_ctrl_c_ends_it_quietly() -> None:
    with begin("strip") as process:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        process.stdin.write(b"a")
        assert process.stdout.read(1) == b"a"
        process.send_signal(signal.SIGINT)
        assert process.wait(SECONDS) == 130
        assert (process.stdout.read(), process.stderr.read()) == (b"", b"")


def test_a_closed_pipe_ends_it_quietly() -> None:
    with begin("strip") as process:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        process.stdin.write(b"a\n")
        assert process.stdout.readline() == b"a\n"
        process.stdout.close()
        process.stdin.write(b"b\n")
        assert process.wait(SECONDS) == 141
        assert process.stderr.read() == b""


def test_it_starts_without_the_server_and_its_models() -> None:
    loaded = "import sys; from citestream.cli import main; main(['strip']); print(*sys.modules)"
    ran = subprocess.run(
        [*COMMAND[:-1], loaded],
        input=b"a ",
        stdout=subprocess.PIPE,
        env=environment(),
        timeout=SECONDS,
        check=True,
    )
    text, *modules = ran.stdout.decode().split()
    assert text == "a"
    assert "citestream.wire.formats.openai_chat" in modules
    assert {"pydantic", "fastapi", "uvicorn"}.isdisjoint(modules)


def test_dialects(strip: Strip, tmp_path: Path) -> None:
    parts = parts_file(tmp_path, [{"id": "a", "tool_name": "t", "data": 1}])
    text = "x\u3010a\u2020y\u3011 [[a]] citea `[[a]]`".encode()
    flags = ("--dialect", "lenticular", '{"open": "[[", "close": "]]"}', "--bare-residue")
    ran = strip("--parts", parts, *flags, stdin=text)
    assert (ran.status, ran.text) == (0, "x   `[[a]]`")
    assert [line["offset"] for line in ran.lines] == [1, 2, 3]
    assert strip("--dialect", "tags", stdin=b"<cite id=a>x</cite>").text == "x"


@pytest.mark.parametrize(
    "dialect", [("tegs",), ("tags", "tags"), ("{}",), ('{"open": "[", "close":',), ("{[]}",)]
)
def test_what_no_dialect_is(strip: Strip, dialect: tuple[str, ...]) -> None:
    ran = strip("--dialect", *dialect, stdin=b"")
    assert ran.status == 2
    assert ran.stderr.decode().startswith("citestream strip: --dialect")


DIALECT_ROWS = [row for row in rows("dialects.json") if "expect" in row][::9]


@pytest.mark.parametrize("row", DIALECT_ROWS, ids=lambda row: row["id"])
def test_a_row_of_the_dialects(strip: Strip, row: dict[str, Any]) -> None:
    start = {"type": "start", "options": row["options"]}
    parts = [{"type": "part", "tool_name": "t", "data": 1, "id": part} for part in row["parts"]]
    results = [{"type": "results", **one} for one in row.get("results", ())]
    deltas = [{"type": "delta", "text": text} for text in row["deltas"]]
    ran = strip("--from", "ndjson", stdin=lines(start, *parts, *results, *deltas, {"type": "end"}))
    assert ran.text == row["expect"]["text"]


CHAT_PART = [{"id": "a", "tool_name": "t", "data": 1, "url": "https://example.org/a"}]


def test_a_vendors_stream_is_passed_on_clean(strip: Strip, tmp_path: Path) -> None:
    body = transcript(["A fact", "\ue200cite\ue202a\ue201", "."])
    pair = ("--from", "openai-chat", "--to", "openai-chat")
    ran = strip(*pair, "--parts", parts_file(tmp_path, CHAT_PART), stdin=body)
    assert (ran.status, ran.stderr) == (0, b"")
    assert "\\ue200" not in ran.text
    assert '"url":"https://example.org/a"' in ran.text
    assert ran.text.endswith("data: [DONE]\n\n")


def test_what_is_no_stream_is_passed_on_and_said(strip: Strip) -> None:
    ran = strip("--from", "gemini", "--to", "gemini", stdin=b"Bad Gateway")
    assert ran.status == 1
    assert ran.stdout == b"Bad Gateway"
    assert b"no event of this format" in ran.stderr


def test_a_stream_is_passed_on_in_its_own_format_alone(strip: Strip) -> None:
    ran = strip("--from", "text", "--to", "anthropic")
    assert ran.status == 2
    assert b"--from anthropic" in ran.stderr
