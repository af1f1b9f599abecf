"""The shapes of bodies and answers, as pydantic models with their descriptions and examples.

Shapes only: no behaviour, and no import from ``routes`` or ``transport``.
"""
