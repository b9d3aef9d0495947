"""The command line: arguments, input files, and output.

May import: every other room, and the guard.
May not: be imported by another room; only entry points and `spi` import it.
"""
