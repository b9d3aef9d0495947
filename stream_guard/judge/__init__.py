"""Validates, fixes and announces one block. Never raises for the data of a block.

May import: values, dialects, scan, schema, toolset, fixes, running.
May not: know a stream, a corrector or a task; wait.
"""
