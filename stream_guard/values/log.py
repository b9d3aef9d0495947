"""`log`: the logger of the guard. `logging` is loaded with the first message, and most processes never write one."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Final, cast

if TYPE_CHECKING:
    from logging import Logger


class _Log:
    """Forwards to the logger, which is made with the first message."""

    def __getattr__(self, name: str) -> Any:
        from logging import getLogger  # deferred: it loads six more modules

        return getattr(getLogger("stream_guard"), name)

    def debug(self, message: str, *values: object) -> None:
        """Write a message that a person asks for, by the level of the logger: who asked has loaded `logging`."""
        if "logging" in sys.modules:
            from logging import getLogger

            getLogger("stream_guard").debug(message, *values, stacklevel=2)


log: Final = cast("Logger", _Log())
