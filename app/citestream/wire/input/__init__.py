"""Input events as JSON: the models that check them, their limits, and what is wrong with them.

Must not know how the bytes arrived.
"""
