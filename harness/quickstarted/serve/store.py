"""
What is stored: a folder for each trajectory, named by its trace_id, whole or not there.

    OUT/
      .lock            held by the server that uses the folder
      .incoming/       what is on its way; emptied at start
      NAME-HASH/       one trajectory, renamed to here when it is complete
        trajectory.json
        upload.json    what the list shows of it
        artifacts/     files that its events name

Renaming a folder never replaces one that has files in it, so nothing is ever overwritten, and after
a power cut each trajectory is there as a whole or not at all. The trace_id is what identifies a
trajectory in its format; a name is made from it, and only from characters that are safe.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import heapq
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

from pydantic import ValidationError

from quickstarted.errors import UsageError
from quickstarted.formats.trajectory.importing.sinks import slug_of
from quickstarted.results.files import make_folder, storage_fault, sync_folder
from quickstarted.serve.replies import Summary

ID = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,39}-[0-9a-f]{32}", re.ASCII)
ARTIFACT = re.compile(r"[0-9a-f]{64}(\.[a-z0-9]{1,10})?", re.ASCII)
TRAJECTORY = "trajectory.json"
UPLOAD = "upload.json"
ARTIFACTS = "artifacts"

_SLUG_CHARS = 40
_TAKEN = frozenset({errno.EEXIST, errno.ENOTEMPTY})


def id_of(trace_id: str) -> str:
    """The id of the trajectory *trace_id*: readable at its beginning, unique at its end."""
    digest = hashlib.sha256(trace_id.encode("utf-8")).hexdigest()[:32]
    return f"{slug_of(trace_id)[:_SLUG_CHARS]}-{digest}"


class Store:
    """Trajectories below *folder*; any number of threads may use it at once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.incoming = folder / ".incoming"

    @classmethod
    @contextlib.contextmanager
    def opened(cls, folder: Path) -> Iterator[Store]:
        """
        Hold *folder* for this server alone, and clear away what a killed one has left.

        Raises:
            UsageError: Another server uses it.
            StorageFault: It cannot be written.

        """
        make_folder(folder)
        path = folder / ".lock"
        try:
            stream = path.open("ab")
        except OSError as exc:
            raise storage_fault(path, exc) from exc
        with stream:
            try:
                fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as exc:
                raise UsageError(
                    f"another server stores in {folder}",
                    hint="End it first, or give this one its own folder with --out.",
                ) from exc
            store = cls(folder)
            shutil.rmtree(store.incoming, ignore_errors=True)
            make_folder(store.incoming)
            yield store

    def summary(self, name: str) -> Summary | None:
        """What is known of the trajectory *name*; None where there is none."""
        if not ID.fullmatch(name):
            return None
        try:
            text = (self._folder / name / UPLOAD).read_bytes()
            return Summary.model_validate_json(text)
        except (OSError, ValidationError):
            return None

    def page(self, after: str, limit: int) -> tuple[list[Summary], str | None]:
        """*limit* summaries by id from beyond *after*, and the last id where there are more."""
        with os.scandir(self._folder) as entries:
            names = (one.name for one in entries if one.name > after and ID.fullmatch(one.name))
            chosen = heapq.nsmallest(limit + 1, names)
        shown = [one for one in map(self.summary, chosen[:limit]) if one is not None]
        return shown, chosen[limit - 1] if len(chosen) > limit else None

    def trajectory(self, name: str) -> Path | None:
        """The document of the trajectory *name*."""
        return self._file(name, TRAJECTORY)

    def artifact(self, name: str, artifact: str) -> Path | None:
        """A file that events of the trajectory *name* refer to."""
        return self._file(name, f"{ARTIFACTS}/{artifact}") if ARTIFACT.fullmatch(artifact) else None

    def adopt(self, staged: Path, name: str) -> bool:
        """
        Make the folder *staged*, whose files are on disk, the trajectory *name*.

        Returns False where there is one already; *staged* stays where it is then.

        Raises:
            StorageFault: The disk does not take it.

        """
        try:
            staged.rename(self._folder / name)
        except OSError as exc:
            if exc.errno in _TAKEN:
                return False
            raise storage_fault(self._folder / name, exc) from exc
        return True

    def sync(self) -> None:
        """Make all that was adopted outlast a power cut."""
        sync_folder(self._folder)

    def _file(self, name: str, inside: str) -> Path | None:
        if not ID.fullmatch(name):
            return None
        path = self._folder / name / inside
        return path if path.is_file() else None
