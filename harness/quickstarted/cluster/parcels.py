"""
The folders that attempts need on a node: workspace, local sites, arms.

Each is packed once a call and known by its digest (`contents.content_hash`), however many attempts
need it; a node unpacks it once, and only uses what has that digest.
"""

from __future__ import annotations

import io
import shutil
import threading
from collections.abc import Callable
from pathlib import Path

from quickstarted.cluster.archives import ArchiveRefused, pack, unpack
from quickstarted.contents import content_hash
from quickstarted.errors import NodeFault, SourceFault

MAX_PARCEL_BYTES = 1 << 30
"""Of the files of one folder: they are held in memory while they are sent."""
LARGE_BYTES = 64 << 20
"""Compressed; from here on it is said that sending takes a while."""


def packed(folder: Path, note: Callable[[str], None]) -> bytes:
    """
    *folder* as it is sent.

    Raises:
        SourceFault: It is too large, or cannot be read.

    """
    archive = io.BytesIO()
    try:
        pack(folder, archive, max_bytes=MAX_PARCEL_BYTES)
    except ArchiveRefused as exc:
        raise SourceFault(
            f"{exc}, which is the most that is sent to the nodes of a cluster",
            hint="Leave out what the attempts do not need, or run the task without --executor.",
        ) from exc
    except OSError as exc:
        raise SourceFault(f"{folder} cannot be read: {exc.strerror}") from exc
    size = archive.tell()
    if size > LARGE_BYTES:
        note(f"note: {folder} is sent to every node: {size / (1 << 20):.0f} MiB")
    return archive.getvalue()


class Stock:
    """
    What a node has of folders; safe to use from several threads.

    Args:
        folder: For all of them; the node's own.

    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.Lock()

    def folder(self, digest: str) -> Path:
        """Where the folder with *digest* is, or will be."""
        return self._folder / digest.replace(":", "-")

    def put(self, digest: str, archive: bytes) -> None:
        """
        Unpack a folder, unless it is here.

        Raises:
            SourceFault: It does not have that digest: it was changed while it was packed.
            NodeFault: It cannot be unpacked.

        """
        place = self.folder(digest)
        with self._lock:
            if place.exists():
                return
            made = place.with_name(f"{place.name}.part")
            shutil.rmtree(made, ignore_errors=True)
            try:
                made.mkdir(parents=True)
                unpack(io.BytesIO(archive), made, links=True, max_bytes=MAX_PARCEL_BYTES)
                found = content_hash(made)
            except (ArchiveRefused, OSError) as exc:
                raise NodeFault(f"a folder that was sent cannot be unpacked: {exc}") from exc
            if found != digest:
                raise SourceFault(
                    "a workspace, a local site or an arm has changed since the call began",
                    hint="Leave it as it is until the call's first attempts have begun.",
                )
            made.rename(place)
