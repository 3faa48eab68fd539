"""
Which processes are an attempt's, and ending them: by descent, and by a mark in their environment.

Everything that commands start descends from the attempt's keeper, also what has left its session:
where the system allows it (Linux), orphans are the keeper's children. Elsewhere, and after the
keeper's death, they are known by the variable `MARK`, which every command is given.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass

import psutil

MARK = "QUICKSTARTED_ATTEMPT"
"""Names the attempt's folder."""
PAUSE_S = 0.01
QUIET_LOOKS = 2
END_WITHIN_S = 10.0


Age = tuple[float, int]
"""When a process started, in steps of a hundredth of a second, and within those its number."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A process as it was found."""

    pid: int
    parent: int
    age: Age
    """Smaller is older."""
    process: psutil.Process

    @property
    def command(self) -> str:
        """Its arguments with spaces between them; its name where it has none."""
        with suppress(psutil.Error):
            return " ".join(self.process.cmdline()) or self.process.name()
        return ""


def all_processes() -> dict[int, Seen]:
    """Every process that has not ended, by number."""
    return {seen.pid: seen for seen in map(_look, psutil.pids()) if seen is not None}


def age(pid: int) -> Age:
    """
    The age of a process, which may have ended if its parent has not asked yet.

    Raises:
        psutil.Error: There is none.

    """
    return psutil.Process(pid).create_time(), pid


def of_attempt(mark: str, keeper: int | None, *, by_mark: bool) -> list[Seen]:
    """
    The processes of an attempt, its keeper apart.

    Args:
        mark: Value of `MARK`.
        keeper: The keeper's number; None when it is gone.
        by_mark: Whether orphans are not the keeper's children.

    """
    seen = all_processes()
    roots = {keeper} if keeper is not None else set()
    if by_mark:
        roots |= {pid for pid, one in seen.items() if _has_mark(one, mark)}
    found = [one for pid, one in seen.items() if pid in roots or descends(one, roots, seen)]
    return [one for one in found if one.pid != keeper]


def descends(one: Seen, roots: set[int], seen: dict[int, Seen]) -> bool:
    """Whether an ancestor is one of *roots*."""
    return any(parent.pid in roots for parent in ancestors(one, seen))


def ancestors(one: Seen, seen: dict[int, Seen]) -> Iterator[Seen]:
    """Parent, its parent and so on, as far as they are in *seen*."""
    known = {one.pid}
    while (parent := seen.get(one.parent)) is not None and parent.pid not in known:
        known.add(parent.pid)
        yield parent
        one = parent


def of_command(found: Iterable[Seen], first: Age) -> list[Seen]:
    """
    Those of an attempt's processes that belong to one command: what began after its outer shell
    did (its `age` is *first*), unless an ancestor is older.
    """
    seen = {one.pid: one for one in found}
    return [
        one
        for one in seen.values()
        if one.age >= first and all(each.age >= first for each in ancestors(one, seen))
    ]


def end(find: Callable[[], list[Seen]], *, within_s: float = END_WITHIN_S) -> list[Seen]:
    """
    End what *find* finds, and what that starts meanwhile; returns what could not be ended.

    Each is stopped before any is killed, so that none starts another one in between.
    """
    deadline = time.monotonic() + within_s
    quiet = 0
    # Looking takes a while, in which a process can pass from one parent to another unseen.
    while quiet < QUIET_LOOKS:
        found = find()
        quiet = 0 if found else quiet + 1
        for one in found:
            _tell(one.process.suspend)
        for one in [*found, *(find() if found else [])]:
            _tell(one.process.kill)
        if found and time.monotonic() > deadline:
            return found
        time.sleep(PAUSE_S)
    return []


def _look(pid: int) -> Seen | None:
    """The process; None when it has ended, waits for its parent to ask, or is nobody's business."""
    try:
        process = psutil.Process(pid)
        with process.oneshot():
            if process.status() in {psutil.STATUS_ZOMBIE, psutil.STATUS_DEAD}:
                return None
            return Seen(pid, process.ppid(), (process.create_time(), pid), process)
    except psutil.Error:
        return None


def _has_mark(one: Seen, mark: str) -> bool:
    try:
        return one.process.environ().get(MARK) == mark
    except (psutil.Error, OSError):
        return False


def _tell(order: Callable[[], None]) -> None:
    """It may have ended, or be another user's: what is left is seen by the next look."""
    with suppress(psutil.Error):
        order()
