"""JSON and JSON Schema: parsing, validation, the messages of broken rules, and the comparison of names.

May import: values.
May not: know a tool, a block or a stream.
"""
