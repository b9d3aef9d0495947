"""Whether addresses on the web answer, asked without being led anywhere else.

    validate_lesson_data(lesson, reach=reach)

Rule 1: a name is resolved once, and what is connected to is what it gave: a global address, whatever that is wrapped in.
Rule 2: a redirect is an address like any other, and is checked as one. So many are followed, and no more.
Rule 3: nothing of an answer is read but its head. It may take so long, and so many are asked at once.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Iterable, Mapping
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import Any, Final
from urllib.parse import urljoin, urlsplit

Address = IPv4Address | IPv6Address

_NAT64: Final = (IPv6Network("64:ff9b::/96"), IPv6Network("64:ff9b:1::/48"))
_COMPATIBLE: Final = IPv6Network("::/96")
_HOPS: Final = 3


class Refused(Exception):
    """An address that is not asked."""


def is_global(address: Address) -> bool:
    """Whether an address is one of the open web; of one that stands for another, whether that is one too."""
    inner = _inside(address)
    return address.is_global and not address.is_multicast and all(one.is_global and not one.is_multicast for one in inner)


def _inside(address: Address) -> list[IPv4Address]:
    """The older addresses that a newer one carries."""
    if isinstance(address, IPv4Address):
        return []
    found = [one for one in (address.ipv4_mapped, address.sixtofour, *(address.teredo or ())) if one is not None]
    if any(address in network for network in _NAT64) or address in _COMPATIBLE:
        found.append(IPv4Address(int(address) & 0xFFFFFFFF))
    return found


def reach(
    addresses: Iterable[str],
    *,
    seconds: float = 5.0,
    at_once: int = 8,
    permitted: Callable[[Address], bool] = is_global,
) -> dict[str, str]:
    """Ask addresses, and say of those that do not answer why. For use where no event loop runs.

    Args:
        addresses: What to ask; each once.
        seconds: How long one may take, its redirects included.
        at_once: How many are asked at the same time.
        permitted: Which addresses may be connected to.
    """
    return asyncio.run(reached(addresses, seconds=seconds, at_once=at_once, permitted=permitted))


async def reached(
    addresses: Iterable[str],
    *,
    seconds: float = 5.0,
    at_once: int = 8,
    permitted: Callable[[Address], bool] = is_global,
) -> dict[str, str]:
    """The same, where one does."""
    import httpx2  # deferred: only who asks needs it

    turn = asyncio.Semaphore(at_once)
    wanted = list(dict.fromkeys(addresses))

    async def asked(client: httpx2.AsyncClient, address: str) -> str | None:
        async with turn:
            try:
                async with asyncio.timeout(seconds):
                    return await _asked(client, address, permitted)
            except TimeoutError:
                return f"no answer within {seconds:g} seconds"
            except Refused as refused:
                return str(refused)
            except (httpx2.HTTPError, OSError, ValueError) as error:
                return f"no answer ({type(error).__name__})"

    async with httpx2.AsyncClient(follow_redirects=False, trust_env=False, timeout=seconds) as client:
        answers = await asyncio.gather(*(asked(client, address) for address in wanted))
    return {address: said for address, said in zip(wanted, answers, strict=True) if said is not None}


async def _asked(client: Any, address: str, permitted: Callable[[Address], bool]) -> str | None:
    """What is wrong with an address; None when it answers."""
    for _ in range(_HOPS + 1):
        host, url, headers = await _placed(address, permitted)
        request = client.build_request("GET", url, headers=headers, extensions={"sni_hostname": host})
        response = await client.send(request, stream=True)
        try:
            status: int = response.status_code
            to = response.headers.get("location")
        finally:
            await response.aclose()
        if status not in (301, 302, 303, 307, 308) or not to:
            return None if status < 400 else f"answers with {status}"
        address = urljoin(address, to)
    return f"redirects more than {_HOPS} times"


async def _placed(address: str, permitted: Callable[[Address], bool]) -> tuple[str, str, Mapping[str, str]]:
    """An address with its host resolved: the host, what to connect to, and what to say there."""
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise Refused(f"leads to {parts.scheme or 'nowhere'}, not to the web")
    if parts.username is not None or parts.password is not None:
        raise Refused("holds a name or a password")
    port = parts.port or (443 if parts.scheme == "https" else 80)
    found = await asyncio.get_running_loop().getaddrinfo(parts.hostname, port, type=socket.SOCK_STREAM)
    every = [ip_address(str(entry[4][0]).partition("%")[0]) for entry in found]
    if not every or not all(map(permitted, every)):
        raise Refused("leads into a network that is not open")
    at = f"[{every[0]}]" if isinstance(every[0], IPv6Address) else str(every[0])
    path = f"{parts.path or '/'}{'?' + parts.query if parts.query else ''}"
    host = parts.hostname if ":" not in parts.hostname else f"[{parts.hostname}]"
    named = host if parts.port is None else f"{host}:{port}"
    return parts.hostname, f"{parts.scheme}://{at}:{port}{path}", {"host": named, "accept-encoding": "identity"}
