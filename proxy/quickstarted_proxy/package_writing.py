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

from quickstarted_proxy import go_hashes
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


def digests_of(file: BinaryIO, *algorithms: str) -> list[str]:
    """
    SHA-256 and then whatever *algorithms* names, of all of an open file, in hex.

    Raises:
        ValueError: One of them cannot be had: it is of the files in an archive, and this is none.

    """
    found = _plain_digests(file, {"sha256", *algorithms} & set(_PLAIN))
    sha256 = found["sha256"]
    return [sha256, *(found.get(name) or _OF_GO[name](file, sha256) for name in algorithms)]


def _plain_digests(file: BinaryIO, names: set[str]) -> dict[str, str]:
    hashes = {name: _PLAIN[name]() for name in names}
    buffer = bytearray(_READ_BYTES)
    view = memoryview(buffer)
    while size := file.readinto(buffer):  # type: ignore[attr-defined] # BinaryIO lacks it
        for each in hashes.values():
            each.update(view[:size])
    return {name: each.hexdigest() for name, each in hashes.items()}


_PLAIN: dict[str, Callable[[], Any]] = {
    "blake2b-256": lambda: hashlib.blake2b(digest_size=32),
    "sha256": hashlib.sha256,
    "sha512": hashlib.sha512,
}
_OF_GO: dict[str, Callable[[BinaryIO, str], str]] = {
    "go-h1-zip": lambda file, _: go_hashes.hash_of_zip(file),
    "go-h1-mod": lambda _, sha256: go_hashes.hash_of_mod(sha256),
}


def is_digest(text: str) -> bool:
    """Whether *text* is a SHA-256 in lower-case hex."""
    return len(text) == _HEX_DIGITS and not set(text) - set("0123456789abcdef")
