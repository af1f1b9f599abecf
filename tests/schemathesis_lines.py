"""Teaches Schemathesis to write NDJSON: a generated event is a body of one line."""

import json
from typing import Any

import schemathesis


@schemathesis.serializer("application/x-ndjson")
def line(_: Any, event: Any) -> bytes:
    return json.dumps(event).encode()
