"""Stored turns: pushes, followers, replay and expiry on top of a store.

Knows turns and the store port; knows nothing of HTTP or SQL.
"""
