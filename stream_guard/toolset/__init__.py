"""Tools: their names, schemas and definitions, the validation of calls, and the hints for calls that failed.
Needs no stream.

May import: values, dialects, schema, grammars.
May not: know fences, blocks that are held, or correctors; run a call; wait.
"""
