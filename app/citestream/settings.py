"""Settings: environment variables with the prefix ``CITESTREAM_``.

The only reader of the environment; imported by ``main`` and ``cli`` alone.
"""

import json
import os
import re
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, Final, TypeAlias

from pydantic import BeforeValidator, Field, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

PREFIX: Final = "CITESTREAM_"
_NEAR: Final = 0.7
"""How alike a name must be to a setting's to be taken for a slip: PROT and PORT are 0.75."""


def _list(value: Any) -> Any:
    """Read a list from a variable: values by commas, or a JSON list."""
    if not isinstance(value, str):
        return value
    if value.lstrip().startswith("["):
        try:
            return json.loads(value)
        except ValueError:
            raise ValueError("must be values by commas, or a JSON list of strings") from None
    return [one for part in value.split(",") if (one := part.strip())]


NameList: TypeAlias = Annotated[list[str], NoDecode, BeforeValidator(_list)]


class Settings(BaseSettings):
    """How the service runs. Every setting has a default that serves on one machine."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, frozen=True)

    host: str = Field("127.0.0.1", description="The address to listen at.")
    port: int = Field(8321, ge=0, le=65535, description="The port to listen at; 0: any free one.")
    store_url: str = Field(
        "sqlite:///citestream.db",
        pattern=r"^(sqlite:///.+|memory:)$",
        description="Where turns are stored: sqlite:///FILE, a path from here, or from the root "
        "with a fourth slash; memory: keeps them until the process ends.",
    )
    store_durable: bool = Field(
        False,
        description="Whether a commit waits for the disk, so that a loss of power loses nothing.",
    )
    silence_seconds: float = Field(
        600.0, gt=0, description="Silence after which a running turn is ended (timeout)."
    )
    retention_seconds: float = Field(
        86400.0, gt=0, description="How long the events of an ended turn can be replayed."
    )
    follow_seconds: float = Field(
        600.0, gt=0, description="How long a follower is served before it is asked to come back."
    )
    max_streams: int = Field(5000, ge=1, description="Streams that may be open at once.")
    drain_seconds: float = Field(
        3.0,
        ge=0,
        le=60,
        description="When stopping: how long the process is not ready before streams are closed.",
    )
    ping_seconds: float = Field(
        15.0, gt=0, le=600, description="Silence after which a stream gets a comment."
    )
    send_seconds: float = Field(
        10.0,
        gt=0,
        le=60,
        description="How long a reader of a stream may stall before it is cut; of any other "
        "answer, 60 s.",
    )
    target_preset: Path | None = Field(
        None,
        description="A preset file: the scheme and the table of tools that give citations their "
        "targets; by default the shipped one.",
    )
    context_scheme: str = Field("t3-context", description="The scheme of context links.")
    context_quote_scheme: str = Field(
        "t3-citation", description="The scheme of links to quotes of earlier answers."
    )
    context_envelope: str = Field(
        "t3_context", description="The element that holds what a message points at."
    )
    context_fragment_type: str = Field(
        "web application/x-t3-context-fragment+json",
        description="The media type of copied context on the clipboard.",
    )
    context_text_limit: int = Field(
        120_000,
        ge=1,
        description="Code points that a model provider reads of a message with references.",
    )
    failpoint: str = Field(
        "",
        description="For tests alone: kill the process where it passes a named place, `name@nth`.",
    )
    web_tools: NameList | None = Field(
        None,
        description="The tools whose results are numbered web sources, by commas or as a JSON "
        "list; by default web_search, web_fetch and search_web. A `results` event that says "
        "`web` decides for itself.",
    )
    part_url: str | None = Field(
        None,
        description="The address of a cited part that has none: a template of `{part_id}`, "
        "`{locator}`, `{tool_name}` and `{turn_id}`, each percent-encoded.",
    )
    cors_origins: NameList = Field(
        [],
        description="Origins whose pages may call the service, each exactly as a browser sends it "
        '(`https://app.example.org`), by commas or as a JSON list; none by default, and "*" is '
        "not allowed.",
    )
    allowed_hosts: NameList = Field(
        [],
        description="Host names by which clients reach the service, by commas or as a JSON list, "
        "beside localhost, the loopback addresses and the address bound; `*` allows any.",
    )
    trusted_proxies: NameList = Field(
        [],
        description="Addresses of proxies whose `Forwarded` and `X-Forwarded-` fields are "
        "expected, by commas or as a JSON list. From others such requests are refused.",
    )

    @field_validator("cors_origins")
    @classmethod
    def _exact(cls, origins: list[str]) -> list[str]:
        for origin in origins:
            if not re.fullmatch(r"https?://[^/*?#@\s]+", origin):
                raise ValueError("each must be scheme://host[:port], without a path or '*'")
        return origins


def slips() -> dict[str, str]:
    """Return variables of the environment that are no settings: name → nearest setting, or "".

    Orchestrators set variables such as ``CITESTREAM_SERVICE_HOST`` for a service of this name, so a
    name that is not near a setting is no mistake.
    """
    known = [name.upper() for name in Settings.model_fields]
    found: dict[str, str] = {}
    for variable in os.environ:
        name = variable.upper().removeprefix(PREFIX)
        if variable.upper().startswith(PREFIX) and name not in known:
            near = get_close_matches(name, known, 1, _NEAR)
            found[variable] = PREFIX + near[0] if near else ""
    return found
