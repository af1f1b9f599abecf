"""What to install for the parts of the package that the library alone does not bring.

Lives here: the check that these parts make before they import their libraries. Must not know what
the parts do.
"""

from functools import cache
from importlib.util import find_spec
from typing import Final

SERVICE: Final = (
    "alembic",
    "anyio",
    "fastapi",
    "httptools",
    "prometheus_client",
    "pydantic_settings",
    "sqlalchemy",
    "sse_starlette",
    "uvicorn",
)
"""Libraries of the extra ``service``; the others that it names are installed with these."""


class MissingExtraError(ImportError):
    """The libraries of an extra are not installed; the message says how to install them."""


@cache
def require_service() -> None:
    """Raise :class:`MissingExtraError` unless the extra ``service`` is installed."""
    missing = [name for name in SERVICE if find_spec(name) is None]
    if missing:
        raise MissingExtraError(
            f"this part of citestream needs {missing[0]}: pip install 'citestream[service]'",
            name=missing[0],
        )
