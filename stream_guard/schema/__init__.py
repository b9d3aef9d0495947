"""JSON and JSON Schema: parsing, validation, the violations of rules, and the comparison of names.

May import: values.
May not: know a tool, a block or a stream.
"""
