"""
One writer for one results folder: two calls would keep each other's attempts aside.

The lock is the operating system's (flock) and ends with its holder, however that ends; what stands
in the file only says whom the next one met. The file stays: removing it could take it from under
somebody who has just locked it.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil

from quickstarted.errors import UsageError
from quickstarted.results.files import storage_fault

LOCK_NAME = ".lock"
_UNSUPPORTED = {errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOLCK, errno.EINVAL}
"""What file systems without flock answer."""


@contextmanager
def locked(out: Path, run_id: str) -> Iterator[None]:
    """
    Hold *out*, which is made if it is not there; readers need no lock.

    Raises:
        UsageError: Another call holds it, and the message says which; or it is a link to nothing.
        StorageFault: The file cannot be made.

    """
    path = out / LOCK_NAME
    try:
        out.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as exc:
        if out.is_symlink() and not out.exists():
            raise UsageError(
                f"{out} is a link to {out.readlink()}, which is not there",
                hint="Make that folder, or give another --out.",
            ) from exc
        raise storage_fault(path, exc) from exc
    try:
        if not _take(descriptor, path):
            raise _refusal(out, _holder(path))
        _say(descriptor, path, run_id)
        try:
            yield
        finally:
            os.ftruncate(descriptor, 0)
    finally:
        os.close(descriptor)


def _take(descriptor: int, path: Path) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as exc:
        if exc.errno not in _UNSUPPORTED:
            raise storage_fault(path, exc) from exc
        # Without the system's help the best that is known is what the last holder wrote.
        return _is_alive(_holder(path)) is not True
    return True


def _say(descriptor: int, path: Path, run_id: str) -> None:
    own = psutil.Process()
    said = {
        "pid": own.pid,
        "host": socket.gethostname(),
        "started": own.create_time(),
        "since": time.time(),
        "run_id": run_id,
    }
    try:
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, json.dumps(said).encode() + b"\n", 0)
    except OSError as exc:
        raise storage_fault(path, exc) from exc


def _holder(path: Path) -> dict[str, Any]:
    """What the holder said of itself; empty where it has not, or not whole."""
    try:
        said = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    return said if isinstance(said, dict) else {}


def _is_alive(holder: dict[str, Any]) -> bool | None:
    """None where it cannot be known: the holder is on another machine, or has said nothing."""
    if holder.get("host") != socket.gethostname() or not isinstance(holder.get("pid"), int):
        return None
    try:
        return bool(abs(psutil.Process(holder["pid"]).create_time() - holder["started"]) < 1)
    except (psutil.Error, KeyError, TypeError):
        return False


def _refusal(out: Path, holder: dict[str, Any]) -> UsageError:
    if not holder:
        return UsageError(
            f"another call writes to {out}", hint="Wait for it, or give another --out."
        )
    since = holder.get("since")
    when = (
        time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(since))
        if isinstance(since, int | float)
        else "unknown"
    )
    alive = _is_alive(holder)
    state = {
        True: "it is running",
        False: "it has ended, and a process that it started still holds the folder",
        None: "whether it is running cannot be seen from here",
    }[alive]
    return UsageError(
        f"another call writes to {out}: process {holder.get('pid')} on {holder.get('host')},"
        f" since {when}; {state}",
        hint="Wait for it, or give another --out."
        if alive is not False
        else f"Look for it with `fuser {out / LOCK_NAME}`, or give another --out.",
    )
