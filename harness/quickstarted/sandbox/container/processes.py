"""What runs in a container, and which of it is not the harness's own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from quickstarted.sandbox.container.supervisor import KEEP_ALIVE
from quickstarted.sandbox.protocol import Process

PS_ARGUMENTS = "-eo pid,ppid,stat,args"


@dataclass(frozen=True, kw_only=True)
class Row:
    """One line of the engine's `top`; numbers are of the engine's host."""

    pid: int
    parent: int
    state: str
    command: str


def read_top(top: Mapping[str, Any]) -> list[Row]:
    """Read the engine's answer to `top` with `PS_ARGUMENTS`."""
    return [
        Row(pid=int(row[0]), parent=int(row[1]), state=row[2], command=" ".join(row[3:]))
        for row in top.get("Processes") or []
    ]


def foreign(rows: list[Row], init: int, roots: set[int]) -> list[Process]:
    """
    Those of *rows* that are not ours.

    Ours are the container's init, the keep-alive process below it, and *roots* with all their
    descendants. Processes that have ended and wait for their parent are left out.
    """
    ours = {init} | roots
    alike = [row for row in rows if row.parent == init and is_keep_alive(row.command)]
    ours |= {row.pid for row in alike[:1]}
    parents = {row.pid: row.parent for row in rows}
    return [
        Process(pid=row.pid, command=row.command)
        for row in rows
        if not row.state.startswith("Z")
        and row.pid not in ours
        and not _descends(row.pid, roots, parents)
    ]


def is_keep_alive(command: str) -> bool:
    """Whether a line of `ps` is the keep-alive process's; ps joins arguments and lines alike."""
    return command.split() == " ".join(KEEP_ALIVE).split()


def _descends(pid: int, roots: set[int], parents: dict[int, int]) -> bool:
    while pid in parents:
        pid = parents[pid]
        if pid in roots:
            return True
    return False
