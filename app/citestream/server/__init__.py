"""uvicorn as this service runs it: the HTTP protocol's guards, the listener, the graceful stop.

Floor 6. Knows uvicorn and the application's list of open streams; knows nothing of routes.
"""

from citestream.extras import require_service

require_service()
