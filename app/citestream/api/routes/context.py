"""The routes of context references in user messages (S2)."""

from typing import Any, Final

from pydantic import BaseModel
from starlette.datastructures import State

from citestream.api.operations import Codec, codec_router
from citestream.api.schemas import context as schemas
from citestream.api.transport.body import MIB
from citestream.api.transport.lenient_json import read_records
from citestream.context import OPERATIONS

BODY_LIMIT: Final = 64 * MIB


def _codec(
    name: str,
    summary: str,
    does: str,
    function: str,
    body: type[BaseModel],
    answer: type[BaseModel],
) -> Codec:
    operation = OPERATIONS[name]

    def work(body: dict[str, Any], state: State) -> dict[str, Any]:
        return operation(body, state.context_settings)

    path, function = f"/v1/context/{name}", f"citestream.context.{function}"
    return Codec(path, summary, does, function, body, answer, work, BODY_LIMIT, read_records)


CODECS: Final = (
    _codec(
        "parse",
        "Find the links of a text",
        "Finds each link of a text to a record, in prose alone.",
        "parse_references",
        schemas.ContextParseBody,
        schemas.ContextParseAnswer,
    ),
    _codec(
        "format",
        "Write a link",
        "Writes the link to a record; `parse` reads the same out of it.",
        "format_reference",
        schemas.ContextFormatBody,
        schemas.ContextFormatAnswer,
    ),
    _codec(
        "sanitize-label",
        "Make a label fit for a link",
        "Takes out of a label what could end or forge a link.",
        "sanitize_label",
        schemas.ContextSanitizeLabelBody,
        schemas.ContextSanitizeLabelAnswer,
    ),
    _codec(
        "decode",
        "Read the context of a message",
        "Checks each record against the bounds of its kind. A bad one is dropped and the others "
        "stay; kinds that are not known are kept.",
        "decode_context",
        schemas.ContextDecodeBody,
        schemas.ContextDecodeAnswer,
    ),
    _codec(
        "project",
        "Write a message for a model provider",
        "Puts a marker in the place of each link and what the records hold into an envelope "
        "behind the text, escaped so that nothing in it can forge one.",
        "project",
        schemas.ContextProjectBody,
        schemas.ContextProjectAnswer,
    ),
    _codec(
        "upgrade",
        "Bring an older message into the form with references",
        "Reads the blocks that older messages carry. The same message always gives the same ids.",
        "upgrade_message",
        schemas.ContextUpgradeBody,
        schemas.ContextUpgradeAnswer,
    ),
    _codec(
        "resolve",
        "Read a stored message",
        "Takes the context that a message has, and upgrades a message that has none.",
        "resolve_message",
        schemas.ContextResolveBody,
        schemas.ContextResolveAnswer,
    ),
    _codec(
        "fold-id",
        "Make any id fit for a record",
        "Returns the id where it may stand, else a readable name and a hash of it.",
        "fold_context_id",
        schemas.ContextFoldIdBody,
        schemas.ContextFoldIdAnswer,
    ),
    _codec(
        "fragment-encode",
        "Write copied records for the clipboard",
        "Writes the fragment that travels beside a copied text.",
        "encode_fragment",
        schemas.ContextFragmentEncodeBody,
        schemas.ContextFragmentEncodeAnswer,
    ),
    _codec(
        "fragment-decode",
        "Read copied records from the clipboard",
        "Reads a fragment; its bad records are dropped.",
        "decode_fragment",
        schemas.ContextFragmentDecodeBody,
        schemas.ContextFragmentDecodeAnswer,
    ),
    _codec(
        "import",
        "Paste into a draft",
        "Says what a draft gains by a paste: text, records, attachments to copy, and links that "
        "wait. Fetches nothing.",
        "import_fragment",
        schemas.ContextImportBody,
        schemas.ContextImportAnswer,
    ),
    _codec(
        "rebind",
        "Bind records to stored attachments",
        "Gives image and file records the ids under which their attachments were stored.",
        "rebind_attachments",
        schemas.ContextRebindBody,
        schemas.ContextRebindAnswer,
    ),
    _codec(
        "prune",
        "Take out of a draft what nothing points at",
        "Takes out expired terminal excerpts with their links, and records without a link.",
        "prune_draft",
        schemas.ContextPruneBody,
        schemas.ContextPruneAnswer,
    ),
    _codec(
        "hydrate",
        "Bring an older draft into the form with references",
        "Puts links in the place of placeholders, and in front of and behind the text for what it "
        "does not mention.",
        "hydrate_draft",
        schemas.ContextHydrateBody,
        schemas.ContextHydrateAnswer,
    ),
    _codec(
        "plain",
        "A text without links",
        "Writes each link as its label.",
        "plain_text",
        schemas.ContextPlainBody,
        schemas.ContextPlainAnswer,
    ),
)

router = codec_router("context", CODECS)
