"""Text in; prose and blocks out: fences, the JSON inside them as it grows, and whether a block is a tool call at all.

May import: values.
May not: know a schema, a provider, a clock; wait.
"""
