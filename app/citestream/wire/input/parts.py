"""Input events as JSON: the models that check them, and the values they become.

Lives here: what a caller may write, field by field, with its limits; the schemas of the input side
in the OpenAPI document are these. Must not know how the bytes arrived.
"""

from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    PlainSerializer,
    PlainValidator,
    RootModel,
    field_validator,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticKnownError, core_schema

from citestream import turns
from citestream.citations import MAX_DIALECTS, MAX_SEPARATOR, MAX_SIGN, EngineOptions
from citestream.parts import MAX_ID_LENGTH, MAX_PARTS, Origin, is_part_id
from citestream.parts.text import JsonValueError, replace_surrogates, rewritten
from citestream.turns import INCLUDES, Include
from citestream.wire.json_text import dumps
from citestream.wire.lenient_json import Unreadable, unreadable_in

MAX_DELTA: Final = 1024 * 1024
"""Bytes of UTF-8 of one delta."""
MAX_TEXT: Final = 8 * 1024 * 1024
"""Bytes of UTF-8 of a whole raw answer."""
MAX_DELTAS: Final = 200_000
MAX_PART: Final = 4 * 1024 * 1024
"""Bytes of JSON of one part's data."""
MAX_PARTS_SIZE: Final = 64 * 1024 * 1024
"""Bytes of JSON of all the data of a turn's parts."""
MAX_NAME: Final = 300
"""Code points of a tool name."""
MAX_TITLE: Final = 10_000
MAX_URL: Final = 10_000
MAX_ROWS: Final = 100_000
"""Rows of one result."""
ID_RULE: Final = (
    f"1 to {MAX_ID_LENGTH} characters, no white space, control character or marker sign, not "
    "starting with '/'"
)
MAX_CUSTOM: Final = 64 * 1024
"""Bytes of JSON of an application's own event."""
MAX_DEPTH: Final = 68
"""A body may nest this deep: a part's data 64, and four levels round it."""


def utf8_size(text: str) -> int:
    """Return the bytes ``text`` takes as UTF-8 once its surrogate halves are mended."""
    return len(text) if text.isascii() else len(replace_surrogates(text).encode())


class Strict(BaseModel):
    """Unknown fields are refused, and nothing is taken for what it is not."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


@dataclass(frozen=True, slots=True)
class Whole:
    """Of a string: at most ``limit`` code points; halves of surrogate pairs become U+FFFD.

    The model's own check of a length would refuse the halves.
    """

    limit: int

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.no_info_after_validator_function(self._read, handler(source))

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        return {**handler(schema), "maxLength": self.limit}

    def _read(self, text: str) -> str:
        text = replace_surrogates(text)
        if len(text) > self.limit:
            raise PydanticKnownError("string_too_long", {"max_length": self.limit})
        return text


class TemplateInput(Strict):
    """Markers of one's own, such as `[[cite:tool_data_01|/rows/0]]`.

    No sign holds a control character, a backtick or a citation sign, begins or ends with a blank,
    or contains another; `open` does not begin with a letter or digit.
    """

    open: str = Field(
        min_length=1,
        max_length=MAX_SIGN,
        description="What a marker begins with; the id of a part follows.",
        examples=["[[cite:"],
    )
    close: str = Field(
        min_length=1, max_length=MAX_SIGN, description="What a marker ends with.", examples=["]]"]
    )
    separator: str = Field(
        "",
        max_length=MAX_SEPARATOR,
        description="What parts the id from a locator or another id; empty: a marker is one id.",
        examples=["|"],
    )


_DialectName = Literal["guide", "chatgpt", "lenticular", "numbers", "tags", "escaped"]
DialectInput = _DialectName | TemplateInput
_DialectsInput = (
    DialectInput | Annotated[list[DialectInput], Field(min_length=1, max_length=MAX_DIALECTS)]
)


def _dialect(value: Any) -> object:
    """Return what the engine takes; its refusal names the field, which is in the place already."""
    try:
        return EngineOptions(dialect=value).dialect
    except ValueError as error:
        raise ValueError(str(error).removeprefix("dialect").lstrip(".: ")) from None


class OptionsInput(Strict):
    """How the text is treated; fixed for the whole turn."""

    invalid_markers: Literal["keep", "drop"] = Field(
        "keep",
        description="What becomes of a broken marker: `keep` shows it as the literal text it is, "
        "`drop` removes its signs and ids and keeps every word.",
        examples=["keep"],
    )
    whitespace: Literal["keep", "tidy"] = Field(
        "keep",
        description="`tidy` also removes the blanks that a removed marker would leave dangling "
        "before punctuation, a line end or the end of the text.",
        examples=["keep"],
    )
    # Checked where the engine does it; the document shows the same shape both ways.
    dialect: Annotated[
        Any,
        PlainValidator(_dialect, json_schema_input_type=_DialectsInput),
        PlainSerializer(lambda dialect: dialect, return_type=_DialectsInput),
    ] = Field(
        "guide",
        description="What markers look like: a dialect's name, a template, or a list of these "
        "without repeats. At each place the first of the list that has a whole marker there takes "
        "it. Dialects of ordinary characters are not looked for in Markdown code.",
        examples=["guide", ["guide", "escaped"]],
    )
    numbers: Literal["keep", "strip"] = Field(
        "keep",
        description="Of the dialect `numbers`: `keep` leaves `[1]` in the text, `strip` removes "
        "it.",
        examples=["keep"],
    )
    bare_residue: bool = Field(
        False,
        description="Whether a word such as `citeturn0search0`, left of a marker that lost its "
        "signs, is a marker when its ids are known.",
        examples=[False],
    )

    def value(self) -> EngineOptions:
        """Return the options as the engine takes them."""
        return EngineOptions(
            self.invalid_markers, self.whitespace, self.dialect, self.numbers, self.bare_residue
        )


IncludeList = Annotated[
    list[Include],
    Field(
        max_length=len(INCLUDES),
        description="What to add. Fields: `excerpt` (what the cited place says, at most 2,000 "
        "characters, and whether the locator resolved), `offsets` (in code points, UTF-16 code "
        "units and UTF-8 bytes), `source` (tool name, title and address of the cited part), "
        "`diagnostics` (where broken markers are), `claim` (which words each citation covers), "
        "`check` (which numbers and quoted strings of the claim the cited place holds). Events of "
        "a stream: `sources` (a `source` event for each new numbered source) and `registered` (a "
        "`registered` event for each `part` and `results`).",
        examples=[["excerpt", "offsets"]],
    ),
]


class PartFields(Strict):
    """A data part: what a tool returned, and what a marker may cite."""

    id: str | None = Field(
        None,
        description=f"The id that markers name: 1 to {MAX_ID_LENGTH} characters without white "
        "space, control characters or marker signs, not starting with `/`. One is assigned "
        "(`tool_data_01`, …) when none is given.",
        examples=["tool_data_02"],
    )
    tool_name: Annotated[str, Whole(MAX_NAME)] = Field(
        description="The tool that returned it.", examples=["pubmed_search"]
    )
    data: Any = Field(
        description="Any JSON value, at most 4 MiB as JSON. JSON Pointers are read against "
        "`data.value` when `value` is the only key of data, else against data. A part whose data "
        "cannot be held (nested more than 64 deep, a number out of range) is left out and named "
        "under `refused`; the rest of the input is taken.",
        examples=[{"value": {"results": [{"findings": "Doxorubicin carries a risk."}]}}],
    )
    origin: Origin = Field(
        "tool",
        description="Whose it is; what the user brought is never cited.",
        examples=["tool"],
    )
    title: Annotated[str, Whole(MAX_TITLE)] | None = Field(
        None, description="What to call it.", examples=["Dose limits"]
    )
    url: Annotated[str, Whole(MAX_URL)] | None = Field(
        None,
        description="Its address, if it has one; never fetched.",
        examples=["https://example.org/dose-limits"],
    )

    @field_validator("id")
    @classmethod
    def _id(cls, value: str | None) -> str | None:
        if value is not None and not is_part_id(value):
            raise ValueError(ID_RULE)
        return value

    target: dict[str, Any] | None = Field(
        None,
        description="What a citation of this part points at: an object of a kind that is known "
        "here, one of those of `Target`. Keys that its kind does not have are dropped, and the "
        "address of a document becomes its readable page.",
        examples=[{"kind": "web", "url": "https://example.org/dose-limits"}],
    )

    @field_validator("data")
    @classmethod
    def _data(cls, value: Any) -> Any:
        return held(value)

    def value(self) -> turns.PartInput:
        """Return the part as the turn takes it."""
        unreadable = self.data.problem if isinstance(self.data, Unreadable) else None
        return turns.PartInput(
            self.tool_name,
            None if unreadable else self.data,
            self.id,
            self.origin,
            self.title,
            self.url,
            self.target,
            unreadable,
        )


def held(value: Any) -> Any:
    """Return JSON that others made; an :class:`Unreadable` when any of it cannot be held.

    Raises ``ValueError`` for more than 4 MiB.
    """
    try:
        size = json_size(value)
    except (TypeError, JsonValueError):
        return unreadable_in(value)
    if size > MAX_PART:
        raise ValueError(f"at most {MAX_PART} bytes of JSON")
    return value


def json_size(value: Any) -> int:
    """Return the bytes of a value as JSON, halves of surrogate pairs counted as they will stand."""
    try:
        return len(dumps(value))
    except UnicodeEncodeError:
        return len(dumps(replace_surrogates_in(value)))


def replace_surrogates_in(value: Any) -> Any:
    """Return a JSON value with every half of a surrogate pair joined or replaced (U+FFFD)."""
    return rewritten(value, replace_surrogates, depth_limit=MAX_DEPTH)


PartList = Annotated[
    list[PartFields], Field(max_length=MAX_PARTS, description="The data the answer was made from.")
]


class PartsFile(RootModel[PartList]):
    """A file of parts: a JSON list."""
