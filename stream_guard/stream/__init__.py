"""Turns the deltas of one stream into items: the session, the async iterator around it, and running the calls.

May import: values, dialects, scan, schema, toolset, fixes, running, judge, correct.
May not: know the guard that puts them together. Only `guarded`, `source`, `turn` and `work` await.
"""
