"""Sessions, which turn text into items, and the async iterator around them.

May import: values, scan, schema, toolset, fixes, judge, correct.
May not: know the guard that puts them together. Only `guarded`, `source`, `turn` and `work` await.
"""
