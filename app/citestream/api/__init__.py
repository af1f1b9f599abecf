"""HTTP: routers, schemas, problems. Floor 5, the only room that knows HTTP and sse-starlette."""

from citestream.extras import require_service

require_service()
