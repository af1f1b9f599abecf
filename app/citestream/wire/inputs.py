"""Input events as JSON: the models that check them, and the values they become.

Lives here: what a caller may write, field by field, with its limits; the schemas of the input side
in the OpenAPI document are these. Must not know how the bytes arrived.
"""

from json import JSONDecoder
from typing import Annotated, Any, Final, Literal, NamedTuple

from pydantic import (
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    RootModel,
    Tag,
    ValidationError,
    field_validator,
)

from citestream import turns
from citestream.citations import EngineOptions
from citestream.parts import MAX_ID_LENGTH, MAX_PARTS, Origin, is_part_id
from citestream.parts.text import rewritten, whole_characters
from citestream.targets import parse_target, target_json
from citestream.turns import EndReason, Include
from citestream.wire.json_text import dumps, loads

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
TAG: Final = "Tells what kind of event this is."


def utf8_size(text: str) -> int:
    """Return the bytes ``text`` takes as UTF-8 once its surrogate halves are mended."""
    return len(text) if text.isascii() else len(whole_characters(text).encode())


def _at_most(text: str, limit: int) -> str:
    # Only a text that could be too long is measured.
    if len(text) > limit // 4 and utf8_size(text) > limit:
        raise ValueError(f"at most {limit} bytes of UTF-8")
    return text


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class OptionsInput(_Strict):
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

    def value(self) -> EngineOptions:
        """Return the options as the engine takes them."""
        return EngineOptions(self.invalid_markers, self.whitespace)


IncludeList = Annotated[
    list[Include],
    Field(
        max_length=4,
        description="Fields to add: `excerpt` (what the cited place says, at most 2,000 "
        "characters, and whether the locator resolved), `offsets` (in code points, UTF-16 code "
        "units and UTF-8 bytes), `source` (tool name, title and address of the cited part), "
        "`diagnostics` (where broken markers stood).",
        examples=[["excerpt", "offsets"]],
    ),
]


class PartFields(_Strict):
    """A data part: what a tool returned, and what a marker may cite."""

    id: str | None = Field(
        None,
        description=f"The id that markers name: 1 to {MAX_ID_LENGTH} characters without white "
        "space, control characters or marker signs, not starting with `/`. One is assigned "
        "(`tool_data_01`, …) when none is given.",
        examples=["tool_data_02"],
    )
    tool_name: str = Field(
        max_length=MAX_NAME, description="The tool that returned it.", examples=["pubmed_search"]
    )
    data: Any = Field(
        description="Any JSON value, at most 4 MiB as JSON and 64 levels deep. JSON Pointers are "
        "read against `data.value` when data is an object with the key `value`, else against data.",
        examples=[{"value": {"results": [{"findings": "Doxorubicin carries a risk."}]}}],
    )
    origin: Origin = Field(
        "tool",
        description="Whose it is; what the user brought is never cited.",
        examples=["tool"],
    )
    title: str | None = Field(
        None, max_length=MAX_TITLE, description="What to call it.", examples=["Dose limits"]
    )
    url: str | None = Field(
        None,
        max_length=MAX_URL,
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
        description="What a citation of this part points at (S3); comes back with the citation.",
        examples=[{"kind": "web", "url": "https://example.org/dose-limits"}],
    )

    @field_validator("target")
    @classmethod
    def _target(cls, value: dict[str, Any] | None) -> dict[str, Any] | None:
        target = parse_target(value)
        if value is not None and target is None:
            raise ValueError("must be a target of a known kind")
        return target_json(target)

    @field_validator("data")
    @classmethod
    def _data(cls, value: Any) -> Any:
        if json_size(value) > MAX_PART:
            raise ValueError(f"at most {MAX_PART} bytes of JSON")
        return value

    def value(self) -> turns.PartInput:
        """Return the part as the turn takes it."""
        return turns.PartInput(
            self.tool_name,
            self.data,
            self.id,
            self.origin,
            self.title,
            self.url,
            self.target,
        )


def json_size(value: Any) -> int:
    """Return the bytes of a value as JSON, halves of surrogate pairs counted as they will stand."""
    try:
        return len(dumps(value))
    except UnicodeEncodeError:
        return len(dumps(mended(value)))


def mended(value: Any) -> Any:
    """Return a JSON value with every half of a surrogate pair joined or replaced (U+FFFD)."""
    return rewritten(value, whole_characters, depth_limit=MAX_DEPTH)


PartList = Annotated[
    list[PartFields], Field(max_length=MAX_PARTS, description="The data the answer was made from.")
]


class StartInput(_Strict):
    """First, when present: how the turn is treated."""

    type: Literal["start"] = Field(description=TAG)
    options: OptionsInput = Field(
        default_factory=lambda: OptionsInput(), description="How the text is treated."
    )
    include: IncludeList = Field(default_factory=list)

    def value(self) -> turns.StartInput:
        """Return the event as the turn takes it."""
        return turns.StartInput(self.options.value(), frozenset(self.include))


class PartInput(PartFields):
    """Registers a data part."""

    type: Literal["part"] = Field(description=TAG)


ResultId = Annotated[
    str | None,
    Field(description="The id of its part; one is assigned if none is given.", examples=["r1"]),
]


class SearchResult(_Strict):
    """A result of a search."""

    id: ResultId = None
    title: str = Field(max_length=MAX_TITLE, description="Its title.", examples=["Tide tables"])
    url: str = Field(
        max_length=MAX_URL, description="Its address.", examples=["https://example.org/tides"]
    )
    snippet: str | None = Field(
        None, description="What the search shows of it.", examples=["High water at noon."]
    )


class PageResult(_Strict):
    """A page that was fetched."""

    id: ResultId = None
    title: str = Field(max_length=MAX_TITLE, description="Its title.", examples=["Buoys"])
    url: str = Field(
        max_length=MAX_URL, description="Its address.", examples=["https://example.org/buoys"]
    )
    body: str = Field(
        description="Its text, citable by lines.", examples=["All buoys by area.\nNorth: 12"]
    )
    links: list[Annotated[str, Field(max_length=MAX_URL)]] | None = Field(
        None,
        max_length=1000,
        description="Addresses it links to; shown to the model, no sources themselves.",
        examples=[["https://example.org/north"]],
    )


class TypedResult(_Strict):
    """A result of a tool that names its source (S3)."""

    id: ResultId = None
    source: str = Field(
        max_length=MAX_URL,
        description="What the tool calls it.",
        examples=["silvia://your-account/checking"],
    )
    title: str | None = Field(
        None, max_length=MAX_TITLE, description="Its title.", examples=["Checking"]
    )
    rows: list[Any] | None = Field(
        None,
        max_length=MAX_ROWS,
        description="The rows behind it, any JSON values; account ids are read from them.",
        examples=[[{"account_id": "qK7mVx2RtB9dLw4ZpYc8NjHs3GfAe6UoTi1Dx", "balance": 10}]],
    )
    url: str | None = Field(
        None,
        max_length=MAX_URL,
        description="The address of the document it was read from.",
        examples=["https://www.example.org/document"],
    )


RESULT_KINDS: Final = ("search", "page", "typed")


def _kind_of_result(item: Any) -> str:
    if isinstance(item, dict):
        if "source" in item:
            return "typed"
        if "body" in item:
            return "page"
    return "search"


ResultItem = Annotated[
    Annotated[SearchResult, Tag("search")]
    | Annotated[PageResult, Tag("page")]
    | Annotated[TypedResult, Tag("typed")],
    Discriminator(_kind_of_result),
]


class ResultsFields(_Strict):
    """What a tool returned as a list; each item becomes a part that can be cited."""

    tool_name: str = Field(
        max_length=MAX_NAME,
        description="The tool. Results of a web tool are numbered sources.",
        examples=["web_search"],
    )
    results: list[ResultItem] = Field(
        max_length=MAX_PARTS,
        description="At most 256 results.",
        examples=[[{"title": "Tide tables", "url": "https://example.org/tides"}]],
    )

    @field_validator("results")
    @classmethod
    def _results(cls, results: list[Any]) -> list[Any]:
        for index, result in enumerate(results):
            if result.id is not None and not is_part_id(result.id):
                raise ValueError(f"[{index}].id: {ID_RULE}")
            if json_size(result.model_dump(exclude_none=True)) > MAX_PART:
                raise ValueError(f"[{index}]: at most {MAX_PART} bytes of JSON")
        return results

    def value(self) -> turns.ResultsInput:
        """Return the results as the turn takes them."""
        return turns.ResultsInput(
            self.tool_name,
            tuple(result.model_dump(exclude_none=True) for result in self.results),
        )


class ResultsInput(ResultsFields):
    """Registers what a tool returned as a list."""

    type: Literal["results"] = Field(description=TAG)


ResultsList = Annotated[
    list[ResultsFields],
    Field(max_length=MAX_PARTS, description="What tools returned as lists."),
]


class DeltaInput(_Strict):
    """A piece of the model's raw answer, markers and all."""

    type: Literal["delta"] = Field(description=TAG)
    text: str = Field(
        description="At most 1 MiB of UTF-8. Half of a surrogate pair at its end is joined with "
        "the half that begins the next delta.",
        examples=["Fact\ue200cite\ue202tool_data_01\ue201."],
    )

    @field_validator("text")
    @classmethod
    def _text(cls, value: str) -> str:
        return _at_most(value, MAX_DELTA)

    def value(self) -> turns.DeltaInput:
        """Return the event as the turn takes it."""
        return turns.DeltaInput(self.text)


class CustomInput(_Strict):
    """The application's own event, carried in order and never interpreted."""

    type: Literal["custom"] = Field(description=TAG)
    name: str = Field(max_length=128, description="Its name.", examples=["tool_started"])
    value_: Any = Field(
        alias="value", description="Any JSON value, at most 64 KiB.", examples=[{"tool": "search"}]
    )

    @field_validator("value_")
    @classmethod
    def _value(cls, value: Any) -> Any:
        if json_size(value) > MAX_CUSTOM:
            raise ValueError(f"at most {MAX_CUSTOM} bytes of JSON")
        return value

    def value(self) -> turns.CustomInput:
        """Return the event as the turn takes it."""
        return turns.CustomInput(whole_characters(self.name), mended(self.value_))


class EndInput(_Strict):
    """The answer is over."""

    type: Literal["end"] = Field(description=TAG)
    reason: EndReason = Field(
        "complete",
        description="`complete`: the model was done. `length`: it reached its limit. `stopped`: "
        "somebody stopped it. `failed`: it broke off. `timeout`: nothing more came.",
        examples=["complete"],
    )

    def value(self) -> turns.EndInput:
        """Return the event as the turn takes it."""
        return turns.EndInput(self.reason)


class InputLine(
    RootModel[
        Annotated[
            StartInput | PartInput | ResultsInput | DeltaInput | CustomInput | EndInput,
            Field(discriminator="type"),
        ]
    ]
):
    """One line of an NDJSON body: one input event, told apart by `type`.

    `start` comes first, when it comes; nothing follows `end`.
    """


class FieldProblem(NamedTuple):
    """What is wrong with one field of an input. Repeats nothing of what was sent."""

    field: str
    problem: str


class InputError(ValueError):
    """An input is not what it may be; ``problems`` names the fields."""

    def __init__(self, problems: list[FieldProblem]) -> None:
        super().__init__("; ".join(f"{field}: {problem}" for field, problem in problems))
        self.problems = problems


def read_event(line: bytes) -> turns.InputEvent:
    """Read one input event from a line of JSON.

    Raises :class:`~citestream.wire.json_text.JsonInputError` when the line is no JSON, and
    :class:`InputError` when the JSON is no event.
    """
    if delta := _plain_delta(line):
        return delta
    value = loads(line, depth_limit=MAX_DEPTH)
    try:
        return InputLine.model_validate(value).root.value()
    except ValidationError as error:
        raise InputError(problems_of(error, behind=1)) from None


_JSON_STRINGS: Final = JSONDecoder()
_DELTA_HEADS: Final = (b'{"type":"delta","text":"', b'{"type": "delta", "text": "')


def _plain_delta(line: bytes) -> turns.DeltaInput | None:
    """Read a line that is one delta in its usual form and nothing else; None for any other.

    Nine of ten lines are such, and the general way costs several times as much. The string is read
    by the very decoder that reads it there; a line is never shorter than the text it holds.
    """
    for head in _DELTA_HEADS:
        if line.startswith(head):
            break
    else:
        return None
    if len(line) > MAX_DELTA:
        return None
    try:
        text = line.decode()
        delta, end = _JSON_STRINGS.raw_decode(text, len(head) - 1)
    except ValueError:
        return None
    return turns.DeltaInput(delta) if text[end:] == "}" else None


def problems_of(error: ValidationError, *, behind: int = 0) -> list[FieldProblem]:
    """Return what a model found wrong, at most 20 problems, none of which echoes the input.

    Of each place the first ``behind`` steps are left out: a union puts its tag there.
    """
    return [
        _problem(found["type"], found["loc"][behind:], found["msg"])
        for found in error.errors(include_input=False, include_context=False, include_url=False)[
            :20
        ]
    ]


def _problem(kind: str, place: tuple[int | str, ...], message: str) -> FieldProblem:
    if kind == "extra_forbidden":
        # The name of the last field is the caller's own text.
        place, message = place[:-1], "has a field that is not known here"
    elif kind in ("model_type", "model_attributes_type"):
        message = "must be a JSON object"
    elif kind == "string_unicode":
        message = "must not hold half of a surrogate pair"
    elif kind in ("union_tag_invalid", "union_tag_not_found"):
        place, message = (*place, "type"), "must be start, part, results, delta, custom or end"
    # Behind the index of a result stands the tag that told its kind; it is no field.
    place = tuple(
        step
        for before, step in zip((None, *place), place, strict=False)
        if not (isinstance(before, int) and step in RESULT_KINDS)
    )
    field = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in place)
    return FieldProblem(field.lstrip(".") or "body", message.removeprefix("Value error, "))
