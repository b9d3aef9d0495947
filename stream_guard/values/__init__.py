"""Values shared by all rooms: events, issues, fixes, limits, tables of codes and keys, and the sentences for them (`wording`).

May import: nothing of this package.
May not: know a tool, a schema or a stream.
"""
