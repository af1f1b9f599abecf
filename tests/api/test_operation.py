"""Whether the process runs and takes work."""

import httpx
import pytest

from citestream.api.schemas import Health


@pytest.mark.parametrize("path", ["/livez", "/readyz"])
def test_all_is_well(client: httpx.Client, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/json"
    assert Health.model_validate(answer.json()).status == "ok"
