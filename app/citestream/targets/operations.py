"""The operations of S3 on plain JSON: one table, name → function, for any door that speaks JSON.

Each takes the posted object and the product's preset and returns the whole answer, no key more.
A field of the wrong shape raises TargetInputError; what rows, addresses and targets hold is data.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Final, TypeAlias

from citestream.targets.accounts import account_path, account_ref
from citestream.targets.addresses import humanize_url
from citestream.targets.attaching import attach
from citestream.targets.deriving import Result, derive
from citestream.targets.errors import TargetInputError
from citestream.targets.kinds import JsonObject, account_json, parse_target, target_json
from citestream.targets.labels import account_source
from citestream.targets.preset import Preset
from citestream.targets.registry import Registry

Body: TypeAlias = Mapping[str, object]
Operation: TypeAlias = Callable[[Body, Preset], JsonObject]


def _derive(body: Body, preset: Preset) -> JsonObject:
    registry = Registry.from_checkpoint(body.get("checkpoint"), preset.kinds)
    sources: dict[str, None] = {}  # in the order first written
    for tool, result in _results(body):
        written = derive(tool, result, preset)
        registry.write(written.source, written.target)
        sources[written.source] = None
    targets = {source: target_json(registry.target(source)) for source in sources}
    return {"targets": targets, "checkpoint": registry.checkpoint()}


def _results(body: Body) -> Iterator[tuple[str, Result]]:
    for call_at, call in _objects(body, "calls", ""):
        tool = _text(call, "tool", call_at)
        for at, result in _objects(call, "results", call_at):
            source = _text(result, "source", at)
            yield tool, Result(source, result.get("rows"), result.get("url"), result)


def _parse(body: Body, preset: Preset) -> JsonObject:
    return {"target": target_json(parse_target(body.get("value"), preset.kinds))}


def _humanize_url(body: Body, _preset: Preset) -> JsonObject:
    return {"url": humanize_url(_text(body, "url"))}


def _account_ref(body: Body, _preset: Preset) -> JsonObject:
    ref = account_ref(body.get("row"))
    return {"account": account_json(ref) if ref else None}


def _account_url(body: Body, _preset: Preset) -> JsonObject:
    return {"path": account_path(_text(body, "accountId"))}


def _slug(body: Body, preset: Preset) -> JsonObject:
    return {"source": account_source(_text(body, "label"), preset)}


def _attach(body: Body, preset: Preset) -> JsonObject:
    registry = Registry.from_checkpoint(body.get("checkpoint"), preset.kinds)
    citations = (citation for _, citation in _objects(body, "citations", ""))
    return {"citations": attach(citations, registry)}


OPERATIONS: Final[Mapping[str, Operation]] = {
    "derive": _derive,
    "parse": _parse,
    "humanize-url": _humanize_url,
    "account-ref": _account_ref,
    "account-url": _account_url,
    "slug": _slug,
    "attach": _attach,
}
"""Operation → function, named as in the addresses `/v1/targets/<operation>`."""


def _text(body: Body, key: str, at: str = "") -> str:
    value = body.get(key)
    if not isinstance(value, str):
        raise TargetInputError(at + key, "must be a string")
    return value


def _objects(body: Body, key: str, at: str) -> Iterator[tuple[str, Body]]:
    """Yield each object of a list with the head of its fields' names, such as `calls[0].`."""
    listed = body.get(key)
    if not isinstance(listed, list):
        raise TargetInputError(at + key, "must be a list")
    for index, value in enumerate(listed):
        if not isinstance(value, Mapping):
            raise TargetInputError(f"{at}{key}[{index}]", "must be an object")
        yield f"{at}{key}[{index}].", value
