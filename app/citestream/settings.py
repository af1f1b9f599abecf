"""Settings: environment variables with the prefix ``CITESTREAM_``.

The only reader of the environment; imported by ``main`` and ``cli`` alone.
"""

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict


class Settings(BaseSettings):
    """How the service runs. Every setting has a default that serves on one machine."""

    model_config = SettingsConfigDict(env_prefix="CITESTREAM_", frozen=True)

    host: str = Field("127.0.0.1", description="The address to listen at.")
    port: int = Field(8321, ge=0, le=65535, description="The port to listen at; 0: any free one.")
    ping_seconds: float = Field(
        15.0, gt=0, le=600, description="Silence after which a stream gets a comment."
    )
    send_seconds: float = Field(
        10.0, gt=0, le=600, description="How long a reader may stall before it is cut."
    )
