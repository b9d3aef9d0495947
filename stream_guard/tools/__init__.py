"""Toolsets that come with the guard: files in a workspace, and lessons made of widgets.

May import: values, schema, toolset, running.
May not: know a block, a stream or a command.
"""
