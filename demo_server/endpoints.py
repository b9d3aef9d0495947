"""Models of one's own: a session gives the base URL of an OpenAI-compatible API, a model and a key.

    form -> Endpoints (checks, asks once, keeps) -> OpenAIModel -> upstream.py -> the server of the model

Rule 1: a key is kept in the memory of this process, for the session that gave it, and is sent to its base URL alone.
Rule 2: a page is told all of it but the key.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import urlsplit

from stream_guard import Toolset

from .models import Asked, ModelAway, OpenAIModel, Script, away
from .settings import Settings

_LONGEST: Final = 500
"""Limit: characters of a base URL, and of a key."""


_PATIENCE: Final = 60.0
"""Limit: seconds until the first piece of an answer, when a model is connected to."""

_NO_ADDRESS: Final = "The base URL is an address such as https://api.example.com/v1"

_NO_CHUNK: Final = "The server's stream cannot be read: this may be no base URL of an OpenAI-compatible API."


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a session's own model is, and the key to it, checked."""

    base: str
    model: str
    key: str = field(repr=False)

    @staticmethod
    def of(asked: Mapping[str, Any], *, private: bool) -> Endpoint:
        """Return the endpoint that a request gives. Raises ValueError, which says what is wrong and what to give."""
        texts = [asked.get(name, "") for name in ("base", "model", "key")]
        if not all(isinstance(text, str) for text in texts):
            raise ValueError('"base", "model" and "key" must be strings')
        base, model, key = (text.strip() for text in texts)
        base = base.rstrip("/")
        try:
            parts = urlsplit(base)
            whole = parts.hostname and parts.scheme in ("http", "https") and parts.port != 0
        except ValueError:
            parts = whole = None
        if not parts or not whole or len(base) > _LONGEST or not base.isprintable() or " " in base:
            raise ValueError(_NO_ADDRESS)
        if "@" in parts.netloc or "?" in base or "#" in base:
            raise ValueError("The base URL has no user, no query and no fragment; the key has a field of its own")
        if parts.scheme != "https" and not private:
            raise ValueError("The base URL begins with https://, so that nobody else can read the key")
        if not 1 <= len(model) <= 200 or not model.isprintable():
            raise ValueError("Give the model's name, as its server spells it")
        if len(key) > _LONGEST or not (key.isascii() and key.isprintable()) or " " in key:
            raise ValueError(
                f"A key is at most {_LONGEST} ASCII characters without blanks; leave it empty for a server without keys"
            )
        return Endpoint(base, model, key)


class Endpoints:
    """The models of all sessions that have one of their own."""

    def __init__(self, settings: Settings, script: Script, tools: Toolset) -> None:
        self._settings = settings
        self._script = script
        self._tools = tools
        self._models: OrderedDict[str, tuple[Endpoint, OpenAIModel]] = OrderedDict()

    def model(self, session: str) -> OpenAIModel | None:
        """Return the session's own model; None when it has none."""
        found = self._models.get(session)
        if found is None:
            return None
        self._models.move_to_end(session)
        return found[1]

    def told(self, session: str) -> dict[str, str] | None:
        """Return what the session's page shows of its model, which is all but the key."""
        found = self._models.get(session)
        return None if found is None else {"base": found[0].base, "model": found[0].model}

    async def connect(self, session: str, asked: Mapping[str, Any]) -> None:
        """Ask a model for the first piece of an answer, and keep it for the session. Raises ValueError and ModelAway."""
        if self._settings.redis:  # another process would have to be told the key
            raise ValueError("This server shares its streams with others, and keys are kept in the memory of one process")
        from .upstream import client  # deferred: it takes a second, and most visitors have no model of their own

        endpoint = Endpoint.of(asked, private=self._settings.private)
        try:
            asking = client(endpoint.base, endpoint.key, private=self._settings.private)
        except ValueError:
            raise ValueError(_NO_ADDRESS) from None
        model = OpenAIModel(self._script, self._tools, endpoint.model, asking)
        try:
            await _begin(await model.stream(Asked("Say hello.", None)))
        except BaseException:
            await model.aclose()
            raise
        await self.forget(session)
        self._models[session] = endpoint, model
        while len(self._models) > self._settings.endpoints:
            await self.forget(next(iter(self._models)))

    async def forget(self, session: str) -> None:
        """Forget the session's model and its key. An answer that is being written breaks off."""
        found = self._models.pop(session, None)
        if found is not None:
            await found[1].aclose()

    async def aclose(self) -> None:
        """Forget all of them."""
        while self._models:
            await self.forget(next(iter(self._models)))


async def _begin(stream: Any) -> None:
    """Read the first piece of an answer, and close it. Raises ModelAway where there is none."""
    try:
        async with asyncio.timeout(_PATIENCE):
            first = await anext(aiter(stream), None)
    except ValueError:  # no JSON
        first = None
    except Exception as error:
        raise away(error) from None  # what a provider said may repeat the key
    finally:
        await stream.close()
    if not isinstance(getattr(first, "choices", None), list):
        raise ModelAway(_NO_CHUNK)
