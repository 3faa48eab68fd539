"""
What the index of the store says of one page: a line of JSON that carries its own digest.

A record that a crash or a bad disk has touched has another digest, and does not count; so nothing
has to be forced to disk before it is renamed into place.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

NEVER_STORED = frozenset({"set-cookie", "set-cookie2"})
_DIGEST_CHARS = 64

Headers = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredPage:
    """An answer: its body after content codings were undone, its headers without cookies."""

    status: int
    headers: Headers
    """Names in lower case."""
    body: bytes

    def header(self, name: str) -> str:
        """The first value of *name*; empty without one."""
        return next((value for own, value in self.headers if own == name), "")

    def with_headers(self, renewed: Mapping[str, str]) -> StoredPage:
        """The same page with *renewed* in place of its headers of those names."""
        kept = [(name, value) for name, value in self.headers if name not in renewed]
        return replace(self, headers=(*kept, *renewed.items()))


@dataclass(frozen=True, slots=True, kw_only=True)
class NoStore:
    """The page must not be stored, as its server says; that it is so is known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """A page in the index; the body is a file of its own."""

    url: str
    accept: str
    sha256: str
    """Of the body; empty for a page that must not be stored."""
    size: int
    status: int
    headers: Headers

    def dump(self) -> bytes:
        """As a file has it: the digest, a space, JSON, a newline."""
        fields = {name: getattr(self, name) for name in self.__slots__}
        text = json.dumps(fields, ensure_ascii=True).encode()
        return hashlib.sha256(text).hexdigest().encode() + b" " + text + b"\n"


def load(data: bytes) -> Record | None:
    """Read what `Record.dump` wrote; None where it is not that, whole."""
    digest, text = data[:_DIGEST_CHARS], data[_DIGEST_CHARS + 1 : -1]
    if hashlib.sha256(text).hexdigest().encode() != digest or not data.endswith(b"\n"):
        return None
    try:
        fields: dict[str, Any] = json.loads(text)
        pairs = tuple((name, value) for name, value in fields.pop("headers"))
        return Record(headers=pairs, **fields)
    except (ValueError, TypeError, KeyError, AttributeError):
        return None


def storable(headers: Headers) -> Headers:
    """*headers* in lower case, without those that are somebody's own."""
    lower = ((name.lower(), value) for name, value in headers)
    return tuple((name, value) for name, value in lower if name not in NEVER_STORED)
