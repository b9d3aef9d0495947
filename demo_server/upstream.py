"""The client of a session's own model: it asks by the rules of `reach`, and bounds the answers.

Rule 1: each request resolves the host anew and connects to that address, which is public unless the settings say otherwise.
No redirect is followed.
Rule 2: of this process's environment nothing is sent: neither its keys, nor what a client finds there for its headers.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Final

import httpx2
from openai import AsyncOpenAI
from stream_guard_adapters.reach import Address, Refused, is_global, placed

_SENT: Final = ("authorization", "content-type", "content-length", "accept")
"""The headers of a client that are sent."""

_MOST: Final = 8_388_608
"""Limit: bytes of one answer."""

_WAIT: Final = httpx2.Timeout(60, connect=10)
"""Seconds until an answer begins, and between two of its pieces."""


def client(base: str, key: str, *, private: bool) -> AsyncOpenAI:
    """Return a client for a base URL and the key to it; with `private`, also for an address that is not public.

    Raises ValueError for a base URL that it takes for none.
    """
    try:
        httpx2.URL(base)
    except httpx2.InvalidURL as error:
        raise ValueError(str(error)) from None
    transport = Placed((lambda _: True) if private else is_global)
    http = httpx2.AsyncClient(transport=transport, timeout=_WAIT, trust_env=False, follow_redirects=False)
    return AsyncOpenAI(base_url=base, api_key=key or "none", http_client=http, max_retries=0, timeout=_WAIT)


class Placed(httpx2.AsyncBaseTransport):
    """Sends requests by the rules of `reach`, and bounds their answers.

    Args:
        permitted: Returns whether an address may be connected to.
    """

    def __init__(self, permitted: Callable[[Address], bool]) -> None:
        self._permitted = permitted
        self._inner = httpx2.AsyncHTTPTransport()

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request to the address of its host, and return the answer. Raises Refused, and OSError for no such host."""
        host, url, headers = await placed(str(request.url), self._permitted)
        kept = {name: request.headers[name] for name in _SENT if name in request.headers}
        extensions = {**request.extensions, "sni_hostname": host}
        sent = httpx2.Request(request.method, url, headers={**kept, **headers}, stream=request.stream, extensions=extensions)
        response = await self._inner.handle_async_request(sent)
        if response.headers.get("content-encoding", "identity") != "identity":
            await response.aclose()
            raise Refused("its answers are compressed, which was not asked for")
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        bounded = _Bounded(response.stream)
        return httpx2.Response(response.status_code, headers=response.headers, stream=bounded, extensions=response.extensions)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._inner.aclose()


class _Bounded(httpx2.AsyncByteStream):
    """An answer that fails when it is too long."""

    def __init__(self, stream: httpx2.AsyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        left = _MOST
        async for piece in self._stream:
            left -= len(piece)
            if left < 0:
                raise httpx2.ReadError(f"the answer has more than {_MOST} bytes")
            yield piece

    async def aclose(self) -> None:
        """Close the answer."""
        await self._stream.aclose()
