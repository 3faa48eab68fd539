"""
What a task takes from beside its file: the workspace and local sites, known by their digests.

All attempts of a call are to get the same. Where one has not, that attempt is no evidence.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Mapping
from pathlib import Path

from quickstarted.contents import content_hash
from quickstarted.errors import SourceFault, UsageError
from quickstarted.task import Task
from quickstarted.task.loading import read_utf8

_LEAVE = "Leave it as it is while the call's attempts are made; run the call again."


class TaskContents:
    """
    The folders and files of one task, as they were when the call began; shared by its attempts.

    Args:
        task: With the sites that the call gives it.

    Raises:
        UsageError: A folder cannot be read.

    """

    def __init__(self, task: Task) -> None:
        self._task = task
        self._site_folders = {
            prefix: site.folder
            for prefix, site in task.docs.sites.items()
            if site.folder is not None
        }
        self.workspace_hash = _hash_now(task.workspace, "the workspace")
        """`sha256:` and a digest; None where the task has no workspace."""
        self.site_hashes: Mapping[str, str] = {
            prefix: _hash_now(folder, f"the site for {prefix}") or ""
            for prefix, folder in self._site_folders.items()
        }
        """URL prefix to the digest of the folder that stands in for it."""
        self._told: set[Path] = set()
        self._telling = threading.Lock()

    def check(self, note: Callable[[str], None]) -> None:
        """
        See that an attempt gets what the call began with; best asked once it has the workspace.

        Args:
            note: Told of files that have changed since they were read, once of each: all attempts
                use the text that was read.

        Raises:
            SourceFault: Workspace or site is another, or cannot be read any more.

        """
        for line in self.changed_files():
            note(line)
        if self._task.workspace is not None and self.workspace_hash is not None:
            _check(self._task.workspace, self.workspace_hash, "the workspace")
        self.check_sites()

    def check_sites(self) -> None:
        """
        See that local sites are what they were; best asked once they have been read.

        Raises:
            SourceFault: One is not, or cannot be read any more.

        """
        for prefix, folder in self._site_folders.items():
            _check(folder, self.site_hashes[prefix], f"the site for {prefix}")

    def changed_files(self) -> list[str]:
        """What to tell of files that have changed since they were read, each once."""
        source, check = self._task.source, self._task.success.file
        lines = []
        if source.sha256 and self._is_news(
            source.path, not _has_digest(source.path, source.sha256)
        ):
            lines.append(f"{source.path} has changed; the call goes on with the text it has read")
        if check is not None and self._is_news(check.path, not _has_text(check.path, check.script)):
            lines.append(f"{check.path} has changed; the call goes on with the check it has read")
        return lines

    def _is_news(self, path: Path, has_changed: bool) -> bool:
        with self._telling:
            if not has_changed or path in self._told:
                return False
            self._told.add(path)
        return True


def _hash_now(folder: Path | None, what: str) -> str | None:
    try:
        return None if folder is None else content_hash(folder)
    except OSError as exc:
        raise UsageError(f"{what} cannot be read: {exc.filename}: {exc.strerror}") from exc


def _check(folder: Path, digest: str, what: str) -> None:
    try:
        is_same = content_hash(folder) == digest
    except OSError as exc:
        raise SourceFault(
            f"{what}, {folder}, cannot be read any more: {exc.strerror}", hint=_LEAVE
        ) from exc
    if not is_same:
        raise SourceFault(f"{what}, {folder}, has changed since the call began", hint=_LEAVE)


def _has_digest(path: Path, sha256: str) -> bool:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest() == sha256
    except OSError:
        return False


def _has_text(path: Path, text: str) -> bool:
    try:
        return read_utf8(path) == text
    except ValueError:
        return False
