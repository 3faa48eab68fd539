"""Remove the folders of attempts whose owner is gone, and kept ones whose time is over."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

from quickstarted.sandbox.gc import Swept
from quickstarted.sandbox.labels import OWNER, ROLE, RUN, Owner, why_expired, why_left_over
from quickstarted.sandbox.local.folders import maker_of, read_labels, remove_folder
from quickstarted.sandbox.local.keep import ROLE as KEPT_ROLE
from quickstarted.sandbox.local.processes import end, of_attempt

UNLABELLED_LIFE_S = 3600.0
"""Of a folder that says nowhere whose it is."""


def sweep_folders(
    base: Path, *, now: float, dry_run: bool = False, kept: bool = False
) -> list[Swept]:
    """
    Remove left-over folders with what still runs in them; return all folders.

    Args:
        base: Where they are.
        now: Epoch seconds.
        dry_run: Remove nothing, only say what would go.
        kept: Remove kept ones before their time, too.

    """
    return [_judge(root, now=now, dry_run=dry_run, kept=kept) for root in _folders(base)]


def _folders(base: Path) -> Iterator[Path]:
    try:
        found = sorted(base.iterdir())
    except OSError:
        return
    yield from (path for path in found if path.is_dir() and not path.is_symlink())


def _judge(root: Path, *, now: float, dry_run: bool, kept: bool) -> Swept:
    labels = read_labels(root)
    why = _why_it_goes(root, labels, now=now, kept=kept)
    error = _remove(root) if why and not dry_run else ""
    return Swept(
        kind="folder",
        id=str(root),
        name=root.name,
        run_id=labels.get(RUN, ""),
        role=labels.get(ROLE, ""),
        owner=labels.get(OWNER, ""),
        why=why or _why_it_stays(labels),
        removed=bool(why) and not error,
        error=error,
    )


def _why_it_goes(root: Path, labels: dict[str, str], *, now: float, kept: bool) -> str:
    if labels.get(ROLE) == KEPT_ROLE:
        return why_expired(labels, now=now) or ("asked for" if kept else "")
    if labels:
        return why_left_over(labels, now=now)
    maker = maker_of(root)
    if maker is not None and maker.is_dead():
        return f"its owner, process {maker.pid}, is gone"
    try:
        old = now - root.stat().st_mtime > UNLABELLED_LIFE_S
    except OSError:
        return ""
    return "it says of nobody that it is theirs" if old else ""


def _why_it_stays(labels: dict[str, str]) -> str:
    if labels.get(ROLE) == KEPT_ROLE:
        return "it is a kept sandbox and its time is not over"
    owner = Owner.parse(labels.get(OWNER, ""))
    if owner is not None and owner.is_alive():
        return f"its owner, process {owner.pid}, is running"
    return "its owner cannot be asked, and its time is not over"


def _remove(root: Path) -> str:
    """Remove it; return the reason where that does not work."""
    left = end(lambda: of_attempt(str(root), None, by_mark=True))
    if left:
        return f"its process {left[0].pid} ({left[0].command}) cannot be ended"
    try:
        remove_folder(root)
    except OSError as exc:
        return str(exc)
    return ""


def sweep_now(base: Path) -> None:
    """The sweep of a start: what it cannot remove, the next one may."""
    sweep_folders(base, now=time.time())
