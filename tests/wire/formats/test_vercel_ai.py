"""The UI message stream: sources said once, citations in UTF-16, the fields early clients know."""

from tests.wire.formats.test_vendor_writer import written

from citestream.wire.formats.vercel_ai import VercelWriter


def test_the_chunks_of_a_cited_answer() -> None:
    *found, done = written(VercelWriter)
    assert done == {"done": True}
    kinds = [one["type"] for one in found]
    assert kinds[:2] == ["start", "text-start"]
    assert kinds[-2:] == ["text-end", "finish"]
    assert kinds.count("source-url") == 1
    [cited] = [one["data"] for one in found if one["type"] == "data-citation"]
    assert cited == {"sourceId": "a", "start": 0, "end": 7}
    assert found[-1] == {"type": "finish"}
    [metadata] = [one["providerMetadata"] for one in found if "providerMetadata" in one]
    assert metadata["citestream"]["citations"][0]["offset"] == 6


def test_the_head_names_the_protocol() -> None:
    assert VercelWriter.headers == {"x-vercel-ai-ui-message-stream": "v1"}
