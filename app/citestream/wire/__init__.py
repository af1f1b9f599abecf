"""Stream formats: output events to bytes, bytes to input events; one file a format.

Floor 3. Knows the events of a turn; knows nothing of stores, services or HTTP.
"""
