"""Tools: what they take, what refuses a call, what a model is told about it, and how one is run. Complete without any stream.

May import: values, schema.
May not: know fences, blocks that are held, or correctors. Only `running` awaits.
"""
