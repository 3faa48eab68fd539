"""
An attempt's results, from a node into its folder.

They are fetched in pieces, unpacked beside the folder, looked at, and moved into place in one step:
the folder is empty or has all of them.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable
from pathlib import Path

from quickstarted.cluster.archives import ArchiveRefused, unpack
from quickstarted.cluster.messages import Over
from quickstarted.errors import TraceInvalid
from quickstarted.events import RunStart
from quickstarted.plan import AttemptPlan
from quickstarted.results import AttemptDir, RunResult, summarise
from quickstarted.results.files import storage_fault, sync_files, sync_folder
from quickstarted.trace import read_trace

Fetch = Callable[[int], bytes]
"""Gives a piece of an archive, from an offset; raises `NodeLost`."""


def receive(fetch: Fetch, over: Over, plan: AttemptPlan, folder: AttemptDir) -> RunResult:
    """
    Fill *folder* with the results of *plan*.

    Args:
        fetch: Gives pieces of their archive.
        over: What the node said of it.
        plan: Of the attempt.
        folder: Its folder, empty.

    Raises:
        ArchiveRefused: What came is not that attempt's results.
        NodeLost: The node does not answer any more.
        StorageFault: They cannot be written.

    """
    archive = folder.path.with_name(f".{folder.path.name}.archive")
    unpacked = folder.path.with_name(f".{folder.path.name}.unpacked")
    try:
        _fetch(fetch, over, archive)
        shutil.rmtree(unpacked, ignore_errors=True)
        unpacked.mkdir()
        with archive.open("rb") as stream:
            unpack(stream, unpacked)
        result = _result(AttemptDir(unpacked), plan)
        sync_files(unpacked)
        unpacked.rename(folder.path)
        sync_folder(folder.path.parent)
    except OSError as exc:
        raise storage_fault(folder.path, exc) from exc
    finally:
        archive.unlink(missing_ok=True)
        shutil.rmtree(unpacked, ignore_errors=True)
    return result


def _fetch(fetch: Fetch, over: Over, archive: Path) -> None:
    digest = hashlib.sha256()
    received = 0
    with archive.open("wb") as target:
        while received < over.archive_bytes:
            piece = fetch(received)
            received += len(piece)
            if not piece or received > over.archive_bytes:
                raise ArchiveRefused(f"it has not the {over.archive_bytes:,} bytes that were said")
            digest.update(piece)
            target.write(piece)
    if digest.hexdigest() != over.sha256:
        raise ArchiveRefused("it is not the one that was packed: its digest is another")


def _result(unpacked: AttemptDir, plan: AttemptPlan) -> RunResult:
    """What the attempt amounts to, said by its trace and not by the node."""
    try:
        events = list(read_trace(unpacked.trace))
        result = summarise(events)
    except (TraceInvalid, FileNotFoundError) as exc:
        raise ArchiveRefused(f"it has no whole trace: {exc}") from exc
    start = next((event for event in events if isinstance(event, RunStart)), None)
    run_id = start.run_id if start is not None else None
    if result.key != plan.key or run_id != plan.run_id:
        raise ArchiveRefused(f"it is of another attempt: {result.key}")
    return result
