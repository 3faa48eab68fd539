"""
Whether this machine has room for one more attempt.

An attempt that begins on a full disk or without memory is lost, and may take its neighbours with
it; one that begins a minute later is not.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import psutil

GIB = 1024**3


@dataclass(frozen=True, slots=True, kw_only=True)
class Floors:
    """What is kept free; 0 keeps nothing."""

    disk_bytes: int = GIB
    memory_bytes: int = GIB // 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """Looks at disk and memory before each attempt."""

    folders: tuple[Path, ...]
    """On the file systems that attempts write to: results, and the engine's where it is local."""
    floors: Floors = field(default_factory=Floors)
    patience_s: float = 600.0
    """How long a machine without room is waited for while no attempt is under way that could free
    any."""

    def lack(self) -> str | None:
        """What is missing, for people; None when there is room."""
        for folder in self.folders:
            free = psutil.disk_usage(str(_existing(folder))).free
            if free < self.floors.disk_bytes:
                kept = f"{_gib(self.floors.disk_bytes)} are kept free (--min-free-disk)"
                return f"{_gib(free)} free on the disk of {folder}, {kept}"
        free = psutil.virtual_memory().available
        if free < self.floors.memory_bytes:
            kept = f"{_gib(self.floors.memory_bytes)} are kept free (--min-free-memory)"
            return f"{_gib(free)} of memory free, {kept}"
        return None


def _existing(folder: Path) -> Path:
    """*folder*, or the nearest one above it that is there."""
    return next(path for path in (folder.absolute(), *folder.absolute().parents) if path.exists())


def _gib(size: int) -> str:
    return f"{size / GIB:.1f} GiB"
