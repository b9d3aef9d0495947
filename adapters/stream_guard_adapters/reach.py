"""Tests whether URLs answer, and connects to public addresses only.

    validate_lesson_data(lesson, reach=reach)

Rule 1: a name is resolved once, and only the result is connected to, if it is a public address; an address inside it must be
public too.
Rule 2: the target of a redirect is checked like any URL. The number of redirects is limited.
Rule 3: only the head of a response is read. Its time, and the number of requests at once, are limited.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Iterable, Mapping
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import Any, Final
from urllib.parse import urljoin, urlsplit

Address = IPv4Address | IPv6Address

_HOPS: Final = 3
"""The most redirects that are followed."""


class Refused(Exception):
    """Raised for a URL that is not requested, with the reason."""


# IANA's registries of special-purpose addresses for IPv4 and for IPv6, and what is multicast, as of June 2026. What
# `ipaddress.is_global` says is what was in them when that patch of Python was made. Closed is what they do not call globally
# reachable, and all of a block that has exceptions: those are relays and services at anycast addresses, and no web servers.
_CLOSED_4: Final = tuple(
    map(
        IPv4Network,
        (
            "0.0.0.0/8",  # this network
            "10.0.0.0/8",  # private use
            "100.64.0.0/10",  # shared address space of carriers
            "127.0.0.0/8",  # loopback
            "169.254.0.0/16",  # link local, and where clouds tell their secrets
            "172.16.0.0/12",  # private use
            "192.0.0.0/24",  # protocol assignments; dummies, NAT64 discovery, PCP and TURN anycast in it
            "192.0.2.0/24",  # documentation
            "192.88.99.0/24",  # relays of 6to4, and 6a44
            "192.168.0.0/16",  # private use
            "198.18.0.0/15",  # benchmarks
            "198.51.100.0/24",  # documentation
            "203.0.113.0/24",  # documentation
            "224.0.0.0/4",  # multicast
            "240.0.0.0/4",  # reserved, and the broadcast address
        ),
    )
)

# Of IPv6 only 2000::/3 is given to the web at all. Loopback, the unspecified address, mapped (::ffff:0:0/96), translated
# (::ffff:0:0:0/96) and compatible IPv4 (::/96), discard-only (100::/64), dummies (100:0:0:1::/64), segment routing (5f00::/16),
# unique local (fc00::/7), link local (fe80::/10), site local (fec0::/10) and multicast (ff00::/8) are outside of it, and so is
# what has not been assigned.
_UNICAST: Final = IPv6Network("2000::/3")
_CLOSED_6: Final = tuple(
    map(
        IPv6Network,
        (
            "2001::/23",  # protocol assignments: Teredo, benchmarks, AMT, AS112, ORCHID, drones, anycast of PCP, TURN and SRP
            "2001:db8::/32",  # documentation
            "3fff::/20",  # documentation
        ),
    )
)

_NAT64: Final = IPv6Network("64:ff9b::/96")
"""The IPv4 address is in the last four bytes. For private networks 64:ff9b:1::/48 does the same."""

_6TO4: Final = IPv6Network("2002::/16")
"""The IPv4 address follows the first two bytes."""


def is_global(address: Address) -> bool:
    """Return whether an address is public. For an IPv6 address that contains an IPv4 address: whether that one is."""
    if isinstance(address, IPv4Address):
        return not any(address in network for network in _CLOSED_4)
    if address in _NAT64:
        return is_global(IPv4Address(int(address) & 0xFFFFFFFF))
    if address in _6TO4:
        return is_global(IPv4Address(int(address) >> 80 & 0xFFFFFFFF))
    return address in _UNICAST and not any(address in network for network in _CLOSED_6)


def reach(
    addresses: Iterable[str],
    *,
    seconds: float = 5.0,
    at_once: int = 8,
    permitted: Callable[[Address], bool] = is_global,
) -> dict[str, str]:
    """Request URLs, and return why each that does not answer failed. For use where no event loop runs.

    Args:
        addresses: The URLs; each is requested once.
        seconds: The seconds that one may take, its redirects included.
        at_once: The most requests at the same time.
        permitted: Returns whether an address may be connected to.
    """
    return asyncio.run(reached(addresses, seconds=seconds, at_once=at_once, permitted=permitted))


async def reached(
    addresses: Iterable[str],
    *,
    seconds: float = 5.0,
    at_once: int = 8,
    permitted: Callable[[Address], bool] = is_global,
) -> dict[str, str]:
    """Return what `reach` returns, where an event loop runs."""
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
    """Return what is wrong with a URL; None when it answers."""
    for _ in range(_HOPS + 1):
        host, url, headers = await placed(address, permitted)
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


async def placed(address: str, permitted: Callable[[Address], bool] = is_global) -> tuple[str, str, Mapping[str, str]]:
    """Return a URL's host, the URL with the host's address in its place, and the headers to send.

    For clients of your own: request that URL, with the host as the extension `sni_hostname`, and follow no redirect unchecked.
    Raises Refused for a URL that is not requested, and OSError for a host that is not found.
    """
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise Refused(f"leads to {parts.scheme or 'nowhere'}, not to the web")
    if parts.username is not None or parts.password is not None:
        raise Refused("holds a name or a password")
    port = parts.port or (443 if parts.scheme == "https" else 80)
    found = await asyncio.get_running_loop().getaddrinfo(parts.hostname, port, type=socket.SOCK_STREAM)
    every = [ip_address(str(entry[4][0]).partition("%")[0]) for entry in found]
    if not every or not all(map(permitted, every)):
        raise Refused("its host resolves to a private or reserved address")
    at = f"[{every[0]}]" if isinstance(every[0], IPv6Address) else str(every[0])
    path = f"{parts.path or '/'}{'?' + parts.query if parts.query else ''}"
    host = parts.hostname if ":" not in parts.hostname else f"[{parts.hostname}]"
    named = host if parts.port is None else f"{host}:{port}"
    return parts.hostname, f"{parts.scheme}://{at}:{port}{path}", {"host": named, "accept-encoding": "identity"}
