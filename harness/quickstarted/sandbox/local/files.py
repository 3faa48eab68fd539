"""Files into and out of an attempt's folder."""

from __future__ import annotations

import os
import secrets
import stat
from pathlib import Path

from quickstarted.errors import SandboxFault, StorageFault
from quickstarted.sandbox.local.folders import AttemptFolder, copy_tree


def put_file(folder: AttemptFolder, path: str, content: bytes, mode: int) -> None:
    """
    Write a file below the workspace or the state folder, and nowhere else, whatever links say.

    Raises:
        SandboxFault: *path* is elsewhere, or cannot be written.

    """
    target = _inside(folder, path)
    rough = target.parent / f".{secrets.token_hex(8)}"
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        rough.write_bytes(content)
        rough.chmod(mode)
        # Replaces a link instead of following it.
        rough.replace(target)
    except OSError as exc:
        rough.unlink(missing_ok=True)
        raise SandboxFault(f"writing {path}: {exc}") from exc


def put_tree(folder: AttemptFolder, source: Path, path: str) -> None:
    """
    Copy the contents of *source* below *path*, which is in the workspace or the state folder.

    Raises:
        SandboxFault: *path* is elsewhere.
        StorageFault: A file of *source* cannot be read.

    """
    target = _inside(folder, path)
    try:
        copy_tree(source, target)
    except OSError as exc:
        raise StorageFault(f"copying {source} into the sandbox: {exc}") from exc


def get_file(path: str, max_bytes: int) -> bytes:
    """Read at most *max_bytes* of a regular file; empty when there is none."""
    try:
        # Does not wait for the other end of a pipe.
        opened = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    except OSError:
        return b""
    try:
        if not stat.S_ISREG(os.fstat(opened).st_mode):
            return b""
        with open(opened, "rb", closefd=False) as file:
            return file.read(max_bytes)
    except OSError:
        return b""
    finally:
        os.close(opened)


def _inside(folder: AttemptFolder, path: str) -> Path:
    wanted = Path(os.path.normpath(path))
    target = wanted.parent.resolve() / wanted.name
    for place in (folder.workspace, folder.state):
        if wanted == place:
            return place
        if target.is_relative_to(place.resolve()):
            return target
    raise SandboxFault(f"{path} is neither in the workspace nor in the harness's own folder")
