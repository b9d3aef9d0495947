"""JSON and JSON Schema: is it JSON, which rule of a schema does it break, and in which words; names that are spelt alike.

May import: values.
May not: know a tool, a block or a stream.
"""
