"""
Files that never change, kept by their content in a folder that several sidecars use at once.

Standard library only, shared with the harness. Nothing is ever locked: whatever is written gets
its name when it is complete and has been verified, by a rename. A file that has been removed, cut
or changed underneath is as good as not kept.

    v1/blobs/ab/SHA256     a file's bytes
    v1/entries/cd/KEY      JSON: which file an address has, and what is known of it
    v1/partial/RANDOM      being written

Beside them are the tables of `hash_tables`.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

from quickstarted_proxy.immutable import Address, Digest
from quickstarted_proxy.package_entries import FIRST_TRANSFER, Entry, key_of
from quickstarted_proxy.package_writing import Writing, digests_of

LAYOUT = "v1"
BLOBS, ENTRIES, PARTIAL = "blobs", "entries", "partial"
CHECKED_AGAIN_S = 24 * 3600.0
"""After which a file is compared with its digest again, though nothing has touched it."""
_STALE_PARTIAL_S = 3600.0
_FILLED_AGAIN = 0.9
"""Of the limit, to which the oldest are removed when it is crossed."""


class Unusable(Exception):
    """The folder cannot be written or read; the text says why."""


class Store:
    """A folder with files; *max_bytes* is what they may have in all."""

    def __init__(
        self, folder: Path, max_bytes: int, *, now: Callable[[], float] = time.time
    ) -> None:
        self._root = folder / LAYOUT
        self._now = now
        self._max_bytes = max_bytes
        self._used_bytes: int | None = None
        """As of the last look, and what was added since; others add too."""

    # Reading

    def find(self, address: Address) -> Entry | None:
        """What is known of an address; an entry that cannot be read is dropped."""
        path = self._entry_path(address.key)
        try:
            entry = Entry.from_json(path.read_bytes())
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as exc:
            self._forget(path)
            raise Unusable(f"an entry of the package cache cannot be read: {exc}") from exc
        if entry.url != address.url:
            self._forget(path)
            return None
        return entry

    def open(self, address: Address, entry: Entry) -> BinaryIO | None:
        """
        Open an entry's file; verify it, if it has changed since, or that was a day ago.

        What has become known of it only after it was kept, as *address* says, is compared too.

        Returns:
            None when another sidecar has just removed it.

        Raises:
            Unusable: It is not what the entry or the address says; the entry is dropped.

        """
        try:
            file = self._blob_path(entry.sha256).open("rb")
            try:
                self._verify(address, entry, file)
            except BaseException:
                file.close()
                raise
        except FileNotFoundError:
            self.drop(address, entry)
            return None
        except (OSError, ValueError) as exc:
            self.drop(address, entry)
            raise Unusable(f"{entry.url} is dropped from the package cache: {exc}") from exc
        return file

    def _verify(self, address: Address, entry: Entry, file: BinaryIO) -> None:
        path, state = self._entry_path(address.key), _state(os.fstat(file.fileno()))
        unchanged = state == entry.state and self._now() - entry.checked < CHECKED_AGAIN_S
        known = address.digest
        if known and known.algorithm == "sha256":
            _compare([entry.sha256], [known])
        unproved = [known] if known and entry.verified == FIRST_TRANSFER else []
        if unchanged and not unproved:
            with contextlib.suppress(OSError):
                os.utime(path)
            return
        sha256, *others = digests_of(file, *(each.algorithm for each in unproved))
        if sha256 != entry.sha256:
            raise ValueError("its content has changed")
        _compare(others, unproved)
        file.seek(0)
        with contextlib.suppress(OSError):
            verified = unproved[0].algorithm if unproved else entry.verified
            now = replace(entry, state=state, checked=self._now(), verified=verified)
            self._write(now, self._temporary(), path)

    def drop(self, address: Address, entry: Entry) -> None:
        """Remove an entry with its file."""
        self._forget(self._entry_path(address.key))
        self._forget(self._blob_path(entry.sha256))

    # Writing

    def begin(self, address: Address, size: int, headers: dict[str, str]) -> Writing:
        """
        Begin to keep a file.

        Raises:
            Unusable: The folder takes nothing.

        """
        try:
            return Writing(self._temporary(), address, size, headers)
        except OSError as exc:
            raise Unusable(f"the package cache cannot be written: {exc}") from exc

    def fits(self, size: int) -> bool:
        """Whether a file of that size is kept at all: a tenth of the limit at most."""
        return size * 10 <= self._max_bytes

    def keep(self, writing: Writing) -> Entry | None:
        """
        Give a complete file its name, after its digest was compared with what is known of it.

        Returns:
            None when the content is not what it should be: nothing is kept.

        Raises:
            Unusable: The folder takes nothing.

        """
        try:
            expected = writing.expected()
            with writing.path.open("rb") as file:
                sha256, *others = digests_of(file, *(each.algorithm for each in expected))
            _compare(others, expected)
            entry = Entry(
                url=writing.address.url,
                sha256=sha256,
                size=writing.size,
                headers=writing.headers,
                verified=expected[0].algorithm if expected else FIRST_TRANSFER,
                stored=round(self._now(), 3),
            )
            return self.add(entry, writing.path)
        except ValueError:
            writing.abort()
            return None
        except OSError as exc:
            writing.abort()
            raise Unusable(f"the package cache cannot be written: {exc}") from exc

    def add(self, entry: Entry, path: Path) -> Entry:
        """Give a file, whose digest is that of *entry*, and the entry their names."""
        blob, where = self._blob_path(entry.sha256), self._entry_path(key_of(entry.url))
        for folder in (blob.parent, where.parent):
            folder.mkdir(parents=True, exist_ok=True)
        path.rename(blob)
        checked = replace(entry, state=_state(blob.stat()), checked=round(self._now(), 3))
        self._write(checked, path.with_suffix(".entry"), where)
        self._make_room(entry.size)
        return checked

    @staticmethod
    def _write(entry: Entry, temporary: Path, path: Path) -> None:
        temporary.write_bytes(entry.to_json())
        temporary.rename(path)

    def _temporary(self) -> Path:
        folder = self._root / PARTIAL
        folder.mkdir(parents=True, exist_ok=True)
        return folder / secrets.token_hex(16)

    # Room

    def _make_room(self, added: int) -> None:
        if self._used_bytes is None or self._used_bytes + added > self._max_bytes:
            self._used_bytes = self._evict()
        else:
            self._used_bytes += added

    def _evict(self) -> int:
        """Remove what was not used for longest, if there is too much; the bytes that remain."""
        now = self._now()
        for path, stat in _files(self._root / PARTIAL):
            if stat.st_mtime < now - _STALE_PARTIAL_S:
                self._forget(path)
        blobs = {path.name: stat for path, stat in _files(self._root / BLOBS)}
        if sum(stat.st_size for stat in blobs.values()) > self._max_bytes:
            self._remove(self._too_much(blobs, now), blobs)
        return sum(stat.st_size for stat in blobs.values())

    def _too_much(self, blobs: dict[str, os.stat_result], now: float) -> Iterator[str]:
        """Digests of what is to go: first what no entry names, then the oldest."""
        named = []
        for path, stat in _files(self._root / ENTRIES):
            try:
                named.append((stat.st_mtime, Entry.from_json(path.read_bytes()).sha256, path))
            except (OSError, ValueError):
                self._forget(path)
        used = {digest for _, digest, _ in named}
        # What has just come gets its entry in a moment.
        yield from [
            digest
            for digest, stat in blobs.items()
            if digest not in used and stat.st_mtime < now - _STALE_PARTIAL_S
        ]
        for _, digest, path in sorted(named):
            self._forget(path)
            yield digest

    def _remove(self, digests: Iterator[str], blobs: dict[str, os.stat_result]) -> None:
        left = sum(stat.st_size for stat in blobs.values())
        while left > self._max_bytes * _FILLED_AGAIN and (digest := next(digests, None)):
            if (gone := blobs.pop(digest, None)) is not None:
                self._forget(self._blob_path(digest))
                left -= gone.st_size

    def _entry_path(self, key: str) -> Path:
        return self._root / ENTRIES / key[:2] / key

    def _blob_path(self, digest: str) -> Path:
        return self._root / BLOBS / digest[:2] / digest

    @staticmethod
    def _forget(path: Path) -> None:
        with contextlib.suppress(OSError):
            path.unlink()


def _compare(found: list[str], expected: list[Digest]) -> None:
    """
    Compare digests with those that a file must have.

    Raises:
        ValueError: They are others.

    """
    if found != [each.value for each in expected]:
        raise ValueError("its content is not what was announced")


def _state(stat: os.stat_result) -> str:
    return f"{stat.st_ino} {stat.st_size} {stat.st_mtime_ns} {stat.st_ctime_ns}"


def _files(folder: Path) -> Iterator[tuple[Path, os.stat_result]]:
    """All files below a folder; what vanishes meanwhile is left out."""
    for path in folder.glob("**/*") if folder.is_dir() else ():
        with contextlib.suppress(OSError):
            stat = path.stat()
            if path.is_file():
                yield path, stat
