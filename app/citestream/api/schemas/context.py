"""The shapes of context references, as the OpenAPI document names them.

Records are data: a bad one is dropped, so a body may hold anything in their place.
"""

from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from citestream.api.schemas.base import OPEN, STRICT, OwnKeys, Shown

_TEXT: Final = "The message's text."
_RECORDS: Final = "Its records; an entry that breaks a rule of its kind is dropped."
_DRAFT_RECORDS: Final = "The draft's records, with any fields of the client's own."
_LEFT: Final = "In order, unchanged."
_UNIT_RULE: Final = (
    "What places count: `rune` code points, `utf16` UTF-16 units as in JavaScript; null is `rune`."
)
Unit = Annotated[Literal["rune", "utf16"] | None, Field(description=_UNIT_RULE, examples=["rune"])]
_SKILL: Final = {
    "version": 1,
    "contextId": "skill_1",
    "kind": "skill",
    "label": "Tides",
    "name": "tides",
}
_FILE: Final = {
    "version": 1,
    "contextId": "file_1",
    "kind": "file",
    "label": "notes.md",
    "attachmentId": "att_1",
    "name": "notes.md",
    "mimeType": "text/markdown",
    "sizeBytes": 310,
}
_TERMINAL: Final = {
    "version": 1,
    "contextId": "term_1",
    "kind": "terminal",
    "label": "Build line 7",
    "terminalId": "build",
    "terminalLabel": "Build",
    "lineStart": 7,
    "lineEnd": 7,
    "text": "done",
}
_UPGRADED: Final = {**_TERMINAL, "contextId": "legacy_terminal_1"}
_SOURCE: Final = {"environmentId": "env-1", "threadId": "thread-1"}
_FRAGMENT: Final = {"version": 1, "source": _SOURCE, "records": [_SKILL]}
_FRAGMENT_TEXT: Final = (
    '{"version":1,"source":{"environmentId":"env-1","threadId":"thread-1"},"records":[{"version":1,'
    '"contextId":"skill_1","kind":"skill","label":"Tides","name":"tides"}]}'
)
_SKILL_LINK: Final = "[Tides](t3-context://v1/skill/skill_1)"
_FILE_LINK: Final = "[notes.md](t3-context://v1/file/file_1)"
_TERMINAL_LINK: Final = "[Build line 7](t3-context://v1/terminal/term_1)"
_QUOTE: Final = {
    "version": 1,
    "environmentId": "env-1",
    "threadId": "thread-1",
    "messageId": "msg-7",
    "text": "the limit is 450",
    "start": 10,
    "end": 26,
    "prefix": "so ",
    "suffix": " mg",
}
_QUOTE_LINK: Final = (
    "[Assistant quote](t3-citation://v1/env-1/thread-1/msg-7"
    "?text=the+limit+is+450&start=10&end=26&prefix=so+&suffix=+mg)"
)
_OLD: Final = "See \ufffc\n\n<terminal_context>\n- Build line 7:\n  7 | done\n</terminal_context>"
_NEW: Final = "See [Build line 7](t3-context://v1/terminal/legacy_terminal_1)"


class ContextRecord(Shown):
    """What a user's message points at; further fields depend on `kind`.

    A record of a kind that is not known here keeps its `payload`, or without one all fields of its
    own. No record holds bytes.
    """

    model_config = ConfigDict(extra="allow")

    version: int = Field(description="The version of the record's form, from 1.", examples=[1])
    context_id: str = Field(
        alias="contextId", description="The id that links name.", examples=["skill_1"]
    )
    kind: str = Field(
        description="`image`, `file`, `terminal`, `element`, `preview-annotation`, "
        "`review-comment`, `mention`, `skill`, or one that is not known here.",
        examples=["skill"],
    )
    label: str = Field(
        description="What the user sees, at most 200 characters.", examples=["Tides"]
    )


class MessageContext(Shown):
    """The context of a message."""

    version: int = Field(description="The version of the form, from 1.", examples=[1])
    records: list[ContextRecord] = Field(description="In the order in which they were sent.")


class ContextReference(Shown):
    """One link of a text to a record."""

    kind: str = Field(description="The kind of the record.", examples=["skill"])
    context_id: str = Field(alias="contextId", description="Its id.", examples=["skill_1"])
    label: str = Field(description="What the link shows.", examples=["Tides"])
    image: bool = Field(description="Whether it is written as an image.", examples=[False])
    start: int = Field(
        description="Where it begins, in code points or the `unit` asked for.", examples=[4]
    )
    end: int = Field(
        description="Where it has ended, in code points or the `unit` asked for.", examples=[42]
    )


class _TextBody(BaseModel):
    model_config = STRICT


class ContextParseBody(_TextBody):
    """A text with links."""

    text: str = Field(description=_TEXT, examples=[f"Use {_SKILL_LINK}."])
    unit: Unit = None


class ContextParseAnswer(Shown):
    """The links of the text."""

    references: list[ContextReference] = Field(
        description="In the order of the text.",
        examples=[
            [
                {
                    "kind": "skill",
                    "contextId": "skill_1",
                    "label": "Tides",
                    "image": False,
                    "start": 4,
                    "end": 42,
                }
            ]
        ],
    )


class ContextFormatBody(_TextBody):
    """What a link is to say."""

    kind: str = Field(description="The kind of the record.", examples=["skill"])
    context_id: str = Field(alias="contextId", description="Its id.", examples=["skill_1"])
    label: str = Field(description="What the link shows.", examples=["Tides"])
    image: bool | None = Field(
        None,
        description="Whether it is written as an image; null: only a record of kind `image` is.",
        examples=[None],
    )


class ContextFormatAnswer(Shown):
    """The link."""

    text: str = Field(description="The link.", examples=[_SKILL_LINK])


class ContextSanitizeLabelBody(_TextBody):
    """A label as it came."""

    label: str = Field(description="Any text.", examples=["Tides\n[today]"])
    kind: str = Field(
        description="The kind of the record; its name is the label when nothing is left.",
        examples=["skill"],
    )


class ContextSanitizeLabelAnswer(Shown):
    """The label as it may stand in a link."""

    label: str = Field(description="At most 200 characters.", examples=["Tides today"])


class ContextDecodeBody(_TextBody):
    """The context of a message as it was sent or stored."""

    context: Any = Field(
        description="Any JSON value.",
        examples=[{"version": 1, "records": [_SKILL, {"version": 1}]}],
    )


class ContextDecodeAnswer(Shown):
    """What of it could be read."""

    context: MessageContext | None = Field(
        description="Null when there is none to use.",
        examples=[{"version": 1, "records": [_SKILL]}],
    )
    dropped: int = Field(description="How many entries were no records.", examples=[1])
    unknown: list[str] = Field(
        description="The ids of records of kinds that are not known.", examples=[[]]
    )
    ambiguous: list[str] = Field(
        description="The ids that records of different content claim. Equal copies of one record "
        "are one.",
        examples=[[]],
    )


class ContextProjectBody(_TextBody):
    """A message with its records."""

    text: str = Field(description=_TEXT, examples=[f"Use {_SKILL_LINK}."])
    records: list[Any] = Field(description=_RECORDS, examples=[[_SKILL]])
    mention_entries: bool | None = Field(
        None, description="Whether mentions get entries of their own.", examples=[False]
    )


class ContextProjectAnswer(Shown):
    """What a model provider reads."""

    text: str = Field(
        description="At most 120,000 characters, or the limit that the service is set to; a text "
        "without links is returned as it came, whatever its length.",
        examples=["Use [Skill: Tides; ref=skill_1]."],
    )


class ContextUpgradeBody(_TextBody):
    """A message from before references."""

    text: str = Field(description=_TEXT, examples=[_OLD])


class ContextUpgradeAnswer(Shown):
    """The message with references."""

    text: str = Field(
        description="As it came when there was nothing to upgrade; otherwise its lines end in LF.",
        examples=[_NEW],
    )
    records: list[ContextRecord] = Field(
        description="The records it points at.", examples=[[_UPGRADED]]
    )


class StoredMessage(BaseModel):
    """A message as it was stored; its other fields are not read."""

    model_config = OPEN

    text: str = Field(description=_TEXT, examples=[_OLD])
    context: Any = Field(None, description="Its context, if it has one.", examples=[None])
    attachments: Annotated[dict[str, str] | None, OwnKeys] = Field(
        None,
        description="Ids of attachments in its records, each with the id it is stored under.",
        examples=[{"pending_1": "att_1"}],
    )


class ContextResolveBody(_TextBody):
    """A message as it was stored."""

    message: StoredMessage = Field(description="The message.", examples=[{"text": _OLD}])


class ContextResolveAnswer(ContextUpgradeAnswer):
    """The message with its records as they are bound, upgraded when it has no context."""

    upgraded: bool = Field(description="Whether it was upgraded.", examples=[True])


class ContextFoldIdBody(_TextBody):
    """An id of the producer of a record."""

    id: str = Field(description="Any text.", examples=["annotation-7f3a:2"])


class ContextFoldIdAnswer(Shown):
    """An id that a record may have."""

    context_id: str = Field(
        alias="contextId",
        description="The id itself when a record may have it, else a name and a hash.",
        examples=["annotation-7f3a-2-fca4879a30ba6f21"],
    )


class FragmentSource(BaseModel):
    """Where copied records are from."""

    model_config = OPEN

    environment_id: str = Field(
        alias="environmentId", description="1 to 512 characters.", examples=["env-1"]
    )
    thread_id: Any = Field(
        None,
        alias="threadId",
        description="1 to 512 characters, when there is one.",
        examples=["thread-1"],
    )
    message_id: Any = Field(
        None,
        alias="messageId",
        description="1 to 512 characters, when there is one.",
        examples=["msg-1"],
    )


class ContextFragmentEncodeBody(_TextBody):
    """What was copied."""

    source: FragmentSource = Field(description="Where it is from.", examples=[_SOURCE])
    records: list[Any] = Field(description=_RECORDS, examples=[[_SKILL, _FILE]])
    selected: list[str] = Field(description="The ids that were copied.", examples=[["skill_1"]])


class ContextFragmentEncodeAnswer(Shown):
    """What to put on the clipboard beside the text; both null when there is nothing."""

    mime: str | None = Field(
        description="Its media type.", examples=["web application/x-t3-context-fragment+json"]
    )
    json_: str | None = Field(alias="json", description="The fragment.", examples=[_FRAGMENT_TEXT])


class ContextFragmentDecodeBody(_TextBody):
    """A fragment as it came from a clipboard."""

    json_: str = Field(alias="json", description="Any text.", examples=[_FRAGMENT_TEXT])


class ShownFragmentSource(BaseModel):
    """Where copied records are from."""

    model_config = ConfigDict(extra="forbid")

    environment_id: str = Field(
        alias="environmentId", description="The environment.", examples=["env-1"]
    )
    thread_id: str | None = Field(
        None, alias="threadId", description="The thread.", examples=["thread-1"]
    )
    message_id: str | None = Field(
        None, alias="messageId", description="The message.", examples=["msg-1"]
    )


class ContextFragment(Shown):
    """Copied records."""

    version: int = Field(description="The version of the form, from 1.", examples=[1])
    source: ShownFragmentSource = Field(description="Where they are from.")
    records: list[ContextRecord] = Field(description="In the order they had.")


class ContextFragmentDecodeAnswer(Shown):
    """The fragment."""

    fragment: ContextFragment | None = Field(
        description="Null when the text is none.", examples=[_FRAGMENT]
    )


class ContextImportBody(_TextBody):
    """A paste into a draft."""

    text: str = Field(description="The pasted text.", examples=[f"Use {_SKILL_LINK}."])
    fragment: Any = Field(
        description="What `fragment-decode` answered, or null.", examples=[_FRAGMENT]
    )
    draft_records: list[Any] = Field(description=_DRAFT_RECORDS, examples=[[]])
    environment_id: str = Field(description="The draft's environment.", examples=["env-1"])
    fresh_ids: Annotated[dict[str, str], OwnKeys] = Field(
        description="Id in the fragment → the new id that its record gets, when its attachment is "
        "copied or the draft uses its id for other content. Each is an id that neither the draft "
        "nor the paste uses. A record that needs one and has none here gets the first free id of "
        "`id-2`, `id-3`, …; an image or a file that only has to be copied waits.",
        examples=[{"shot_1": "shot_9"}],
    )


class AttachmentFetch(Shown):
    """An attachment to be copied."""

    context_id: str = Field(
        alias="contextId", description="The id of the record to come.", examples=["shot_9"]
    )
    from_: str = Field(alias="from", description="The attachment to copy.", examples=["att_1"])


class ContextImportAnswer(Shown):
    """What the draft gains."""

    text: str = Field(description="The text to insert.", examples=[f"Use {_SKILL_LINK}."])
    records: list[ContextRecord] = Field(description="New records.", examples=[[_SKILL]])
    fetch: list[AttachmentFetch] = Field(description="Attachments to copy.", examples=[[]])
    unresolved: list[str] = Field(
        description="The ids of links that have no record yet.", examples=[[]]
    )


class BoundAttachment(BaseModel):
    """An attachment that was stored."""

    model_config = STRICT

    before: str = Field(description="Its id in the draft.", examples=["pending_1"])
    after: str = Field(description="Its id in the store.", examples=["att_1"])


class ContextRebindBody(_TextBody):
    """Records of a draft, and what became of their attachments."""

    records: list[Any] = Field(
        description=_RECORDS, examples=[[{**_FILE, "attachmentId": "pending_1"}]]
    )
    attachments: list[BoundAttachment] = Field(
        description="What was stored.", examples=[[{"before": "pending_1", "after": "att_1"}]]
    )


class ContextRebindAnswer(Shown):
    """The records, bound."""

    records: list[Any] = Field(description=_LEFT, examples=[[_FILE]])


class ContextPruneBody(_TextBody):
    """A draft."""

    text: str = Field(description="The draft's text.", examples=[f"Use {_SKILL_LINK}."])
    records: list[Any] = Field(
        description=f"{_DRAFT_RECORDS} A terminal excerpt with `expired: true` is taken out with "
        "its links; the client sets the field when the terminal is gone that the excerpt was taken "
        "from.",
        examples=[[_SKILL, _FILE, {**_TERMINAL, "expired": True}]],
    )


class ContextPruneAnswer(Shown):
    """The draft without what nothing points at."""

    text: str = Field(
        description="Without the links of expired excerpts.", examples=[f"Use {_SKILL_LINK}."]
    )
    records: list[Any] = Field(description=_LEFT, examples=[[_SKILL]])


class ContextRemoveBody(_TextBody):
    """A draft, and either the ids to remove or the place of one link."""

    text: str = Field(description="The draft's text.", examples=[f"Use {_SKILL_LINK} {_FILE_LINK}"])
    records: list[Any] = Field(description=_DRAFT_RECORDS, examples=[[_SKILL, _FILE]])
    ids: list[str] | None = Field(
        None,
        description="The records to remove, with all their links; ids that the draft does not have "
        "are ignored.",
        examples=[["skill_1"]],
    )
    at: int | None = Field(
        None,
        ge=0,
        description="The place where the one link to remove begins, in code points or the `unit` "
        "asked for. With its last link a record is removed, but not an image.",
        examples=[None],
    )
    unit: Unit = None


class ContextRemoveAnswer(Shown):
    """The draft without what was removed."""

    text: str = Field(description="The draft's text.", examples=[f"Use {_FILE_LINK}"])
    records: list[Any] = Field(description=_LEFT, examples=[[_FILE]])


class ContextHydrateBody(_TextBody):
    """A draft from before references.

    The lists are read in the order `terminal_contexts`, `records`, `file_records`, each id once.
    """

    text: str = Field(description="The draft's text.", examples=["See \ufffc"])
    terminal_contexts: list[Any] | None = Field(
        None,
        description="Its terminal excerpts, in the order of their places.",
        examples=[[_TERMINAL]],
    )
    records: list[Any] | None = Field(
        None, description="Its records of any kinds.", examples=[[_SKILL]]
    )
    file_records: list[Any] | None = Field(None, description="Its files.", examples=[[_FILE]])


class ContextHydrateAnswer(Shown):
    """The draft with references."""

    text: str = Field(
        description="The draft's text.",
        examples=[f"{_SKILL_LINK} See {_TERMINAL_LINK} {_FILE_LINK}"],
    )


class ContextPlainBody(_TextBody):
    """A text with links."""

    text: str = Field(description=_TEXT, examples=[f"Use {_SKILL_LINK}."])


class ContextPlainAnswer(Shown):
    """The text as a person reads it, without links."""

    text: str = Field(
        description="Each link as its label, each quote of an answer as its words with the "
        "comment on a line of its own.",
        examples=["Use Tides."],
    )


class QuoteCitation(BaseModel):
    """A passage of an earlier answer, quoted by the user."""

    model_config = STRICT

    version: int | None = Field(
        None, ge=1, le=1, description="The version of the form, from 1.", examples=[1]
    )
    environment_id: str = Field(
        alias="environmentId", description="1 to 512 characters.", examples=["env-1"]
    )
    thread_id: str = Field(
        alias="threadId", description="1 to 512 characters.", examples=["thread-1"]
    )
    message_id: str = Field(
        alias="messageId", description="The answer, 1 to 512 characters.", examples=["msg-7"]
    )
    text: str = Field(
        description="The words quoted, 1 to 8,000 characters.", examples=["the limit is 450"]
    )
    comment: str | None = Field(
        None,
        description="What the user says about them, at most 8,000 characters.",
        examples=["Why?"],
    )
    start: int = Field(
        description="Where they begin in the answer, in UTF-16 code units or as the client counts.",
        examples=[10],
    )
    end: int = Field(
        description="Where they have ended in the answer, counted as `start` is, in code units.",
        examples=[26],
    )
    prefix: str = Field(description="What is before them, at most 32 characters.", examples=["so "])
    suffix: str = Field(description="What follows them, at most 32 characters.", examples=[" mg"])


class ShownQuoteCitation(Shown):
    """A passage of an earlier answer, quoted by the user; `comment` is there when there is one."""

    model_config = ConfigDict(extra="allow")

    version: int = Field(description="The version of the form, from 1.", examples=[1])
    environment_id: str = Field(
        alias="environmentId", description="The environment.", examples=["env-1"]
    )
    thread_id: str = Field(alias="threadId", description="The thread.", examples=["thread-1"])
    message_id: str = Field(alias="messageId", description="The answer.", examples=["msg-7"])
    text: str = Field(description="The words quoted.", examples=["the limit is 450"])
    start: int = Field(
        description="Where they begin in the answer, in UTF-16 code units or as the client counts.",
        examples=[10],
    )
    end: int = Field(
        description="Where they have ended in the answer, counted as `start` is, in code units.",
        examples=[26],
    )
    prefix: str = Field(description="What is before them.", examples=["so "])
    suffix: str = Field(description="What follows them.", examples=[" mg"])


class ContextQuoteFormatBody(_TextBody):
    """What a link to a quote is to say."""

    citation: QuoteCitation = Field(description="The quote.", examples=[_QUOTE])


class ContextQuoteFormatAnswer(Shown):
    """The link."""

    text: str = Field(description="The link.", examples=[_QUOTE_LINK])


class ContextQuoteParseBody(_TextBody):
    """A text with links to quotes."""

    text: str = Field(description=_TEXT, examples=[f"Is {_QUOTE_LINK} right?"])
    unit: Unit = None


class ContextQuote(Shown):
    """One link of a text to a quote."""

    citation: ShownQuoteCitation = Field(description="What it says.")
    start: int = Field(
        description="Where the link begins in the text, in code points or the `unit` asked for.",
        examples=[3],
    )
    end: int = Field(
        description="Where the link has ended in the text, in code points or the `unit` asked for.",
        examples=[119],
    )


class ContextQuoteParseAnswer(Shown):
    """The quotes of the text; a link that breaks a rule is ordinary text."""

    quotes: list[ContextQuote] = Field(
        description="In the order of the text.",
        examples=[[{"citation": _QUOTE, "start": 3, "end": 119}]],
    )
