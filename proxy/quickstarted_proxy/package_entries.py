"""
What is written down of a file that is kept.

Standard library only, shared with the harness.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field
from typing import Any

from quickstarted_proxy.package_writing import is_digest

FIRST_TRANSFER = "first transfer"
"""Of an entry whose content nothing but its first transfer vouches for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """What an address has."""

    url: str
    sha256: str
    size: int
    headers: dict[str, str] = field(default_factory=dict)
    verified: str = FIRST_TRANSFER
    """By which digest the content was verified when it came."""
    stored: float = 0.0
    checked: float = 0.0
    """When the content was last compared with its digest."""
    state: str = ""
    """Of the file on the disk at that time: whatever changes it, changes this."""

    def to_json(self) -> bytes:
        """The form in which it is kept."""
        return json.dumps(asdict(self), sort_keys=True).encode("ascii")

    @classmethod
    def from_json(cls, data: bytes) -> Entry:
        """
        Read what `to_json` wrote.

        Raises:
            ValueError: It is none.

        """
        try:
            value: dict[str, Any] = json.loads(data)
            entry = cls(
                url=str(value["url"]),
                sha256=str(value["sha256"]),
                size=int(value["size"]),
                headers={str(key): str(text) for key, text in value["headers"].items()},
                verified=str(value["verified"]),
                stored=float(value["stored"]),
                checked=float(value["checked"]),
                state=str(value["state"]),
            )
        except (KeyError, TypeError, AttributeError) as exc:
            raise ValueError(f"not an entry: {exc!r}") from exc
        if not is_digest(entry.sha256) or entry.size <= 0:
            raise ValueError("not an entry: no digest or size")
        return entry


def key_of(url: str) -> str:
    """The name of an address's entry."""
    return hashlib.sha256(url.encode("ascii", "backslashreplace")).hexdigest()
