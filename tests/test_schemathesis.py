"""Requests made from the document, good and bad, against the running service.

``CITESTREAM_EXAMPLES`` is how many are made up for each operation; beyond the default the run is
another one each time.
"""

import copy
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.serving import process

ROOT = Path(__file__).parents[1]
EXAMPLES = os.environ.get("CITESTREAM_EXAMPLES", "")
CHOSEN = ["--max-examples", EXAMPLES] if EXAMPLES else ["--max-examples", "15", "--seed", "1"]

FRAME = {
    "type": "object",
    "required": ["id", "event", "data"],
    "additionalProperties": False,
    "properties": {
        "id": {"type": "string", "pattern": "^[1-9][0-9]*$"},
        "event": {"type": "string", "enum": []},
        "data": {
            "type": "string",
            "contentMediaType": "application/json",
            "contentSchema": {"$ref": "#/components/schemas/StreamEvent"},
        },
    },
}
"""A server-sent event as Schemathesis sees it, where the document describes its data alone."""


def with_frames_and_lines(document: dict[str, Any]) -> dict[str, Any]:
    described = copy.deepcopy(document)
    mapping = document["components"]["schemas"]["StreamEvent"]["discriminator"]["mapping"]
    frame: dict[str, Any] = copy.deepcopy(FRAME)
    frame["properties"]["event"]["enum"] = list(mapping)
    described["components"]["schemas"]["Frame"] = frame
    for operation in (o for path in described["paths"].values() for o in path.values()):
        if lines := operation.pop("x-ndjson-body", None):
            operation["requestBody"]["content"]["application/x-ndjson"] = lines
        content = operation["responses"].get("200", {}).get("content", {})
        if "text/event-stream" in content:
            content["text/event-stream"] = {"schema": {"$ref": "#/components/schemas/Frame"}}
            # In a vendor's format the events are the vendor's, which no schema here describes.
            kept = [one for one in operation["parameters"] if one["name"] != "to"]
            operation["parameters"] = kept
    return described


def test_no_fault_and_no_answer_that_the_document_does_not_know(tmp_path: Path) -> None:
    document = json.loads((ROOT / "openapi" / "openapi.json").read_text("utf-8"))
    (tmp_path / "document.json").write_text(json.dumps(with_frames_and_lines(document)))
    operations = sum(len(path) for path in document["paths"].values())
    # A turn that nobody ends ends soon, and with it the streams of its readers.
    with process(
        CITESTREAM_STORE_URL=f"sqlite:///{tmp_path}/turns.db", CITESTREAM_SILENCE_SECONDS="1"
    ) as server:
        run = subprocess.run(
            [
                *(sys.executable, "-m", "schemathesis.cli"),
                *("--config-file", str(ROOT / "tests" / "schemathesis.toml")),
                *("run", "document.json", "--url", server.url, "--no-color"),
                *("--phases", "examples,coverage,fuzzing", *CHOSEN),
            ],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert server.started.poll() is None
    assert run.returncode == 0, run.stdout + run.stderr
    assert f"Tested: {operations}\n" in run.stdout
