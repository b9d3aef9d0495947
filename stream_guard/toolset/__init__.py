"""Tools: their schemas, the validation of calls, hints, and running a call. Needs no stream.

May import: values, dialects, schema.
May not: know fences, blocks that are held, or correctors. Only `running` awaits.
"""
