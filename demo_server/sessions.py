"""Sessions: each is a cookie that this server has signed.

    token.signature     signed with a key that stands in the demo's folder, for all workers that share it

Nothing is kept of a session before something is done in it, and a cookie that somebody made up has none.
"""

from __future__ import annotations

import contextlib
import hmac
import os
import re
from base64 import urlsafe_b64encode
from pathlib import Path
from secrets import token_bytes, token_hex, token_urlsafe
from typing import Final

_COOKIE: Final = re.compile(r"([\w-]{43})\.[\w-]{43}", re.ASCII)
_KEY: Final = 32


class Sessions:
    """Signs cookies and checks them."""

    def __init__(self, folder: Path) -> None:
        self._key: Final = _key(folder / "session.key")

    def begin(self) -> str:
        """Return the cookie of a new session."""
        return self._signed(token_urlsafe(32))

    def of(self, cookie: str) -> str | None:
        """Return the session of a cookie; None when this server did not sign it."""
        found = _COOKIE.fullmatch(cookie)
        return found[1] if found and hmac.compare_digest(cookie, self._signed(found[1])) else None

    def _signed(self, token: str) -> str:
        signature = hmac.digest(self._key, token.encode(), "sha256")
        return f"{token}.{urlsafe_b64encode(signature).decode().rstrip('=')}"


def _key(path: Path) -> bytes:
    """Return the key in a file; the first worker that asks makes it. Raises ValueError when it is not a key."""
    if not path.exists():
        beside = path.with_name(f"{path.name}.{token_hex(8)}")
        with open(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:  # noqa: PTH123  # a descriptor
            file.write(token_bytes(_KEY))
        with contextlib.suppress(FileExistsError):
            os.link(beside, path)  # whole, or not at all
        beside.unlink()
    key = path.read_bytes()
    if len(key) != _KEY:
        raise ValueError(f"{path} is not the key of this demo's sessions; delete it, and sessions begin anew")
    return key
