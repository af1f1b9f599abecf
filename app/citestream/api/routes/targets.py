"""The routes of typed citation targets (S3)."""

from typing import Any, Final

from starlette.datastructures import State

from citestream import targets
from citestream.api.operations import Operation, Work, operation_router
from citestream.api.schemas import targets as schemas


def _work(name: str) -> Work:
    operation = targets.OPERATIONS[name]

    def work(body: dict[str, Any], state: State) -> dict[str, Any]:
        return operation(body, state.preset)

    return work


OPERATIONS: Final = (
    Operation(
        "/v1/targets/derive",
        "What the sources of tool calls point at",
        "Types the source of each result by the product's table. A source has one meaning for the "
        "whole turn; the checkpoint carries it to the next call.",
        "citestream.targets.derive",
        schemas.TargetsDeriveBody,
        schemas.TargetsDeriveAnswer,
        _work("derive"),
    ),
    Operation(
        "/v1/targets/parse",
        "Read a target",
        "Reads a target as a reader should: keys that are not known are dropped, and what is not "
        "known or malformed is no target.",
        "citestream.targets.parse_target",
        schemas.TargetsParseBody,
        schemas.TargetsParseAnswer,
        _work("parse"),
    ),
    Operation(
        "/v1/targets/humanize-url",
        "The readable page of a download",
        "Names the page that a person reads instead of a file.",
        "citestream.targets.humanize_url",
        schemas.TargetsHumanizeUrlBody,
        schemas.TargetsHumanizeUrlAnswer,
        _work("humanize-url"),
    ),
    Operation(
        "/v1/targets/account-ref",
        "The account that a row names",
        "Reads the account out of the columns that name one, and nothing else.",
        "citestream.targets.account_ref",
        schemas.TargetsAccountRefBody,
        schemas.TargetsAccountRefAnswer,
        _work("account-ref"),
    ),
    Operation(
        "/v1/targets/account-url",
        "The path of an account",
        "Writes the path at which an account is shown.",
        "citestream.targets.account_path",
        schemas.TargetsAccountUrlBody,
        schemas.TargetsAccountUrlAnswer,
        _work("account-url"),
    ),
    Operation(
        "/v1/targets/slug",
        "The source of a labelled account",
        "Writes the source by which an account is cited.",
        "citestream.targets.account_source",
        schemas.TargetsSlugBody,
        schemas.TargetsSlugAnswer,
        _work("slug"),
    ),
    Operation(
        "/v1/targets/attach",
        "Put targets on a provider's citations",
        "Adds `target` to each `search_result_location` whose source the turn has typed; every "
        "other key keeps its value.",
        "citestream.targets.attach",
        schemas.TargetsAttachBody,
        schemas.TargetsAttachAnswer,
        _work("attach"),
    ),
)

router = operation_router("targets", OPERATIONS)
