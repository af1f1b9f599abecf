"""The registry of a turn: what each source written so far means, and its checkpoint.

A citation names its source and nothing else, so a source has one meaning for the whole turn. The
state is exactly what the checkpoint shows, so a turn may be cut between any two results. This file
knows no tool, no row and no table.
"""

from collections.abc import Mapping
from typing import Final, Self

from citestream.targets.accounts import pool
from citestream.targets.declared import DeclaredKind
from citestream.targets.errors import TargetInputError
from citestream.targets.kinds import (
    Account,
    Accounts,
    JsonObject,
    Target,
    parse_target,
    target_json,
)

_KEY: Final = "citationTargets"


class Registry:
    """Source → target of one turn; a source that lost its meaning stays, untyped."""

    __slots__ = ("_targets",)

    def __init__(self) -> None:
        self._targets: dict[str, Target | None] = {}

    @classmethod
    def from_checkpoint(
        cls, checkpoint: object, declared: Mapping[str, DeclaredKind] | None = None
    ) -> Self:
        """Resume from what `checkpoint()` returned for an earlier slice; None is a fresh turn.

        `declared` are the kinds of the product's preset by name. Without the key `citationTargets`
        the registry is empty; other keys are not ours. Entries are read as a reader reads them:
        what is malformed is untyped for the rest of the turn.
        Raises TargetInputError when the checkpoint or that key holds something else than an object.
        """
        registry = cls()
        entries = _object(_object(checkpoint, "checkpoint").get(_KEY), f"checkpoint.{_KEY}")
        registry._targets = {
            source: parse_target(value, declared) for source, value in entries.items()
        }
        return registry

    def write(self, source: str, target: Target | None) -> None:
        """Note what a result wrote under `source`; accounts are pooled, other differences untype.

        None says that nobody could type it, which is a difference too.
        """
        if source in self._targets:
            target = _one_meaning(self._targets[source], target)
        self._targets[source] = target

    def target(self, source: str) -> Target | None:
        """Return what `source` means now; None when untyped or not written in this turn."""
        return self._targets.get(source)

    def checkpoint(self) -> JsonObject:
        """Return the JSON object that carries this registry into the next slice."""
        return {_KEY: {source: target_json(target) for source, target in self._targets.items()}}


def _object(value: object, field: str) -> Mapping[str, object]:
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise TargetInputError(field, "must be an object or null")
    return value


def _one_meaning(old: Target | None, new: Target | None) -> Target | None:
    if old == new:
        return old
    if isinstance(old, (Account, Accounts)) and isinstance(new, (Account, Accounts)):
        return pool(old, new)
    return None
