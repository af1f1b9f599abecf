"""citestream in a handler that reads an OpenAI-style chunk stream. No network here.

``python -m examples.openai_stream`` runs it over chunks that are made up on the spot.
"""

import json
from collections.abc import Iterable, Iterator
from types import SimpleNamespace
from typing import Any, Final

from citestream import OutputEvent, Turn
from citestream.turns import EndReason

REASONS: Final[dict[str, EndReason]] = {"length": "length", "content_filter": "stopped"}
"""What a ``finish_reason`` says; every other one means that the model was done."""


def answer(chunks: Iterable[Any], turn: Turn) -> Iterator[OutputEvent]:
    """Yield what a reader may have, as the chunks come.

    ``chunks`` are ``ChatCompletionChunk`` objects: what ``client.chat.completions.create(...,
    stream=True)`` returns. A stream that breaks off before its ``finish_reason`` has ``failed``.
    """
    reason: EndReason = "failed"
    for chunk in chunks:
        for choice in (chunk.choices or ())[:1]:  # the chunk that tells the usage has none
            for text in texts(getattr(choice, "delta", None)):
                yield from turn.feed(text)
            if getattr(choice, "finish_reason", None):
                reason = REASONS.get(choice.finish_reason, "complete")
    yield from turn.finish(reason)


def texts(delta: Any) -> Iterator[str]:
    """Yield the texts of a delta, which may be None (Azure), a list (Mistral) or a refusal."""
    for content in (getattr(delta, "content", None), getattr(delta, "refusal", None)):
        if isinstance(content, str):
            yield content
        else:
            yield from (piece.text for piece in content or () if piece.type == "text")


def _chunk(content: str | None, finish_reason: str | None = None) -> SimpleNamespace:
    delta = SimpleNamespace(content=content)
    return SimpleNamespace(choices=[SimpleNamespace(delta=delta, finish_reason=finish_reason)])


def main() -> None:
    """Print the events of a short answer, one line of JSON each."""
    turn = Turn()
    turn.register(tool_name="harbour_log", data="High water at noon.\nCalm sea.")
    tokens = ["High water", " is at noon\ue200ci", "te\ue202tool_data_01", "\ue202L1\ue201."]
    for event in answer([*map(_chunk, tokens), _chunk(None, "stop")], turn):
        print(json.dumps(event.as_json()))


if __name__ == "__main__":
    main()
