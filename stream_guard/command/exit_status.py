"""The exit statuses of the commands.

Rule: a command returns one of the first three. `command/cli.py` returns the other two, for a process that was interrupted or
whose output is not read any more.
"""

from __future__ import annotations

from typing import Final

GOOD: Final = 0
"""The exit status of a command that found nothing wrong."""

FINDING: Final = 1
"""The exit status of a command that found something wrong in its input."""

UNREADABLE: Final = 2
"""The exit status of a command that could not read, write or do something. It takes precedence over `FINDING`."""

INTERRUPTED: Final = 130
"""The exit status of a command that Ctrl-C ended: 128 and the number of the signal, as in a shell."""

UNREAD: Final = 141
"""The exit status of a command whose output nobody reads any more, as in a shell."""
