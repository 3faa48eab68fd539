"""
What the index pages that pass say of the content of files.

Standard library only, and pure. npm's documents name a file's address and digest side by side, the
lines of crates.io's index and the answers of Go's checksum database do almost. Debian's lists are
too large to be held: `debian_lists` reads them. PyPI's addresses hold a digest themselves.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from quickstarted_proxy.immutable import Digest
from quickstarted_proxy.paths import checked_pattern, permits
from quickstarted_proxy.policy import normalise_host

DEBIAN = "debian"
"""The kind of what is read by `debian_lists`."""
GO = "go"
"""The kind of what names files that mostly have come before it."""
MAX_BODY_BYTES = 2 * 1024**2
"""Of an index page as it comes; larger ones are not read."""
_MAX_INFLATED_BYTES = 16 * 1024**2
_SHA256_BYTES = 32
_DIST = re.compile(r'"dist"\s*:\s*(?=\{)')
_DECODER = json.JSONDecoder()


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexRule:
    """A host, patterns of its index pages, and what they are."""

    host: str
    patterns: tuple[str, ...]
    kind: str
    """`npm`, `crates`, `go` or `debian`."""
    files: tuple[str, ...] = ()
    """Addresses of files with `{name}` and `{version}`, where the page does not have them."""

    def to_json(self) -> dict[str, Any]:
        """The form in which it crosses the control stream."""
        return asdict(self)

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> IndexRule:
        """
        Read what `to_json` wrote.

        Raises:
            ValueError: It is none.

        """
        try:
            rule = cls(
                host=str(value["host"]),
                patterns=tuple(checked_pattern(str(pattern)) for pattern in value["patterns"]),
                kind=str(value["kind"]),
                files=tuple(str(file) for file in value["files"]),
            )
        except (KeyError, TypeError) as exc:
            raise ValueError(f"not a rule of index pages: {exc!r}") from exc
        if rule.kind not in {DEBIAN, *_READERS} or normalise_host(rule.host) != rule.host:
            raise ValueError(f"not a rule of index pages: {rule}")
        return rule

    def is_for(self, host: str, target: bytes) -> bool:
        """Whether a request is for such a page."""
        return host == self.host and permits(self.patterns, target.partition(b"?")[0])


def hashes_in(rule: IndexRule, body: bytes, encoding: str) -> dict[str, Digest]:
    """
    Read an index page: the digests of files by their URL.

    Args:
        rule: What the page is.
        body: As it came.
        encoding: Its Content-Encoding, in lower case; empty for none.

    Returns:
        Nothing where it cannot be read: the files are then kept as if nothing were known.

    """
    try:
        text = _inflated(body, encoding).decode("utf-8")
        return dict(_READERS[rule.kind](rule, text))
    except (ValueError, zlib.error):
        return {}


def _inflated(body: bytes, encoding: str) -> bytes:
    if encoding in {"", "identity"}:
        return body
    if encoding not in {"gzip", "x-gzip", "deflate"}:
        raise ValueError(f"compressed with {encoding}")
    inflate = zlib.decompressobj(wbits=zlib.MAX_WBITS | 32)
    plain = inflate.decompress(body, _MAX_INFLATED_BYTES)
    if not inflate.eof:
        raise ValueError("it is too large, or ends too early")
    return plain


def _npm(rule: IndexRule, text: str) -> Iterator[tuple[str, Digest]]:
    """
    Read every `dist` of a package's document; a package speaks for its own files only.

    Each is decoded by itself, so that no large document holds up what else the process does.
    """
    name = _first_name(text)
    for match in _DIST.finditer(text) if name else ():
        dist, _ = _DECODER.raw_decode(text, match.end())
        url, digest = dist.get("tarball"), _integrity(dist.get("integrity"))
        if isinstance(url, str) and digest and url.startswith(f"https://{rule.host}/{name}/-/"):
            yield url, digest


def _first_name(text: str) -> str:
    found = re.search(r'"name"\s*:\s*"([^"\\]{1,214})"', text)
    return found[1] if found else ""


def _integrity(value: Any) -> Digest | None:
    """The SHA-512 of a Subresource Integrity text (W3C SRI, section 3.5)."""
    for part in str(value or "").split():
        algorithm, _, encoded = part.partition("-")
        if algorithm == "sha512":
            try:
                return Digest("sha512", base64.b64decode(encoded, validate=True).hex())
            except binascii.Error:
                return None
    return None


def _crates(rule: IndexRule, text: str) -> Iterator[tuple[str, Digest]]:
    """Read a crate's page: a JSON object a line, one for each version."""
    for line in text.splitlines():
        crate = json.loads(line)
        name, version, checksum = (str(crate.get(key, "")) for key in ("name", "vers", "cksum"))
        if re.fullmatch(r"[0-9a-f]{64}", checksum):
            for file in rule.files:
                yield file.format(name=name, version=version), Digest("sha256", checksum)


def _go(rule: IndexRule, text: str) -> Iterator[tuple[str, Digest]]:
    """
    Read an answer of the checksum database: a number, and lines as `go.sum` has them.

    The go command asks for a file with its `!` escaped or not, by its version.
    """
    for line in text.partition("\n\n")[0].splitlines()[1:]:
        name, version, hashed = line.split()
        version, slash, _ = version.partition("/go.mod")
        digest = base64.b64decode(hashed.removeprefix("h1:"), validate=True)
        if not hashed.startswith("h1:") or len(digest) != _SHA256_BYTES:
            continue
        suffix = ".mod" if slash else ".zip"
        known = Digest("go-h1-mod" if slash else "go-h1-zip", digest.hex())
        for file in rule.files:
            url = file.format(name=_escaped(name), version=_escaped(version))
            if file.endswith(suffix):
                yield url, known
                yield url.replace("!", "%21"), known


def _escaped(text: str) -> str:
    """As addresses have it (golang.org/x/mod/module, EscapePath)."""
    return re.sub("[A-Z]", lambda found: "!" + found[0].lower(), text)


_READERS: dict[str, Callable[[IndexRule, str], Iterator[tuple[str, Digest]]]] = {
    "npm": _npm,
    "crates": _crates,
    GO: _go,
}
