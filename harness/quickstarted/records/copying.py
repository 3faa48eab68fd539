"""
Copying attempts from one results folder into another: each whole or not at all.

Files are hard links where the file systems allow it, as nothing ever changes a file of an attempt
in place. A folder gets its name only when everything is in it.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path
from typing import Self

from quickstarted.results.files import storage_fault

STAGING_NAME = ".merging"
"""Below the target; what a merge that was killed has left there is half, and goes."""
_NO_LINK = {errno.EXDEV, errno.EPERM, errno.EMLINK, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EACCES}
"""Why there may be no hard link where a copy is possible."""


class Staging:
    """
    Where copies are made until they are whole; a context manager that leaves nothing.

    Args:
        out: The results folder that they are for.

    """

    def __init__(self, out: Path) -> None:
        self._out = out
        self._folder = out / STAGING_NAME
        self._number = 0

    def __enter__(self) -> Self:
        try:
            self._remove()
            self._folder.mkdir()
        except OSError as exc:
            raise storage_fault(self._folder, exc) from exc
        return self

    def __exit__(self, *exc_info: object) -> None:
        # What went wrong before is the one to hear of, and the next merge tries again.
        with suppress(OSError):
            self._remove()

    def copy(
        self,
        source: Path,
        place: str,
        *,
        without: Collection[str] = (),
        instead: dict[str, bytes] | None = None,
    ) -> None:
        """
        Copy the folder *source* to *place* below the target.

        Args:
            source: The folder of an attempt.
            place: Relative to the target, and not there yet.
            without: Names at the top of *source* that are left out.
            instead: Names at the top and what is to be in them, whatever *source* has.

        Raises:
            StorageFault: It could not be copied; nothing is at *place*.

        """
        self._number += 1
        half, target = self._folder / str(self._number), self._out / place
        own = instead or {}
        try:
            _copy_folder(f"{source}", f"{half}", {*without, *own})
            for name, content in own.items():
                (half / name).write_bytes(content)
            target.parent.mkdir(parents=True, exist_ok=True)
            half.rename(target)
        except OSError as exc:
            raise storage_fault(target, exc) from exc

    def _remove(self) -> None:
        if self._folder.is_dir():
            shutil.rmtree(self._folder)


def _copy_folder(source: str, target: str, without: Collection[str]) -> None:
    os.mkdir(target)  # noqa: PTH102 - ten thousand attempts have many files, and strings suffice
    with os.scandir(source) as entries:
        for entry in entries:
            if entry.name in without:
                continue
            copy = f"{target}/{entry.name}"
            mode = entry.stat(follow_symlinks=False).st_mode
            if stat.S_ISDIR(mode):
                _copy_folder(entry.path, copy, ())
            elif stat.S_ISLNK(mode):
                os.symlink(os.readlink(entry.path), copy)  # noqa: PTH115, PTH211 - see above
            elif stat.S_ISREG(mode):
                _link_or_copy(entry.path, copy)


def _link_or_copy(source: str, target: str) -> None:
    try:
        os.link(source, target, follow_symlinks=False)
    except OSError as exc:
        if exc.errno not in _NO_LINK:
            raise
        with open(source, "rb") as old, open(target, "xb") as new:  # noqa: PTH123 - see above
            shutil.copyfileobj(old, new)
            new.flush()
            os.fsync(new.fileno())
        shutil.copystat(source, target)
