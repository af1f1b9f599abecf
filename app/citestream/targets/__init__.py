"""Typed citation targets (S3): what a citation points at, so that a client can act on it.

Pure: a preset (the product's table) and results in, targets out. Knows nothing of markers, numbered
sources or HTTP.
"""

from citestream.targets.accounts import account_path, account_ref, accounts_of_rows
from citestream.targets.addresses import humanize_url, is_openable
from citestream.targets.attaching import attach
from citestream.targets.declared import DeclaredField, DeclaredKind, DeclaredTarget
from citestream.targets.deriving import Result, Written, derive
from citestream.targets.errors import TargetInputError
from citestream.targets.identity import TargetKey, target_key
from citestream.targets.kinds import (
    BUILT_IN_KINDS,
    Account,
    AccountRef,
    Accounts,
    Analysis,
    BuiltInTarget,
    CardDocument,
    MarketData,
    MortgageReference,
    Portfolio,
    Provider,
    Target,
    TaxReference,
    Web,
    account_json,
    parse_target,
    target_json,
    written_target,
)
from citestream.targets.labels import account_source, slug
from citestream.targets.links import LinkTemplate, target_link
from citestream.targets.one_address import one_address, target_address
from citestream.targets.operations import OPERATIONS
from citestream.targets.preset import Preset
from citestream.targets.preset_file import PresetError, load_preset
from citestream.targets.registry import Registry
from citestream.targets.shipped import SHIPPED_PRESET, shipped_preset

__all__ = [
    "BUILT_IN_KINDS",
    "OPERATIONS",
    "SHIPPED_PRESET",
    "Account",
    "AccountRef",
    "Accounts",
    "Analysis",
    "BuiltInTarget",
    "CardDocument",
    "DeclaredField",
    "DeclaredKind",
    "DeclaredTarget",
    "LinkTemplate",
    "MarketData",
    "MortgageReference",
    "Portfolio",
    "Preset",
    "PresetError",
    "Provider",
    "Registry",
    "Result",
    "Target",
    "TargetInputError",
    "TargetKey",
    "TaxReference",
    "Web",
    "Written",
    "account_json",
    "account_path",
    "account_ref",
    "account_source",
    "accounts_of_rows",
    "attach",
    "derive",
    "humanize_url",
    "is_openable",
    "load_preset",
    "one_address",
    "parse_target",
    "shipped_preset",
    "slug",
    "target_address",
    "target_json",
    "target_key",
    "target_link",
    "written_target",
]
