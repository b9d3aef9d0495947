"""Running a call: its arguments are validated and fixed before, its result is validated after.

May import: values, dialects, schema, toolset, fixes.
May not: know a stream, fences, or correctors. Only `awaiting` awaits.
"""
