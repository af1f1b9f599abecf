"""Stream formats, one file each: bytes to input events, output events to bytes.

Free of I/O. A format knows the events of a turn and how its bytes look, nothing else.
"""
