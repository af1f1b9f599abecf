"""What a running process reports about itself: logs and metrics.

Floor 3. Reports carry ids and counts, never text, locators, targets or keys.
"""

from citestream.extras import require_service

require_service()
