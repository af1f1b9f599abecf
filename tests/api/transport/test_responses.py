"""Plain values as answers in JSON."""

import json

import pytest

from citestream.api.transport.responses import json_response


@pytest.mark.parametrize("value", [{"text": "tide ✓", "next": 3}, [], None])
@pytest.mark.parametrize("status", [200, 201])
def test_a_value_is_the_body_under_the_status(value: object, status: int) -> None:
    answer = json_response(value, status)
    assert (answer.status_code, answer.headers["content-type"]) == (status, "application/json")
    assert json.loads(bytes(answer.body)) == value
