"""The command line: what is asked of whom, the files it reads, and what it prints.

May import: every other room, and the guard.
May not: be imported by any of them; only entry points and `spi` may.
"""
