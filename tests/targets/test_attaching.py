import pytest

from citestream.targets import Analysis, Registry, attach

SOURCE = "silvia://analysis"


@pytest.fixture
def registry() -> Registry:
    registry = Registry()
    registry.write(SOURCE, Analysis())
    registry.write("silvia://your-account/checking", None)
    return registry


def test_target_is_added_to_a_copy(registry: Registry) -> None:
    citation = {"type": "search_result_location", "source": SOURCE, "cited_text": "\ud83d"}
    assert attach([citation], registry) == [{**citation, "target": {"kind": "analysis"}}]
    assert "target" not in citation


@pytest.mark.parametrize("source", ["silvia://your-account/checking", "silvia://unknown"])
def test_target_that_the_turn_does_not_have_goes(source: str, registry: Registry) -> None:
    citation = {"type": "search_result_location", "source": source}
    assert attach([{**citation, "target": {"kind": "analysis"}}], registry) == [citation]


@pytest.mark.parametrize(
    "citation",
    [
        {},
        {"source": SOURCE},
        {"type": ["search_result_location"], "source": SOURCE},
        {"type": "web_search_result_location", "source": SOURCE, "target": 1},
        {"type": "search_result_location", "source": [SOURCE]},
        {"type": "search_result_location", "source": None},
    ],
)
def test_other_citation_is_not_touched(citation: dict[str, object], registry: Registry) -> None:
    assert attach([citation], registry) == [citation]
