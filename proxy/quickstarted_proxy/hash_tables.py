"""
The digests that a list names, kept on the disk for all sidecars: a table for each list.

Standard library only. A list has tens of thousands of files, far more than is worth memory, and an
attempt whose image came with its lists never fetches one. So what was learned once is kept beside
the files, and looked up by halving.

    v1/lists/SITE/LIST     sorted records: what stands for a path, its SHA-256, a check of both

As everywhere in that folder nothing is locked: a table gets its name when it is whole. Of tables
that differ, the one that was seen last is right.
"""

from __future__ import annotations

import bisect
import contextlib
import hashlib
import os
import zlib
from collections.abc import Iterable
from pathlib import Path

LISTS = "lists"
_KEY_BYTES = 16
_DIGEST_BYTES = 32
_RECORD_BYTES = _KEY_BYTES + _DIGEST_BYTES + 4
_PER_SITE = 64
"""Tables of one site that are looked into."""


class HashTables:
    """A folder with tables; *max_bytes* is what they may have in all."""

    def __init__(self, folder: Path, max_bytes: int) -> None:
        self._root = folder / LISTS
        self._max_bytes = max_bytes

    def has(self, site: str, name: str) -> bool:
        """Whether a list's table is there; it counts as seen now."""
        try:
            os.utime(self._path(site, name))
        except OSError:
            return False
        return True

    def add(
        self, site: str, name: str, files: Iterable[tuple[bytes, bytes]], temporary: Path
    ) -> None:
        """
        Keep a table.

        Args:
            site: Scheme and host.
            name: Of the list, for ever that of this content.
            files: Decoded path and SHA-256 of each.
            temporary: Where it may be written until it is whole.

        Raises:
            OSError: It cannot be written.

        """
        table = _sorted(_record(path, digest) for path, digest in files)
        if not table or len(table) > self._max_bytes:
            return
        where = self._path(site, name)
        try:
            where.parent.mkdir(parents=True, exist_ok=True)
            temporary.write_bytes(table)
            temporary.rename(where)
        finally:
            with contextlib.suppress(OSError):
                temporary.unlink()
        self._make_room()

    def sha256_of(self, site: str, path: bytes) -> str | None:
        """What the latest table that names a file says of it, in hex."""
        key = _key(path)
        for table in self._newest(self._path(site, "").parent)[:_PER_SITE]:
            try:
                digest = _look_up(table, key)
            except (OSError, ValueError):
                with contextlib.suppress(OSError):
                    table.unlink()
                continue
            if digest is not None:
                return digest.hex()
        return None

    def _make_room(self) -> None:
        """Remove what was not seen for longest, if there is too much."""
        left = self._max_bytes
        for table in self._newest(self._root, "*/*"):
            with contextlib.suppress(OSError):
                left -= table.stat().st_size
                if left < 0:
                    table.unlink()

    @staticmethod
    def _newest(folder: Path, pattern: str = "*") -> list[Path]:
        found = []
        for path in folder.glob(pattern) if folder.is_dir() else ():
            with contextlib.suppress(OSError):
                found.append((path.stat().st_mtime_ns, path))
        return [path for _, path in sorted(found, reverse=True)]

    def _path(self, site: str, name: str) -> Path:
        folder, file = (hashlib.sha256(text.encode()).hexdigest() for text in (site, name))
        return self._root / folder / file


def _key(path: bytes) -> bytes:
    return hashlib.sha256(path).digest()[:_KEY_BYTES]


def _record(path: bytes, digest: bytes) -> bytes:
    data = _key(path) + digest
    return data + zlib.crc32(data).to_bytes(4, "big")


def _sorted(records: Iterable[bytes]) -> bytes:
    """Sort by first bytes and then among those: other threads would wait for one long sort."""
    shelves: list[list[bytes]] = [[] for _ in range(256)]
    for record in records:
        shelves[record[0]].append(record)
    return b"".join(record for shelf in shelves for record in sorted(shelf))


def _look_up(table: Path, key: bytes) -> bytes | None:
    """
    Find a file's digest in a table.

    Read, not mapped: a table that is cut meanwhile must not end the process.

    Raises:
        ValueError: The table is damaged.

    """
    with table.open("rb", buffering=0) as file:
        descriptor = file.fileno()
        count, rest = divmod(os.fstat(descriptor).st_size, _RECORD_BYTES)
        if rest:
            raise ValueError("it is no table")
        place = bisect.bisect_left(
            range(count),
            key,
            key=lambda index: os.pread(descriptor, _KEY_BYTES, index * _RECORD_BYTES),
        )
        record = os.pread(descriptor, _RECORD_BYTES, place * _RECORD_BYTES)
    if not record.startswith(key):
        return None
    data, check = record[:-4], record[-4:]
    if zlib.crc32(data).to_bytes(4, "big") != check:
        raise ValueError("it is damaged")
    return data[_KEY_BYTES:]
