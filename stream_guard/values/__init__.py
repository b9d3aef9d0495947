"""Values shared by all rooms: events, issues, fixes, limits, tables of codes and keys, and their text forms.

May import: nothing of this package.
May not: know a tool, a schema or a stream.
"""
