"""
A file on its way into the package cache: written as it comes, and verified when it is complete.

Standard library only.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

from quickstarted_proxy.immutable import Address, Digest

_CHECKSUM_HEADER = "x-checksum-sha256"
_HEX_DIGITS = 64
_READ_BYTES = 1024 * 1024


class Writing:
    """A file that is being written; nobody sees it before `Store.keep`."""

    def __init__(self, path: Path, address: Address, size: int, headers: dict[str, str]) -> None:
        self.path = path
        self.address = address
        self.size = size
        self.headers = headers
        self._file: BinaryIO | None = path.open("xb", buffering=0)
        self._left = size

    def write(self, data: bytes | memoryview) -> None:
        """
        Add a piece.

        Raises:
            OSError: It cannot be written, or is more than was announced.

        """
        if self._file is None:
            return
        rest = memoryview(data)
        if len(rest) > self._left:
            raise OSError("more has come than was announced")
        self._left -= len(rest)
        while rest:
            rest = rest[self._file.write(rest) :]

    def end(self) -> bool:
        """No more comes; whether the file is complete."""
        complete = self._file is not None and self._left == 0
        if not complete:
            self.abort()
        elif self._file is not None:
            self._file.close()
            self._file = None
        return complete

    def abort(self) -> None:
        """Leave nothing behind."""
        if self._file is not None:
            self._file.close()
            self._file = None
        with contextlib.suppress(OSError):
            self.path.unlink()

    def expected(self) -> list[Digest]:
        """The digests that the content must have, by its address and the answer's headers."""
        announced = self.headers.get(_CHECKSUM_HEADER, "").lower()
        by_header = [Digest("sha256", announced)] if is_digest(announced) else []
        return [*([self.address.digest] if self.address.digest else []), *by_header]


def digest_of(file: BinaryIO) -> str:
    """The SHA-256 of all of an open file, in hex."""
    return digests_of(file)[0]


def digests_of(file: BinaryIO, *algorithms: str) -> list[str]:
    """SHA-256 and then whatever *algorithms* names, of all of an open file, in hex."""
    hashes = [hashlib.sha256(), *(_ALGORITHMS[name]() for name in algorithms)]
    buffer = bytearray(_READ_BYTES)
    view = memoryview(buffer)
    while size := file.readinto(buffer):  # type: ignore[attr-defined] # BinaryIO lacks it
        for each in hashes:
            each.update(view[:size])
    return [each.hexdigest() for each in hashes]


_ALGORITHMS: dict[str, Callable[[], Any]] = {
    "blake2b-256": lambda: hashlib.blake2b(digest_size=32),
    "sha256": hashlib.sha256,
    "sha512": hashlib.sha512,
}


def is_digest(text: str) -> bool:
    """Whether *text* is a SHA-256 in lower-case hex."""
    return len(text) == _HEX_DIGITS and not set(text) - set("0123456789abcdef")
