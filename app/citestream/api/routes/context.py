"""The routes of context references in user messages."""

from typing import Any, Final

from pydantic import BaseModel
from starlette.datastructures import State

from citestream import context
from citestream.api.operations import Operation, operation_router
from citestream.api.schemas import context as schemas
from citestream.api.transport.body import MIB
from citestream.api.transport.lenient_json import read_records

BODY_LIMIT: Final = 64 * MIB


def _operation(
    name: str,
    summary: str,
    does: str,
    function: str,
    body: type[BaseModel],
    answer: type[BaseModel],
) -> Operation:
    operation = context.OPERATIONS[name]

    def work(body: dict[str, Any], state: State) -> dict[str, Any]:
        return operation(body, state.context_settings)

    path, function = f"/v1/context/{name}", f"citestream.context.{function}"
    return Operation(path, summary, does, function, body, answer, work, BODY_LIMIT, read_records)


OPERATIONS: Final = (
    _operation(
        "parse",
        "Find the links of a text",
        "Finds each link of a text to a record, in code spans and fenced blocks as in prose, "
        "because a client puts a link wherever the caret is.",
        "parse_references",
        schemas.ContextParseBody,
        schemas.ContextParseAnswer,
    ),
    _operation(
        "format",
        "Write a link",
        "Writes the link to a record; `parse` reads the same out of it.",
        "format_reference",
        schemas.ContextFormatBody,
        schemas.ContextFormatAnswer,
    ),
    _operation(
        "sanitize-label",
        "Make a label fit for a link",
        "Replaces what could end or forge a link: brackets, backslashes, line ends become blanks.",
        "sanitize_label",
        schemas.ContextSanitizeLabelBody,
        schemas.ContextSanitizeLabelAnswer,
    ),
    _operation(
        "decode",
        "Read the context of a message",
        "Checks each record against the bounds of its kind. A bad one is dropped and the others "
        "stay; records of kinds that are not known are kept, equal copies of one record are one.",
        "decode_context",
        schemas.ContextDecodeBody,
        schemas.ContextDecodeAnswer,
    ),
    _operation(
        "project",
        "Write a message for a model provider",
        "Puts a marker in the place of each link and what the records hold into an envelope after "
        "the text, escaped so that nothing in it can forge one.",
        "project",
        schemas.ContextProjectBody,
        schemas.ContextProjectAnswer,
    ),
    _operation(
        "upgrade",
        "Bring an older message into the form with references",
        "Reads the blocks that older messages carry. The same message always gives the same ids.",
        "upgrade_message",
        schemas.ContextUpgradeBody,
        schemas.ContextUpgradeAnswer,
    ),
    _operation(
        "resolve",
        "Read a stored message",
        "Returns the records of a message as they are bound to its attachments, and upgrades a "
        "message that has no context.",
        "resolve_message",
        schemas.ContextResolveBody,
        schemas.ContextResolveAnswer,
    ),
    _operation(
        "fold-id",
        "Make any id fit for a record",
        "Returns the id when a record may have it, else a readable name and a hash of it.",
        "fold_context_id",
        schemas.ContextFoldIdBody,
        schemas.ContextFoldIdAnswer,
    ),
    _operation(
        "fragment-encode",
        "Write copied records for the clipboard",
        "Writes the fragment that travels beside a copied text.",
        "encode_fragment",
        schemas.ContextFragmentEncodeBody,
        schemas.ContextFragmentEncodeAnswer,
    ),
    _operation(
        "fragment-decode",
        "Read copied records from the clipboard",
        "Reads a fragment; its bad records are dropped.",
        "decode_fragment",
        schemas.ContextFragmentDecodeBody,
        schemas.ContextFragmentDecodeAnswer,
    ),
    _operation(
        "import",
        "Paste into a draft",
        "Returns what a draft gains by a paste: text, records, attachments to copy, and links that "
        "wait. A record whose id the draft uses for other content gets a fresh id, and its links "
        "follow. Fetches nothing.",
        "import_fragment",
        schemas.ContextImportBody,
        schemas.ContextImportAnswer,
    ),
    _operation(
        "rebind",
        "Bind records to stored attachments",
        "Gives image and file records the ids under which their attachments were stored.",
        "rebind_attachments",
        schemas.ContextRebindBody,
        schemas.ContextRebindAnswer,
    ),
    _operation(
        "prune",
        "Take out of a draft what nothing points at",
        "Takes out expired terminal excerpts with their links, and records without a link.",
        "prune_draft",
        schemas.ContextPruneBody,
        schemas.ContextPruneAnswer,
    ),
    _operation(
        "remove",
        "Remove records or one link from a draft",
        "Removes records with all their links (`ids`), or the one link that begins `at` a place. "
        "An annotation and its screenshot are removed together.",
        "remove_records",
        schemas.ContextRemoveBody,
        schemas.ContextRemoveAnswer,
    ),
    _operation(
        "hydrate",
        "Bring an older draft into the form with references",
        "Puts links in the place of placeholders, and links to what the text does not mention in "
        "front of it; files are appended, images get no link.",
        "hydrate_draft",
        schemas.ContextHydrateBody,
        schemas.ContextHydrateAnswer,
    ),
    _operation(
        "plain",
        "A text without links",
        "Writes each link as its label, and each quote of an answer as its words.",
        "plain_text",
        schemas.ContextPlainBody,
        schemas.ContextPlainAnswer,
    ),
    _operation(
        "quote-format",
        "Write a link to a quote",
        "Writes the link to a passage of an earlier answer; `quote-parse` reads it back.",
        "format_quote",
        schemas.ContextQuoteFormatBody,
        schemas.ContextQuoteFormatAnswer,
    ),
    _operation(
        "quote-parse",
        "Find the quotes of a text",
        "Finds each link of a text to a passage of an earlier answer.",
        "parse_quotes",
        schemas.ContextQuoteParseBody,
        schemas.ContextQuoteParseAnswer,
    ),
)

router = operation_router("context", OPERATIONS)
