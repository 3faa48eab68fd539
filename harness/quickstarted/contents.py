"""
What folders hold, as one digest: two with the same digest put the same before an agent.

A folder that has not changed since it was last looked at is not read again: a call asks before and
after each of thousands of attempts, and a built site may hold thousands of files.
"""

from __future__ import annotations

import hashlib
import os
import stat
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

CALL_MARK = "call.json"
"""A folder with this file in it is one that results are written to, and no part of a site."""
PIECE_BYTES = 1 << 20
SETTLED_S = 2.0
"""File systems tell times apart by up to so much: what is younger may change and look the same."""


class _Entry(NamedTuple):
    """One file, link or folder below the folder that is looked at."""

    parts: tuple[str, ...]
    info: os.stat_result

    @property
    def signature(self) -> tuple[object, ...]:
        info = self.info
        times = (info.st_mtime_ns, info.st_ctime_ns)
        if stat.S_ISDIR(info.st_mode):
            # What is in it has entries of its own.
            return (self.parts, info.st_mode)
        return (self.parts, info.st_mode, info.st_size, info.st_ino, *times)


class _Known(NamedTuple):
    signature: str
    digest: str


class FolderDigests:
    """
    Digests of folders, and what they looked like when they were read; safe for several threads.

    Args:
        settled_s: How old the last change must be for a look to tell the next one.

    """

    def __init__(self, settled_s: float = SETTLED_S) -> None:
        self._settled_s = settled_s
        self._known: dict[Path, _Known] = {}
        self._lock = threading.Lock()
        self.reads = 0
        """How often a folder was read, and not only looked at."""

    def of(self, folder: Path) -> str:
        """The digest of *folder*; see `content_hash`."""
        folder = folder.absolute()
        began = time.time()
        entries = sorted(_below(folder, ()), key=lambda entry: entry.parts)
        signature, newest = _signature(entries)
        with self._lock:
            known = self._known.get(folder)
        if known is not None and known.signature == signature:
            return known.digest
        digest = _digest(folder, entries)
        with self._lock:
            self.reads += 1
            self._known.pop(folder, None)
            if newest < began - self._settled_s:
                self._known[folder] = _Known(signature, digest)
        return digest


_shared = FolderDigests()


def content_hash(folder: Path) -> str:
    """
    `sha256:` and the digest of all that is below *folder*.

    Of names, of what each is, of the right to execute it, and of contents; a link is its target.
    Folders that results are written to are left out. Safe to call from several threads.

    Raises:
        OSError: Something cannot be read.

    """
    return _shared.of(folder)


def walk(folder: Path) -> Iterator[tuple[tuple[str, ...], os.stat_result]]:
    """
    All that `content_hash` is of: the parts of each name below *folder*, and what it is; sorted.

    Raises:
        OSError: Something cannot be read.

    """
    for entry in sorted(_below(folder, ()), key=lambda entry: entry.parts):
        yield entry.parts, entry.info


def is_empty(folder: Path) -> bool:
    """
    Whether there is nothing in *folder* that could be copied.

    Raises:
        OSError: It cannot be read.

    """
    return next(_below(folder, ()), None) is None


def _signature(entries: list[_Entry]) -> tuple[str, float]:
    """What changes when a file does, and the time of the last change, in epoch seconds."""
    digest = hashlib.sha256()
    newest = 0.0
    for entry in entries:
        digest.update(repr(entry.signature).encode("utf-8", "surrogateescape"))
        newest = max(newest, entry.info.st_ctime, entry.info.st_mtime)
    return digest.hexdigest(), newest


def _digest(folder: Path, entries: list[_Entry]) -> str:
    digest = hashlib.sha256()
    for parts, info in entries:
        path = folder.joinpath(*parts)
        kind = _kind(info.st_mode)
        _add(digest, os.fsencode("/".join(parts)))
        _add(digest, kind.encode())
        if kind == "link":
            _add(digest, os.fsencode(path.readlink()))
        elif kind == "folder":
            _add(digest, b"")
        else:
            _add_file(digest, path)
    return f"sha256:{digest.hexdigest()}"


def _kind(mode: int) -> str:
    if stat.S_ISLNK(mode):
        return "link"
    if stat.S_ISREG(mode):
        return "program" if mode & stat.S_IXUSR else "file"
    return "folder"


def _add(digest: hashlib._Hash, content: bytes) -> None:
    digest.update(len(content).to_bytes(8, "big") + content)


def _add_file(digest: hashlib._Hash, path: Path) -> None:
    """Piece by piece, and as long as it was when it was opened: it may be large, and may grow."""
    with path.open("rb") as stream:
        left = os.fstat(stream.fileno()).st_size
        digest.update(left.to_bytes(8, "big"))
        while left and (piece := stream.read(min(left, PIECE_BYTES))):
            digest.update(piece)
            left -= len(piece)


def _below(folder: Path | str, parts: tuple[str, ...]) -> Iterator[_Entry]:
    """Files, links and folders; links are not followed, and devices are nothing that is copied."""
    with os.scandir(folder) as listing:
        found = list(listing)
    for entry in found:
        info = entry.stat(follow_symlinks=False)
        own = _Entry((*parts, entry.name), info)
        if stat.S_ISREG(info.st_mode) or stat.S_ISLNK(info.st_mode):
            yield own
        elif stat.S_ISDIR(info.st_mode) and not Path(entry.path, CALL_MARK).exists():
            yield own
            yield from _below(entry.path, own.parts)
