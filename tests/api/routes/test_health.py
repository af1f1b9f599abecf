"""Whether the process runs and takes work."""

import json

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families
from tests.serving import serving, until

from citestream.api.schemas.health import Health


@pytest.mark.parametrize("path", ["/livez", "/readyz"])
def test_all_is_well(client: httpx.Client, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/json"
    assert Health.model_validate(answer.json()).status == "ok"


def test_a_process_that_stops_is_alive_and_not_ready() -> None:
    with serving() as server, httpx.Client(base_url=server.url) as own:

        async def drain() -> None:
            server.config.app.state.streams.drain(server.loop.time())  # type: ignore[union-attr]

        server.call(drain())
        answer = own.get("/readyz")
        assert answer.status_code == 503
        assert answer.json()["type"] == "urn:citestream:problem:not-ready"
        assert own.get("/livez").status_code == 200


def test_a_store_that_takes_no_writes_is_not_ready() -> None:
    with serving(faults=True) as server, httpx.Client(base_url=server.url) as own:
        server.call(server.config.app.state.turns.log.close())  # type: ignore[union-attr]
        assert own.get("/readyz").status_code == 503
        assert own.get("/livez").status_code == 200


def test_metrics_tell_what_has_happened(client: httpx.Client) -> None:
    def figures() -> dict[str, float]:
        answer = client.get("/metrics")
        assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
        return {
            " ".join([sample.name, *sample.labels.values()]): sample.value
            for family in text_string_to_metric_families(answer.text)
            for sample in family.samples
        }

    before = figures()
    text = "a\ue200cite\ue202nobody\ue201\ue200ci"
    client.post("/v1/extract", json={"text": text})
    client.post("/v1/stream", json={"text": text})
    body = json.dumps({"type": "delta", "text": text})
    client.post("/v1/stream", content=body, headers={"Content-Type": "application/x-ndjson"})
    after = figures()
    rise = {name: after[name] - before.get(name, 0) for name in after}
    assert rise["citestream_answers_ended_total completed"] == 3
    assert rise["citestream_dropped_citations_total unknown_part"] == 3
    assert rise["citestream_invalid_markers_total"] == 3
    until(lambda: figures()["citestream_streams"] == 0)
