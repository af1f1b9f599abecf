"""The command ``citestream``: ``serve``, ``strip``, ``openapi``, ``verify``, ``explain``.

Lives here: the command line and how the command ends. The server and the application are imported
when they are called for, so that ``--help`` and ``strip`` in a pipe are quick.
"""

import argparse
import json
import os
import signal
import sys
from collections.abc import Callable, Sequence
from typing import NoReturn

from citestream import __version__
from citestream.cli.outcomes import (
    CLOSED_PIPE,
    FAILED,
    INTERRUPTED,
    STDOUT,
    Failure,
    complain,
    write,
)
from citestream.cli.strip import SOURCES, TARGETS, strip_stdin
from citestream.extras import MissingExtraError, require_service
from citestream.turns import INCLUDES


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command; raise SystemExit with the status when it is another than 0."""
    status = 0
    try:
        status = _run(arguments)
    except KeyboardInterrupt:
        status = INTERRUPTED
    except BrokenPipeError:
        status = CLOSED_PIPE
    if status:
        raise SystemExit(status)


def _run(arguments: Sequence[str] | None) -> int:
    name = "citestream"
    try:
        args = _parse(arguments)
        name = f"citestream {args.command}"
        if args.of_the_service:
            require_service()
        run: Callable[[argparse.Namespace], None] = args.run
        run(args)
    except MissingExtraError as missing:
        complain(f"{name}: {missing}")
        return FAILED
    except Failure as failure:
        complain(f"{name}: {failure}")
        return failure.status
    except BrokenPipeError:
        raise
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        complain(f"{name}: {place}{error.strerror or 'input or output failed'}")
        return FAILED
    return 0


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    try:
        return _parser().parse_args(arguments)
    finally:
        _flush()


def _flush() -> None:
    """Write what argparse printed: a closed pipe is met here, not when the interpreter ends."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:
        # The interpreter flushes once more.
        os.dup2(os.open(os.devnull, os.O_WRONLY), STDOUT)
        raise


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="citestream",
        description="The citation layer between a language model and its readers.",
        epilog="example:\n  citestream strip < answer.txt",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"citestream {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    _add_serve(commands)
    _add_strip(commands)
    _add_command(
        commands,
        "openapi",
        _openapi,
        "print the OpenAPI document of the service",
        "Prints the document that the service has at /openapi.json.",
        "citestream openapi > openapi.json",
    )
    verify = _add_command(
        commands,
        "verify",
        _verify,
        "rebuild stored turns from their input and compare them with the store",
        "Rebuilds turns from their input and compares text, citations, status and every event\n"
        "with the store. Prints one line for each turn; exits with 1 when one differs. The\n"
        "service must not be running, because a store belongs to one process.",
        "citestream verify",
    )
    verify.add_argument("turn", nargs="*", metavar="TURN", help="ids of turns; the default is all")
    explain = _add_command(
        commands,
        "explain",
        _explain,
        "show a stored turn's raw answer and the result of each marker",
        "Prints the raw answer in passages. For each candidate it says whether it became a\n"
        "citation, was dropped, or is no marker, and why. The service must not be running.",
        "citestream explain turn-7",
    )
    explain.add_argument("turn", metavar="TURN", help="the id of a turn")
    return parser


def _add_command(
    commands: "argparse._SubParsersAction[argparse.ArgumentParser]",
    name: str,
    run: Callable[[argparse.Namespace], None],
    summary: str,
    description: str,
    example: str,
) -> argparse.ArgumentParser:
    parser = commands.add_parser(
        name,
        help=summary,
        description=description,
        epilog=f"example:\n  {example}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run, of_the_service=run is not strip_stdin)
    return parser


def _add_serve(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = _add_command(
        commands,
        "serve",
        _serve,
        "run the HTTP service",
        "Runs the HTTP service in one process until SIGTERM or Ctrl-C. Settings come from\n"
        "environment variables such as CITESTREAM_PORT=9000; flags take precedence.",
        "citestream serve --port 9000",
    )
    parser.add_argument(
        "--host",
        help="the address to listen at; the default, 127.0.0.1, is this machine alone",
        metavar="HOST",
    )
    parser.add_argument(
        "--port",
        type=_port,
        help="the port to listen at (default 8321); 0 takes any free port",
        metavar="PORT",
    )


def _port(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) <= 5 and int(text) <= 65535):
        raise argparse.ArgumentTypeError("must be a whole number from 0 to 65535")
    return int(text)


def _add_strip(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = _add_command(
        commands,
        "strip",
        strip_stdin,
        "remove the citation markers from a text as it arrives",
        "Reads a model's raw answer on stdin and writes the clean text to stdout while it\n"
        "arrives. Citations go to stderr, one line of JSON each; offsets count code points of the\n"
        "clean text. Without --parts nothing is checked, and every source that a marker names\n"
        "is written.",
        "curl -N ... | citestream strip --from openai-chat --parts parts.json",
    )
    parser.add_argument(
        "--from",
        dest="source",
        choices=tuple(SOURCES),
        default="text",
        help="the format of the input: text (the default) is the raw text; openai-chat, "
        "openai-responses, anthropic and gemini are a vendor's event stream; ndjson is input "
        "events as in POST /v1/stream, parts among them (needs the extra 'service')",
    )
    parser.add_argument(
        "--to",
        dest="target",
        choices=TARGETS,
        default="text",
        help="the format of the output: text (the default) is the clean text; the vendor's format "
        "of --from is the same stream, its citations in the vendor's own places",
    )
    parser.add_argument(
        "--parts",
        metavar="FILE",
        help="a JSON list of the data parts that may be cited, each {id, tool_name, data, origin, "
        "title, url}, where only tool_name and data are required; citations are checked against "
        "them, and each one that is dropped is written with the reason",
    )
    parser.add_argument(
        "--citations",
        metavar="FILE",
        help="write the citations to FILE; - writes them after the text",
    )
    parser.add_argument(
        "--include",
        nargs="+",
        action="extend",
        choices=INCLUDES,
        default=[],
        metavar="FIELD",
        help="fields to add to each citation (excerpt, offsets, source, claim, check), or "
        "diagnostics, which are a last line",
    )
    _add_options(parser)


def _add_options(parser: argparse.ArgumentParser) -> None:
    """Add how the text is treated: the fields of ``options`` in a body."""
    parser.add_argument(
        "--invalid-markers",
        choices=("keep", "drop"),
        help="keep (the default) shows a broken marker as it is; drop removes its signs and ids",
    )
    parser.add_argument(
        "--whitespace",
        choices=("keep", "tidy"),
        help="tidy also removes white space that a removed marker would leave dangling",
    )
    parser.add_argument(
        "--dialect",
        nargs="+",
        action="extend",
        metavar="DIALECT",
        help="what markers look like: names (guide, chatgpt, lenticular, numbers, tags, escaped) "
        'or templates such as \'{"open": "[[", "close": "]]"}\', in order of rank',
    )
    parser.add_argument(
        "--numbers",
        choices=("keep", "strip"),
        help="for the dialect numbers: whether [1] stays in the text (default) or is removed",
    )
    parser.add_argument(
        "--bare-residue",
        action="store_true",
        help="treat words such as citeturn0search0 as markers when their ids are known",
    )


def _serve(args: argparse.Namespace) -> None:
    # While the server runs these are its own; once drained, it raises the signal again.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _leave)
    from citestream.cli.serve import serve

    serve(args)


def _leave(*_: object) -> NoReturn:
    """End at once, well: nothing has begun yet, or all of it has ended.

    An exception would not do: raised while a module is imported, it may be caught there.
    """
    os._exit(0)


def _openapi(_: argparse.Namespace) -> None:
    from citestream.main import create_app
    from citestream.settings import Settings

    # The document is the same under all settings; those of the environment may be wrong.
    document = create_app(Settings.model_construct()).openapi()
    write(STDOUT, json.dumps(document, indent=2).encode() + b"\n")


def _verify(args: argparse.Namespace) -> None:
    from citestream.cli.inspect import verify_turns

    verify_turns(args.turn)


def _explain(args: argparse.Namespace) -> None:
    from citestream.cli.inspect import explain_turn

    explain_turn(args.turn)
