"""citestream in a FastAPI service of one's own: from the prompt to the browser, in one file.

``pip install citestream fastapi uvicorn``, then ``python -m examples.fastapi_app`` and open
http://127.0.0.1:8400. No model is called here: ``ask_model`` repeats a recorded answer.
"""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

from fastapi import FastAPI
from fastapi.responses import HTMLResponse, StreamingResponse

from citestream import OutputEvent, Turn

app = FastAPI()


def look_up(question: str) -> list[dict[str, Any]]:
    """Return what your tools find, as parts: a tool's name and any JSON value."""
    del question
    return [{"tool_name": "harbour_log", "data": "04:20 Harbour closed.\n10:20 Open again."}]


async def ask_model(system: str, user: str) -> AsyncIterator[str]:
    """Yield the model's tokens; put the call of your provider here."""
    del system, user
    for token in ["It is open", " again\ue200ci", "te\ue202tool_data_01\ue202L2", "\ue201. 🎉"]:
        await asyncio.sleep(0.05)
        yield token


async def answer(question: str) -> AsyncIterator[str]:
    """Yield server-sent events: clean text, citations, and the whole answer at the end."""
    turn = Turn(include=["excerpt", "offsets"], parts=look_up(question))
    prompt = turn.prompt()
    context = "\n\n".join(part["text"] for part in prompt["parts"])
    try:
        async for token in ask_model(f"{prompt['instructions']}\n\n{context}", question):
            for event in turn.feed(token):
                yield server_sent(event)
    except Exception:
        for event in turn.finish("failed"):
            yield server_sent(event)
        raise
    for event in turn.finish():
        yield server_sent(event)


def server_sent(event: OutputEvent) -> str:
    """Return an output event as a server-sent event."""
    return f"event: {event.type}\ndata: {json.dumps(event.as_json())}\n\n"


@app.get("/ask")
async def ask(question: str) -> StreamingResponse:
    """Answer a question while the model writes."""
    return StreamingResponse(
        answer(question),
        media_type="text/event-stream",
        headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
    )


PAGE = """<!doctype html>
<meta charset="utf-8">
<title>Ask the harbour</title>
<link rel="icon" href="data:,">
<p id="answer"></p>
<ol id="citations"></ol>
<script>
  const source = new EventSource("/ask?question=" + encodeURIComponent("Is it open?"));
  source.addEventListener("delta", (event) => {
    document.getElementById("answer").append(JSON.parse(event.data).text);
  });
  source.addEventListener("citation", (event) => {
    const { citation } = JSON.parse(event.data);
    const item = document.createElement("li");
    item.textContent = citation.excerpt.text;
    item.dataset.offset = citation.offsets.utf16;
    document.getElementById("citations").append(item);
  });
  // Without this the browser would ask again as soon as the answer has ended.
  source.addEventListener("artifact", () => source.close());
  source.addEventListener("error", () => source.close());
</script>
"""


@app.get("/")
async def page() -> HTMLResponse:
    """Return a page that asks."""
    return HTMLResponse(PAGE)


if __name__ == "__main__":
    import uvicorn

    uvicorn.run(app, port=8400)
