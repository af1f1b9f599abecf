"""When two targets are the same thing, so that a reader finds it once in a list.

This file knows no sources and no numbers.
"""

from typing import TypeAlias

from citestream.targets.kinds import Account, Accounts, Target, target_json

TargetKey: TypeAlias = tuple[object, ...]


def target_key(target: Target) -> TargetKey | None:
    """Return a key that equal things share, None for a target that names no single thing.

    A provider is no part of what an account is; a document without an address and a computation
    could be any.
    """
    if isinstance(target, Account):
        return (target.kind, target.accountId)
    if isinstance(target, Accounts):
        return (target.kind, *sorted(ref.accountId for ref in target.accounts))
    named = tuple((target_json(target) or {}).items())
    return named if any(value is not None for _, value in named[1:]) else None
