"""How bytes travel over HTTP: reading bodies, sending event streams, limits of connections.

Knows HTTP and ASGI; knows nothing of turns, sessions or citations.
"""
