"""The shapes of targets (S3), as the OpenAPI document names them."""

import re
from collections.abc import Iterable, Iterator
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, Field, RootModel

from citestream.api.schemas.base import OPEN, STRICT, Shown
from citestream.targets import DeclaredKind, Provider
from citestream.targets.declared import MAX_STRING

_KIND: Final = "Tells what kind of target this is."
_PAGE: Final = "The address of its page, or null."
_FIELD: Final = {
    "string": "What the product declared it to be.",
    "url": "An address that may be opened.",
}
_EXAMPLE: Final = {"string": "m-17", "url": "https://example.org/m-17"}
_CHECKPOINT: Final = (
    "What the call before this one in the same turn answered; null or left out at the beginning of "
    "a turn. Keys beside `citationTargets` are not read."
)
_AAPL: Final = "silvia://market-data/finnhub/AAPL"
_AAPL_TARGET: Final = {"kind": "market_data", "ticker": "AAPL"}
_ACCOUNT_ID: Final = "9f1c7a4e-6a1b-4a39-b7a0-2a5d1f0c8e11"
_TARGETS: Final = {_AAPL: _AAPL_TARGET}


class AccountRef(Shown):
    """One account of the user."""

    account_id: str = Field(
        alias="accountId", description="The account's id.", examples=[_ACCOUNT_ID]
    )
    provider: Provider | None = Field(
        description="For routing alone, never to be shown; null when the rows did not say.",
        examples=["plaid"],
    )


class WebTarget(Shown):
    """A web page."""

    kind: Literal["web"] = Field(description=_KIND)
    url: str = Field(description="Its address.", examples=["https://example.org/tides"])


class TaxReferenceTarget(Shown):
    """A tax document."""

    kind: Literal["tax_reference"] = Field(description=_KIND)
    url: str | None = Field(description=_PAGE, examples=["https://www.ecfr.gov/current/title-26"])


class CardDocumentTarget(Shown):
    """A credit card document."""

    kind: Literal["card_document"] = Field(description=_KIND)
    url: str | None = Field(description=_PAGE, examples=["https://example.org/card"])


class MortgageReferenceTarget(Shown):
    """A mortgage document."""

    kind: Literal["mortgage_reference"] = Field(description=_KIND)
    url: str | None = Field(description=_PAGE, examples=["https://example.org/mortgage"])


class MarketDataTarget(Shown):
    """Market data of one ticker."""

    kind: Literal["market_data"] = Field(description=_KIND)
    ticker: str = Field(description="The ticker.", examples=["AAPL"])


class AnalysisTarget(Shown):
    """A computation."""

    kind: Literal["analysis"] = Field(description=_KIND)


class AccountTarget(AccountRef):
    """One account of the user."""

    kind: Literal["account"] = Field(description=_KIND)


class AccountsTarget(Shown):
    """Several accounts of the user; the citation covers all of them."""

    kind: Literal["accounts"] = Field(description=_KIND)
    accounts: list[AccountRef] = Field(description="The accounts.")


class PortfolioTarget(Shown):
    """The user's portfolio as a whole."""

    kind: Literal["portfolio"] = Field(description=_KIND)


class Target(
    RootModel[
        Annotated[
            WebTarget
            | TaxReferenceTarget
            | CardDocumentTarget
            | MortgageReferenceTarget
            | MarketDataTarget
            | AnalysisTarget
            | AccountTarget
            | AccountsTarget
            | PortfolioTarget,
            Field(discriminator="kind"),
        ]
    ]
):
    """What a citation points at; `kind` says which form it has.

    Kinds may be added: treat one that you do not know as a citation without a target.
    """


def declared_schemas(
    kinds: Iterable[DeclaredKind],
) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield of each kind that a preset declares its name, its schema's name, and the schema."""
    for kind in kinds:
        properties: dict[str, Any] = {
            "kind": {"type": "string", "const": kind.name, "description": _KIND}
        }
        for field in kind.fields:
            shown: dict[str, Any] = {"type": "string", "minLength": 1}
            if field.type == "string":
                shown |= {"maxLength": MAX_STRING}
            if field.nullable:
                shown = {"anyOf": [shown, {"type": "null"}]}
            properties[field.name] = {
                **shown,
                "description": _FIELD[field.type],
                "examples": [_EXAMPLE[field.type]],
            }
        # Injective: a capital is an underscore and the letter after it.
        name = re.sub("(?:^|_)([a-z])", lambda found: found[1].upper(), kind.name) + "Target"
        yield (
            kind.name,
            name,
            {
                "type": "object",
                "description": "A target of a kind that this product declares.",
                "properties": properties,
                "required": list(properties),
            },
        )


class Checkpoint(Shown):
    """What the sources of a turn mean; give it to the next call of the same turn."""

    citation_targets: dict[str, Target | None] = Field(
        alias="citationTargets",
        description="Source → target; null for a source without one meaning.",
        examples=[_TARGETS],
    )


class ToolResult(BaseModel):
    """One result of a tool. What the rows hold is data; only the columns that name accounts are
    read.
    """

    model_config = OPEN

    source: str = Field(description="What the result is cited by.", examples=[_AAPL])
    rows: Any = Field(None, description="Its rows.", examples=[[]])
    url: Any = Field(None, description="The address beside a file.", examples=[None])


class ToolResults(BaseModel):
    """A call of a tool and what it returned."""

    model_config = STRICT

    tool: str = Field(description="The tool.", examples=["execute_python"])
    results: list[ToolResult] = Field(description="Its results, in order.")


class TargetsDeriveBody(BaseModel):
    """Calls of a turn, in order."""

    model_config = STRICT

    calls: list[ToolResults] = Field(
        description="The calls, in order.",
        examples=[[{"tool": "execute_python", "results": [{"source": _AAPL}]}]],
    )
    checkpoint: dict[str, Any] | None = Field(None, description=_CHECKPOINT, examples=[None])


class TargetsDeriveAnswer(Shown):
    """What the sources of these calls mean now."""

    targets: dict[str, Target | None] = Field(
        description="Source as it is cited → target; null for a source without one meaning.",
        examples=[_TARGETS],
    )
    checkpoint: Checkpoint = Field(
        description="What all sources of the turn mean.", examples=[{"citationTargets": _TARGETS}]
    )


class TargetsParseBody(BaseModel):
    """A target as it was stored or sent."""

    model_config = STRICT

    value: Any = Field(
        description="Any JSON value.", examples=[{**_AAPL_TARGET, "exchange": "XNAS"}]
    )


class TargetsParseAnswer(Shown):
    """The target, read as a forward compatible reader does."""

    target: Target | None = Field(
        description="Null for a kind that is not known and for what is malformed.",
        examples=[_AAPL_TARGET],
    )


class TargetsHumanizeUrlBody(BaseModel):
    """An address that a tool read."""

    model_config = STRICT

    url: str = Field(
        description="The address; never fetched.",
        examples=["https://www.ecfr.gov/api/versioner/v1/full/current/title-26.xml"],
    )


class TargetsHumanizeUrlAnswer(Shown):
    """The address of the page that a person reads."""

    url: str = Field(
        description="The same address when there is no better one.",
        examples=["https://www.ecfr.gov/current/title-26"],
    )


class TargetsAccountRefBody(BaseModel):
    """A row of a query."""

    model_config = STRICT

    row: Any = Field(
        description="Columns by name; only those that name an account are read.",
        examples=[{"source": "plaid", "source_account_id": _ACCOUNT_ID, "balance": 17}],
    )


class TargetsAccountRefAnswer(Shown):
    """The account that the row names."""

    account: AccountRef | None = Field(
        description="Null when it names none.",
        examples=[{"accountId": _ACCOUNT_ID, "provider": "plaid"}],
    )


class TargetsAccountUrlBody(BaseModel):
    """An account."""

    model_config = STRICT

    account_id: str = Field(
        alias="accountId",
        description="Its id; neither empty nor `.` nor `..`.",
        examples=[_ACCOUNT_ID],
    )


class TargetsAccountUrlAnswer(Shown):
    """Where the account is shown."""

    path: str = Field(description="A path of the product.", examples=[f"/accounts/{_ACCOUNT_ID}"])


class TargetsSlugBody(BaseModel):
    """An account's label."""

    model_config = STRICT

    label: str = Field(description="As the user sees it.", examples=["Joint checking"])


class TargetsSlugAnswer(Shown):
    """The source that the account is cited by."""

    source: str = Field(
        description="An address of the product's own scheme.",
        examples=["silvia://your-account/joint-checking"],
    )


class TargetsAttachBody(BaseModel):
    """Citations of a model provider, and what the turn knows."""

    model_config = STRICT

    citations: list[dict[str, Any]] = Field(
        description="As the provider gave them; only `type` and `source` are read.",
        examples=[
            [{"type": "search_result_location", "source": _AAPL, "cited_text": "Up by 2 %."}]
        ],
    )
    checkpoint: dict[str, Any] | None = Field(
        None, description=_CHECKPOINT, examples=[{"citationTargets": _TARGETS}]
    )


class TargetsAttachAnswer(Shown):
    """The citations, typed."""

    citations: list[dict[str, Any]] = Field(
        description="In order, every key as it came; with `target` where the turn has one.",
        examples=[
            [
                {
                    "type": "search_result_location",
                    "source": _AAPL,
                    "cited_text": "Up by 2 %.",
                    "target": _AAPL_TARGET,
                }
            ]
        ],
    )
