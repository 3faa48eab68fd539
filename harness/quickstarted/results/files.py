"""Files that are whole or not there: a reader, or a power cut, never meets half of one."""

from __future__ import annotations

import contextlib
import errno
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from quickstarted.errors import StorageFault

_FULL = "Free some disk space, or give a folder on another disk with --out."
_HINTS = {
    errno.ENOSPC: _FULL,
    errno.EDQUOT: _FULL,
    errno.EEXIST: "Another run writes to the same folder; give each its own --out.",
    errno.EIO: "The disk fails; give a folder on another disk with --out.",
    errno.ENAMETOOLONG: "Give a shorter folder with --out.",
}


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """
    Write a file beside *path* and put it in its place once it is on disk.

    On any error the file that was there stays as it was, and nothing is left beside it.

    Raises:
        StorageFault: The disk is full or the folder cannot be written.

    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}-{threading.get_ident()}.tmp")
    try:
        try:
            with temporary.open("wb") as stream:
                yield stream
                stream.flush()
                os.fsync(stream.fileno())
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)
        sync_folder(path.parent)
    except OSError as exc:
        raise storage_fault(path, exc) from exc


def write_text(path: Path, text: str) -> None:
    """
    Write *text* as UTF-8, whole or not at all.

    Raises:
        StorageFault: The disk is full or the folder cannot be written.

    """
    with replacing(path) as stream:
        stream.write(text.encode("utf-8", "backslashreplace"))


def sync_folder(folder: Path) -> None:
    """Make a rename in *folder* outlast a power cut, where the file system can."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        # Some network file systems refuse fsync on a folder; the rename itself has happened.
        with contextlib.suppress(OSError):
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


def make_folder(path: Path) -> None:
    """
    Make *path* and what is above it, as far as it is not there; each outlasts a power cut.

    Raises:
        StorageFault: It cannot be made.

    """
    made = [one for one in (path, *path.parents) if not one.exists()]
    try:
        path.mkdir(parents=True, exist_ok=True)
        for one in reversed(made):
            sync_folder(one.parent)
    except OSError as exc:
        raise storage_fault(path, exc) from exc


def sync_files(folder: Path) -> None:
    """
    Make all files below *folder* outlast a power cut; nothing is done where there is none.

    Raises:
        StorageFault: The disk fails.

    """
    for parent, _, names in os.walk(folder):
        for path in (Path(parent, name) for name in names):
            try:
                _sync(path)
            except OSError as exc:
                raise storage_fault(path, exc) from exc
        sync_folder(Path(parent))


def _sync(path: Path) -> None:
    if path.is_symlink() or not path.is_file():
        return
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def storage_fault(path: Path, error: OSError) -> StorageFault:
    """The fault that says which file could not be written, why, and what to do."""
    reason = error.strerror or str(error)
    return StorageFault(
        f"cannot write {path}: {reason}",
        hint=_HINTS.get(error.errno or 0, "Give another folder with --out."),
    )
