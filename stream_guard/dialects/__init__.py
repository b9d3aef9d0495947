"""The forms in which models write tool calls into text: what is read from the body of each.

May import: values.
May not: know a tool, a schema or a stream; decide whether a call may run.
"""
