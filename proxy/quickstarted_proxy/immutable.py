"""
Which files never change under their address, and what of a request and an answer shows it.

Standard library only, shared with the harness, which names the hosts and patterns. Pure: nothing
here knows of files or connections. What a client's own headers may have shaped is never kept, and
what is asked for with credentials is neither kept nor given.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from quickstarted_proxy.paths import checked_pattern, permits
from quickstarted_proxy.policy import normalise_host

Headers = Sequence[tuple[bytes, bytes]]

_DEFAULT_PORTS = {"http": 80, "https": 443}
_MAX_PATH_BYTES = 2048
_PERSONAL = frozenset({b"authorization", b"cookie", b"proxy-authorization", b"x-npm-session-token"})
"""An answer may be for whoever sent these only."""
_PARTIAL = frozenset({b"range", b"if-range"})
_CONDITIONAL = frozenset(
    {b"if-none-match", b"if-modified-since", b"if-match", b"if-unmodified-since"}
)
_NO_BODY_SENT = (b"", b"0")
_KEPT_HEADERS = ("content-type", "etag", "last-modified", "x-checksum-sha256")
_HARMLESS_VARY = frozenset({"accept-encoding", "origin"})
"""What an answer without Content-Encoding may vary on and still be for everybody."""
_BLAKE2 = re.compile(rb"/packages/([0-9a-f]{2})/([0-9a-f]{2})/([0-9a-f]{60})/[^/]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class ImmutableRule:
    """A host, and patterns of those of its paths whose content never changes."""

    host: str
    patterns: tuple[str, ...]
    hash_in_path: bool = False
    """The path holds the file's BLAKE2b-256, as that of PyPI's files does."""

    def to_json(self) -> dict[str, Any]:
        """The form in which it crosses the control stream."""
        return asdict(self)

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> ImmutableRule:
        """
        Read what `to_json` wrote.

        Raises:
            ValueError: It is none.

        """
        try:
            host = str(value["host"])
            patterns = tuple(checked_pattern(str(pattern)) for pattern in value["patterns"])
            hash_in_path = bool(value["hash_in_path"])
        except (KeyError, TypeError) as exc:
            raise ValueError(f"not a rule of immutable files: {exc!r}") from exc
        if normalise_host(host) != host:
            raise ValueError(f"not a normalised host name: {host!r}")
        return cls(host=host, patterns=patterns, hash_in_path=hash_in_path)


@dataclass(frozen=True, slots=True)
class Digest:
    """What a file's content must have."""

    algorithm: Literal["blake2b-256", "sha256", "sha512", "go-h1-zip", "go-h1-mod"]
    """The last two are Go's hash of a listing of files (`go_hashes`)."""
    value: str
    """In lower-case hex."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """A file's address, as far as it decides on the content."""

    scheme: str
    host: str
    path: str
    digest: Digest | None = None
    """The content's, where the path or an index says it."""

    @property
    def url(self) -> str:
        """The address as a text."""
        return self.site + self.path

    @property
    def site(self) -> str:
        """Whose lists speak of the file: the host's, by the same scheme."""
        return f"{self.scheme}://{self.host}"

    @property
    def key(self) -> str:
        """Under which the file is kept: what came over plain HTTP is not given over TLS."""
        return hashlib.sha256(self.url.encode("ascii", "backslashreplace")).hexdigest()


def address_of(
    rules: Sequence[ImmutableRule], scheme: str, authority: tuple[str, int], target: bytes
) -> Address | None:
    """
    Find what a request asks for, if that never changes.

    Args:
        rules: What never changes.
        scheme: `http` or `https`.
        authority: Host in normalised form, and port.
        target: The request's target as it was sent.

    """
    host, port = authority
    if port != _DEFAULT_PORTS.get(scheme) or b"?" in target or len(target) > _MAX_PATH_BYTES:
        return None
    rule = next((one for one in rules if one.host == host), None)
    if rule is None or not target.isascii() or not permits(rule.patterns, target):
        return None
    found = _BLAKE2.fullmatch(target) if rule.hash_in_path else None
    digest = None
    if found is not None and not target.endswith(b".metadata"):
        digest = Digest("blake2b-256", b"".join(found.groups()).decode("ascii"))
    return Address(scheme=scheme, host=host, path=target.decode("ascii"), digest=digest)


def address_of_url(rules: Sequence[ImmutableRule], url: str) -> Address | None:
    """The same for a URL as `Address.url` writes it; None also where it is no such URL."""
    scheme, found, rest = url.partition("://")
    host, slash, path = rest.partition("/")
    if not found or not slash or not url.isascii():
        return None
    target = (slash + path).encode("ascii")
    return address_of(rules, scheme, (host, _DEFAULT_PORTS.get(scheme, 0)), target)


def may_be_given(method: str, headers: Headers) -> bool:
    """Whether a request may be answered with what was kept."""
    fields = _fields(headers)
    if method not in {"GET", "HEAD"} or _PERSONAL & set(fields):
        return False
    if fields.get(b"content-length", b"0") not in _NO_BODY_SENT or b"transfer-encoding" in fields:
        return False
    asked = fields.get(b"cache-control", b"") + b"," + fields.get(b"pragma", b"")
    wishes = {part.strip().lower() for part in asked.split(b",")}
    if wishes & {b"no-cache", b"no-store"} or b"expect" in fields or b"upgrade" in fields:
        return False
    return not _refuses_identity(fields.get(b"accept-encoding", b""))


def may_be_kept(method: str, headers: Headers) -> bool:
    """Whether the whole answer to a request may be kept for others."""
    fields = set(_fields(headers))
    return (
        method == "GET" and may_be_given(method, headers) and not fields & (_PARTIAL | _CONDITIONAL)
    )


def size_to_keep(status: int, headers: Mapping[str, str]) -> int | None:
    """
    Read from an answer's head how many bytes are to be kept.

    Args:
        status: Of the answer.
        headers: By lower-case name.

    Returns:
        None when the answer is not the whole file for everybody.

    """
    length = headers.get("content-length", "")
    if status != 200 or not length.isdecimal() or "transfer-encoding" in headers:
        return None
    if headers.get("content-encoding", "identity").strip().lower() != "identity":
        return None
    if "set-cookie" in headers or "content-range" in headers:
        return None
    control = {part.strip().lower() for part in headers.get("cache-control", "").split(",")}
    if control & {"no-store", "private"}:
        return None
    vary = {part.strip().lower() for part in headers.get("vary", "").split(",") if part.strip()}
    return int(length) if vary <= _HARMLESS_VARY and int(length) > 0 else None


def headers_to_keep(headers: Mapping[str, str]) -> dict[str, str]:
    """Those headers of an answer that describe the file itself."""
    return {name: headers[name] for name in _KEPT_HEADERS if name in headers}


def _fields(headers: Headers) -> dict[bytes, bytes]:
    """Names in lower case; of several of one name all values."""
    found: dict[bytes, bytes] = {}
    for name, value in headers:
        key = name.lower()
        found[key] = found[key] + b"," + value if key in found else value
    return found


def _refuses_identity(accept_encoding: bytes) -> bool:
    for part in accept_encoding.lower().replace(b" ", b"").split(b","):
        coding, _, weight = part.partition(b";q=")
        if coding in {b"identity", b"*"} and weight and not weight.strip(b"0."):
            return True
    return False
