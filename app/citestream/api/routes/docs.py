"""The pages that people open in a browser: ``/`` and ``/docs``.

Every file is part of an installed package, so that the pages work without the internet. Must not
know what the document describes.
"""

from importlib.resources import files
from pathlib import Path
from typing import Final

from fastapi import APIRouter, Response
from fastapi.responses import FileResponse, RedirectResponse

from citestream.service.problems import NOT_FOUND, Problem

router = APIRouter(include_in_schema=False)

_OURS: Final = Path(str(files("citestream.api"))) / "static"
_SWAGGER: Final = Path(str(files("fastapi_offline"))) / "static"
_FILES: Final = {
    "docs.js": _OURS,
    "swagger-ui-bundle.js": _SWAGGER,
    "swagger-ui.css": _SWAGGER,
    "favicon.png": _SWAGGER,
}
"""The files of ``/docs``, and the folder of each."""
_FRESH: Final = {"Cache-Control": "no-cache"}
_STRICT: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""What the page may load: files of this service alone. Icons in Swagger UI's style sheet are
``data:`` images."""


@router.get("/", response_class=Response)
async def home() -> Response:
    """Lead to the page."""
    return RedirectResponse("docs", 307, headers={"Cache-Control": "no-store"})


@router.get("/docs", response_class=Response)
async def docs() -> Response:
    """Return the page that describes the interface."""
    return FileResponse(_OURS / "docs.html", headers={**_FRESH, "Content-Security-Policy": _STRICT})


@router.get("/docs/{name}", response_class=Response)
async def docs_file(name: str) -> Response:
    """Return a file of the page."""
    folder = _FILES.get(name)
    if folder is None:
        raise Problem(NOT_FOUND, NOT_FOUND.title)
    return FileResponse(folder / name, headers=_FRESH)


@router.get("/favicon.ico", response_class=Response)
async def favicon() -> Response:
    """Return the icon that browsers ask for by this name."""
    return FileResponse(_SWAGGER / "favicon.png", headers=_FRESH)
