"""The exit statuses of the commands.

Rule: a command returns one of these; `command/cli.py` returns those of a process that was interrupted, or that nobody reads.
"""

from __future__ import annotations

from typing import Final

GOOD: Final = 0
"""The exit status of a command that found nothing wrong."""

FINDING: Final = 1
"""That of one that found something wrong in what it read."""

UNREADABLE: Final = 2
"""That of one that could not read, write or do something. It outranks a finding."""

INTERRUPTED: Final = 130
"""That of one that Ctrl-C ended, as a shell says it: 128 and the number of the signal."""

UNREAD: Final = 141
"""That of one whose output nobody reads any more, as a shell says it."""
