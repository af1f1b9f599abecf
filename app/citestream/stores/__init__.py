"""The turn log: what is kept of turns and sessions, and the stores that keep it.

Floor 3. A store keeps bytes and numbers; it knows nothing of markers, events' meanings or HTTP.
"""

from citestream.extras import require_service

require_service()
