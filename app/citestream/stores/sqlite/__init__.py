"""The turn log in one SQLite file: one writer thread, read connections, SQL statements.

Knows SQL and files; knows nothing of what the rows mean.
"""
