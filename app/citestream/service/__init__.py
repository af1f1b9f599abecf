"""What a request does with a turn: accept input, run it, hand out frames.

Floor 4: the only asynchronous room below HTTP. Knows turns, wires and stores; knows nothing of
requests and responses.
"""

from citestream.extras import require_service

require_service()
