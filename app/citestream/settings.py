"""Settings: environment variables with the prefix ``CITESTREAM_``.

The only reader of the environment; imported by ``main`` and ``cli`` alone.
"""

from citestream.extras import require_service

require_service()

import json
import os
import re
from difflib import get_close_matches
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated, Any, Final, TypeAlias

from pydantic import BeforeValidator, Field, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

PREFIX: Final = "CITESTREAM_"
_NEAR: Final = 0.7
"""How alike a name must be to a setting's to be taken for a slip: PROT and PORT are 0.75."""


_LIST_RULE: Final = "must be values separated by commas, or a JSON list of strings"


def _list(value: Any) -> Any:
    """Read a list from a variable: values separated by commas, or a JSON list."""
    match value:
        case str() if not value.lstrip().startswith("["):
            return [one for part in value.split(",") if (one := part.strip())]
        case str():
            try:
                return json.loads(value)
            except ValueError:
                raise ValueError(_LIST_RULE) from None
        case dict():  # it has been read as JSON
            raise ValueError(_LIST_RULE)
        case _:
            return value


NameList: TypeAlias = Annotated[list[str], NoDecode, BeforeValidator(_list)]


class Settings(BaseSettings):
    """How the service runs. Every setting has a default that serves on one machine."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, frozen=True)

    host: str = Field("127.0.0.1", description="The address to listen at.")
    port: int = Field(
        8321, ge=0, le=65535, description="The port to listen at; 0 takes any free port."
    )
    store_url: str = Field(
        "sqlite:///citestream.db",
        description="Where turns are stored: sqlite:///FILE (a relative path; an absolute path has "
        "a fourth slash), or memory: (until the process ends).",
    )
    store_durable: bool = Field(
        False,
        description="Whether each commit waits for the disk, so that a power failure loses "
        "nothing.",
    )
    silence_seconds: float = Field(
        600.0,
        gt=0,
        description="Seconds without input after which a running turn is ended (reason `timeout`).",
    )
    retention_seconds: float = Field(
        86400.0, gt=0, description="Seconds for which the events of an ended turn can be replayed."
    )
    follow_seconds: float = Field(
        600.0, gt=0, description="Seconds after which a follower is asked to connect again."
    )
    max_streams: int = Field(
        5000, ge=1, description="The limit of streams that are open at the same time."
    )
    drain_seconds: float = Field(
        3.0,
        ge=0,
        le=60,
        description="At a stop: seconds for which the process reports that it is not ready, "
        "before it closes its streams.",
    )
    ping_seconds: float = Field(
        15.0,
        gt=0,
        le=600,
        description="Seconds without an event after which a stream gets a comment.",
    )
    send_seconds: float = Field(
        10.0,
        gt=0,
        le=60,
        description="Seconds for which a reader of a stream may take nothing before it is "
        "disconnected; for any other answer it is 60.",
    )
    target_preset: Path | None = Field(
        None,
        description="A preset file: the table of tools that gives citations their targets. The "
        "default is the preset in the package.",
    )
    context_scheme: str = Field("t3-context", description="The scheme of context links.")
    context_quote_scheme: str = Field(
        "t3-citation", description="The scheme of links to quotes of earlier answers."
    )
    context_envelope: str = Field(
        "t3_context", description="The XML element that holds the context of a message."
    )
    context_fragment_type: str = Field(
        "web application/x-t3-context-fragment+json",
        description="The media type of copied context on the clipboard.",
    )
    context_text_limit: int = Field(
        120_000,
        ge=1,
        description="The limit of code points of a message with references, as a model provider "
        "reads it.",
    )
    failpoint: str = Field(
        "",
        description="For tests only: the process is killed at a named place, `name@nth`.",
    )
    web_tools: NameList | None = Field(
        None,
        description="The tools whose results are numbered web sources, separated by commas or as a "
        "JSON list. The default is web_search, web_fetch and search_web. The field `web` of a "
        "`results` event takes precedence.",
    )
    part_url: str | None = Field(
        None,
        description="The address of a cited part that has none: a template of `{part_id}`, "
        "`{locator}`, `{tool_name}` and `{turn_id}`, each percent-encoded.",
    )
    cors_origins: NameList = Field(
        [],
        description="Origins whose pages may call the service, each exactly as a browser sends it "
        "(`https://app.example.org`), separated by commas or as a JSON list. The default is none; "
        "`*` is not allowed.",
    )
    allowed_hosts: NameList = Field(
        [],
        description="Host names by which clients reach the service, separated by commas or as a "
        "JSON list, in addition to localhost, the loopback addresses and the address that the "
        "service listens at; `*` allows any.",
    )
    trusted_proxies: NameList = Field(
        [],
        description="IP addresses of proxies that may send `Forwarded` and `X-Forwarded-` fields, "
        "separated by commas or as a JSON list. Such a request from another address is refused.",
    )

    @field_validator("cors_origins")
    @classmethod
    def _exact(cls, origins: list[str]) -> list[str]:
        for origin in origins:
            if not re.fullmatch(r"https?://[^/*?#@\s]+", origin):
                raise ValueError(
                    "each must be scheme://host[:port] without a path, such as "
                    "http://localhost:3000; '*' is not allowed"
                )
        return origins

    @field_validator("store_url")
    @classmethod
    def _store(cls, address: str) -> str:
        if not re.fullmatch(r"sqlite:///.+|memory:", address):
            raise ValueError(
                "must be sqlite:///FILE (sqlite:////FILE for an absolute path) or memory:"
            )
        return address

    @field_validator("allowed_hosts")
    @classmethod
    def _names(cls, hosts: list[str]) -> list[str]:
        for host in hosts:
            if re.search(r"[/?#@\s]", host):
                raise ValueError("each must be a host name without scheme or path, or '*'")
        return hosts

    @field_validator("trusted_proxies")
    @classmethod
    def _addresses(cls, proxies: list[str]) -> list[str]:
        try:
            return [str(ip_address(one)) for one in proxies]
        except ValueError:
            raise ValueError("each must be an IP address, such as 127.0.0.1") from None


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
