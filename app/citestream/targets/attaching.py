"""Targets on a provider's own citations (Anthropic's `search_result_location`).

Only `type` and `source` are read; every other key goes through untouched.
"""

from collections.abc import Iterable, Mapping
from typing import Final

from citestream.targets.kinds import JsonObject, target_json
from citestream.targets.registry import Registry

_TYPE: Final = "search_result_location"


def attach(citations: Iterable[Mapping[str, object]], registry: Registry) -> list[JsonObject]:
    """Return the citations, each with the `target` that the turn has for its source.

    An untyped or unknown source has no `target` key, also when one came with the citation: it may
    have lost its meaning since. Citations of another type are not touched.
    """
    return [_attached(citation, registry) for citation in citations]


def _attached(citation: Mapping[str, object], registry: Registry) -> JsonObject:
    attached = dict(citation)
    source = citation.get("source")
    if citation.get("type") != _TYPE or not isinstance(source, str):
        return attached
    attached.pop("target", None)
    target = target_json(registry.target(source))
    return attached if target is None else {**attached, "target": target}
