"""A conversation as a whole: for a provider that refuses some of it, and for people."""

from typing import Any

import pytest
from tests.service.stored_turns import END, cite, deltas, histories, part, refused

from citestream.service import history as module
from citestream.service.sessions import Conversations
from citestream.service.stored.turns import StoredTurns
from citestream.turns import ResultsInput

pytestmark = pytest.mark.anyio

PAGE = {"title": "Tides", "url": "https://example.org/tides", "snippet": "High at noon."}


async def say(turns: StoredTurns, name: str, *texts: str, found: bool = False) -> None:
    """Store a turn of the session ``s``."""
    await turns.create(turn_id=name, session_id="s")
    results: list[Any] = [ResultsInput("search_web", (PAGE,))] if found else []
    await turns.push(name, 1, [*results, *deltas(*texts), END])


async def ask(turns: StoredTurns, name: str, text: str) -> None:
    await Conversations(turns).add_message("s", name, text, None)


async def contents(turns: StoredTurns, *options: Any) -> list[str]:
    history = await histories(turns).history("s", *options)
    return [f"{one['role'][0]}:{one['content']}" for one in history["messages"]]


async def test_what_anthropic_refuses_is_not_in_its_history(turns: StoredTurns) -> None:
    await say(turns, "t0", "Welcome")
    await ask(turns, "m1", "  hello \n")
    await say(turns, "t1", " \n ")
    await ask(turns, "m2", " ")
    await say(turns, "t2", "kept inside \n")
    await ask(turns, "m3", "more")
    await say(turns, "t3", "at the end \n\t")
    assert await contents(turns, "anthropic") == [
        "u:  hello \n",
        "a:kept inside \n",
        "u:more",
        "a:at the end",
    ]
    assert (await contents(turns, "openai"))[0] == "a:Welcome"
    await ask(turns, "m4", "last \n")
    assert (await contents(turns, "anthropic"))[-2:] == ["a:at the end \n\t", "u:last \n"]


async def test_numbers_of_an_answers_own_list_are_taken_out_for_providers(
    turns: StoredTurns,
) -> None:
    await say(turns, "t1", "Noon [1][1], see [2] and `[1]`.", found=True)
    await say(turns, "t2", "No list [1].")
    stripped = ["a:Noon , see [2] and `[1]`.", "a:No list [1]."]
    kept = ["a:Noon [1][1], see [2] and `[1]`.", "a:No list [1]."]
    assert await contents(turns, "openai") == stripped
    assert await contents(turns, "openai", "clean", "keep") == kept
    assert await contents(turns, "text") == kept
    assert await contents(turns, "text", "raw", "strip") == stripped


async def talk(turns: StoredTurns) -> None:
    await ask(turns, "m1", "When is <high> water?")
    await turns.create(turn_id="t1", session_id="s")
    events = [
        ResultsInput("search_web", (PAGE,)),
        part("b", "log", title="Log", url="https://example.org/log"),
        *deltas("At noon [1], says the log", cite("log"), "."),
    ]
    await turns.push("t1", 1, [*events, END])
    await turns.create(turn_id="t2", session_id="s")
    await turns.push("t2", 1, deltas("still running"))


async def test_a_conversation_for_people(turns: StoredTurns) -> None:
    await talk(turns)
    assert await histories(turns).export("s", "text") == (
        "User:\n\nWhen is <high> water?\n\nAssistant:\n\n"
        "At noon [1], says the log.[2]\n\n"
        "Sources\n\n[1] Tides <https://example.org/tides>\n[2] Log <https://example.org/log>\n"
    )
    markdown = await histories(turns).export("s", "markdown")
    assert markdown.startswith("## User\n\nWhen is <high> water?\n\n## Assistant\n\nAt noon [")
    assert "https://example.org/log" in markdown
    html = await histories(turns).export("s", "html")
    assert html.startswith('<section class="user">\n<h2>User</h2>')
    assert "When is &lt;high&gt; water?" in html
    assert html.count("<section") == html.count("</section>")
    assert html.count('<section class="assistant">') == 1
    assert "still running" not in markdown + html


async def test_an_export_has_a_limit_and_an_unknown_session_none(
    turns: StoredTurns, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert (await refused(histories(turns).export("s", "text"))).detail.startswith("session_id")
    await talk(turns)
    monkeypatch.setattr(module, "MAX_EXPORT", 50)
    assert "at most 50" in (await refused(histories(turns).export("s", "text"))).detail
