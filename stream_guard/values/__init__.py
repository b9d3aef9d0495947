"""What travels between the rooms and to the outside: frozen values, tables of codes and keys, limits, and their text forms.

May import: nothing of this package.
May not: know a tool, a schema or a stream.
"""
