"""
Labels on everything that is created, and whether its owner is still alive.

What a dead owner left can be removed by any later start or by `quickstarted gc`, without ever
touching what a living neighbour uses: objects are found by label and id, never by name.
"""

from __future__ import annotations

import os
import socket
import subprocess
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

RUN = "quickstarted.run"
OWNER = "quickstarted.owner"
EXPIRES = "quickstarted.expires"
ROLE = "quickstarted.role"

DEFAULT_LIFE_S = 24 * 3600
"""After which an object counts as left over even where its owner cannot be asked."""


@dataclass(frozen=True, slots=True)
class Owner:
    """A process that created something: where it runs, its pid, and when it started."""

    host: str
    pid: int
    started: str

    def __str__(self) -> str:
        return f"{self.host}/{self.pid}/{self.started}"

    @classmethod
    def parse(cls, text: str) -> Owner | None:
        """Read a label's value; None when it is not one."""
        parts = text.split("/")
        if len(parts) != 3 or not parts[1].isdigit():
            return None
        return cls(parts[0], int(parts[1]), parts[2])

    def is_dead(self) -> bool:
        """True only when it is certain: an owner on another host may be alive."""
        return self.host == _host() and _process_start(self.pid) != self.started

    def is_alive(self) -> bool:
        """True only when it is certain: an owner on another host may be dead."""
        return self.host == _host() and _process_start(self.pid) == self.started


@cache
def this_process() -> Owner:
    """The owner that this process writes into labels."""
    return Owner(_host(), os.getpid(), _process_start(os.getpid()))


def labels(run_id: str, role: str, *, life_s: float = DEFAULT_LIFE_S) -> dict[str, str]:
    """Labels for something that this process creates now."""
    return {
        RUN: run_id,
        OWNER: str(this_process()),
        EXPIRES: str(int(time.time() + life_s)),
        ROLE: role,
    }


def is_left_over(object_labels: dict[str, str], *, now: float) -> bool:
    """Whether nothing can need the object any more."""
    return bool(why_left_over(object_labels, now=now))


def why_left_over(object_labels: dict[str, str], *, now: float) -> str:
    """
    Why the object can go; empty while something may need it.

    An owner that is certainly alive keeps what it has, however long it runs; the time on the
    label decides where the owner cannot be asked.
    """
    owner = Owner.parse(object_labels.get(OWNER, ""))
    if owner is not None and owner.is_alive():
        return ""
    if owner is not None and owner.is_dead():
        return f"its owner, process {owner.pid}, is gone"
    return why_expired(object_labels, now=now)


def why_expired(object_labels: dict[str, str], *, now: float) -> str:
    """Why the object's time is over; empty when it is not, or has no end."""
    expires = object_labels.get(EXPIRES, "")
    if expires.isdigit() and int(expires) < now:
        return f"it was to be kept until {_utc(int(expires))}"
    return ""


def _utc(epoch_s: int) -> str:
    return datetime.fromtimestamp(epoch_s, UTC).strftime("%Y-%m-%d %H:%M UTC")


@cache
def _host() -> str:
    """This boot of this machine; a pid means nothing after a reboot or in another container."""
    boot = Path("/proc/sys/kernel/random/boot_id")
    suffix = boot.read_text().strip()[:8] if boot.exists() else "noboot"
    pids = Path("/proc/self/ns/pid")
    if pids.is_symlink():
        suffix += "-" + pids.readlink().name.strip("pid:[]")
    return f"{socket.gethostname()}-{suffix}".replace("/", "_")


def _process_start(pid: int) -> str:
    """When the process started, in whatever unit the system gives; empty when it does not run."""
    stat = Path(f"/proc/{pid}/stat")
    if Path("/proc/self/stat").exists():
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            return ""
        # A zombie has ended, and stays until its parent asks.
        return "" if fields[0] in "ZX" else fields[19]
    done = subprocess.run(  # noqa: S603 (a fixed command)
        ["/bin/ps", "-o", "lstart=", "-p", str(pid)], capture_output=True, text=True, check=False
    )
    return "-".join(done.stdout.split())
