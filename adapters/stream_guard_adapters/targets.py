"""The target and the headers of a forwarded request: the rules of the gateway that need no network.

    scope -> Upstream.target -> the bytes of the request line     headers -> onward, back -> headers

Rule 1: scheme, host, port and the path's beginning are the upstream's. A request adds a path and a query; a request that any
reader could understand as more than that is refused. The path is decoded only for that check.
Rule 2: a request that is not refused is sent with the same bytes.
Rule 3: hop-by-hop headers (RFC 9110, 7.6.1) are not forwarded, in either direction.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, MutableMapping
from dataclasses import dataclass
from typing import Any, Final, Self
from urllib.parse import quote, unquote_to_bytes, urlsplit

Header = tuple[bytes, bytes]

_SHOWN: Final = re.compile(rb"[\x21-\x7e]*")
_URL: Final = re.compile(r"https?://[\x21-\x7e]+", re.IGNORECASE)
_HOST: Final = re.compile(r"[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?|[0-9a-f:.]*:[0-9a-f:.]*")
_OTHER: Final = re.compile(r"%u[0-9a-f]{4}", re.IGNORECASE)
"""Another encoding of a character: that of old servers, and of `escape` in browsers."""

_LAYERS: Final = 8
"""How often a path is decoded, to find what a reader that decodes too often would see."""

_HOP: Final = frozenset({
    b"connection", b"http2-settings", b"keep-alive", b"proxy-authenticate", b"proxy-authentication-info",
    b"proxy-authorization", b"proxy-connection", b"te", b"trailer", b"transfer-encoding", b"upgrade",
})  # fmt: skip
"""Hop-by-hop headers."""

_OWN: Final = frozenset({b"host", b"accept-encoding", b"expect"})
"""Headers of a request that the gateway replaces: the host, the accepted encodings, and `Expect`."""

_FRAMING: Final = frozenset({b"content-length"})
"""Headers that define where a body ends."""

_STAYING: Final = _FRAMING | {b"content-type", b"content-encoding"}
"""Headers that no `Connection` header may remove: those that define where a body ends, and what it is."""


class Refused(Exception):
    """Raised for a request that is not forwarded, with the status of the response and the reason."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status: Final = status
        self.why: Final = why


@dataclass(frozen=True, slots=True)
class Upstream:
    """The address of the provider."""

    origin: str
    """Its scheme, host and port, as a URL without a path."""

    netloc: bytes
    """Its host and port, as the Host header has them."""

    prefix: bytes
    """The path that is put before the path of each request; without a slash at its end."""

    @classmethod
    def of(cls, url: str) -> Self:
        """Parse the URL of an upstream. Raises ValueError; its message contains no credentials and no query."""
        if not isinstance(url, str):
            raise TypeError(f"upstream must be a URL such as https://api.example.com, not {type(url).__name__}")
        shown = repr(re.sub(r"([?#]).*", r"\1...", url, flags=re.DOTALL)) if "@" not in url else "this"
        wrong = f"upstream must be a URL such as https://api.example.com, not {shown}"
        if not _URL.fullmatch(url) or "\\" in url:
            raise ValueError(wrong)
        try:
            parts = urlsplit(url)
            port, host = parts.port, parts.hostname or ""
        except ValueError:
            raise ValueError(wrong) from None
        if parts.username is not None or parts.password is not None:
            raise ValueError("upstream must not hold credentials: clients send their own keys, and those pass through")
        if parts.query or parts.fragment or "?" in url or "#" in url:
            raise ValueError(f"upstream must end with its path, without a query or a fragment; not {shown}")
        if not _HOST.fullmatch(host) or port == 0:
            raise ValueError(wrong)
        prefix = parts.path.rstrip("/").encode("ascii")
        if prefix:
            try:
                _judge(prefix)
            except Refused as error:
                raise ValueError(f"upstream has no usable path: {error.why}") from None
        scheme = parts.scheme.lower()
        named = (f"[{host}]" if ":" in host else host) + (f":{port}" if port is not None else "")
        return cls(f"{scheme}://{named}", named.encode("ascii"), prefix)

    @property
    def url(self) -> str:
        """The URL, with its path."""
        return self.origin + self.prefix.decode("ascii")

    def doubled(self, target: bytes) -> str | None:
        """Return what to do about a target in which the upstream's path ends as the request's begins, as in `/v1/v1/...`.

        None for any other.
        """
        path = target[len(self.prefix) :].partition(b"?")[0]
        end = self.prefix.rpartition(b"/")[2]
        if not end or not path.startswith(b"/%b/" % end):
            return None
        shown = end.decode("ascii")
        return (
            f"the upstream {self.url} ends in /{shown}, and the request's path begins with /{shown}. "
            f"Start the gateway without /{shown} at the end of its upstream, or leave it out of the client's base URL"
        )

    def target(self, scope: MutableMapping[str, Any]) -> bytes:
        """Return the target of the request to the upstream. Raises `Refused`."""
        raw = scope.get("raw_path")
        path = quote(scope["path"], safe="/:@!$&'()*+,;=~").encode("ascii") if raw is None else bytes(raw).partition(b"?")[0]
        _judge(path)
        query = bytes(scope.get("query_string", b""))
        if not _SHOWN.fullmatch(query) or b"#" in query:
            raise Refused(400, "The query holds what no request may hold as it is: percent-encode it")
        return self.prefix + path + (b"?" + query if query else b"")


def _judge(path: bytes) -> None:
    """Raise `Refused` for a path that a reader could understand as a path outside the prefix."""
    if not path.startswith(b"/"):
        raise Refused(400, "The request target must be a path that begins with /")
    if path.startswith(b"//"):
        raise Refused(400, "The path must not begin with //: some take what follows for a host")
    if not _SHOWN.fullmatch(path) or b"\\" in path or b"#" in path:
        raise Refused(400, "The path holds what no path may hold as it is: percent-encode it")
    if b"." not in path and b"%" not in path:
        return  # nearly all
    for _ in range(_LAYERS):
        try:
            text = path.decode()
        except UnicodeDecodeError:
            raise Refused(400, "The path is percent-encoded, and not as UTF-8") from None
        if any(unicodedata.category(char) == "Cc" for char in text):
            raise Refused(400, "The path holds a control character")
        if _OTHER.search(text):
            raise Refused(400, "The path holds %uXXXX, which is no percent-encoding: some take it for one, of any character")
        if "\\" in text:
            raise Refused(400, "The path holds a backslash: some take it for /")
        for segment in re.split(r"[/\\]", unicodedata.normalize("NFKC", text)):
            if re.split(r"[;?#]", segment, maxsplit=1)[0].strip() in (".", ".."):  # whoever decodes first ends it there
                raise Refused(400, "The path must not hold . or .. as a segment, encoded or not")
        decoded = unquote_to_bytes(path)
        if decoded == path:
            return
        path = decoded
    raise Refused(400, "The path is percent-encoded too often")


def onward(upstream: Upstream, headers: Iterable[Header]) -> tuple[list[Header], bool]:
    """Return the headers of the forwarded request, and whether it has a body. Raises `Refused`."""
    came = [(name.lower(), value) for name, value in headers]
    lengths = {value.strip() for name, value in came if name == b"content-length"}
    codings = [value.strip().lower() for name, value in came if name == b"transfer-encoding"]
    if codings and lengths:
        raise Refused(400, "The request has both a Content-Length and a Transfer-Encoding")
    if len(lengths) > 1 or not all(re.fullmatch(rb"[0-9]{1,18}", length) for length in lengths):
        raise Refused(400, "The Content-Length is not one whole number")
    if codings not in ([], [b"chunked"]):
        raise Refused(501, "The only Transfer-Encoding that is understood is chunked")
    if sum(name == b"host" for name, _ in came) > 1:
        raise Refused(400, "The request has several Host headers")
    kept = [one for one in _passing(came) if one[0] not in _OWN and one[0] not in _FRAMING]
    framing = [(b"content-length", b"%d" % int(length)) for length in lengths] or [
        (b"transfer-encoding", coding) for coding in codings
    ]
    own = [(b"accept-encoding", b"identity"), (b"connection", b"close")]
    return [(b"host", upstream.netloc), *kept, *own, *framing], bool(framing)


def back(status: int, headers: Iterable[Header]) -> list[Header]:
    """Return the headers of the response to the client."""
    came = list(headers)
    lengthless = status == 204 or any(name.lower() == b"transfer-encoding" for name, _ in came)
    return [one for one in _passing(came) if not (lengthless and one[0].lower() in _FRAMING)]


def _passing(headers: Collection[Header]) -> list[Header]:
    """Return the headers that are not hop-by-hop, by name or by `Connection`."""
    named = {
        option.strip().lower()
        for name, value in headers
        if name.lower() in (b"connection", b"proxy-connection")
        for option in value.split(b",")
    }
    stays = _HOP | (named - _STAYING)
    return [one for one in headers if one[0].lower() not in stays]


def upgrades(headers: Iterable[Header]) -> bool:
    """Return whether a request asks for a websocket."""
    return any(
        name.lower() == b"upgrade" and any(one.strip().lower().startswith(b"websocket") for one in value.split(b","))
        for name, value in headers
    )


_AUTHORITY: Final = re.compile(r"(\[[0-9a-f:.]+\]|[^\[\]:/\\@?#,\s]+)(?::[0-9]{0,5})?")


def hostname(headers: Iterable[Header]) -> str:
    """Return the name in the Host header, in lower case and without its port; empty if there is no valid name."""
    found = [value for name, value in headers if name.lower() == b"host"]
    match = _AUTHORITY.fullmatch(found[0].decode("latin-1").strip().lower()) if len(found) == 1 else None
    return match[1] if match is not None else ""
