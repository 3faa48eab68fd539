"""Entries as plain lines: for CI logs, pipes, and terminals that know nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from quickstarted.console.entries import Entry
from quickstarted.console.text import visible

TIME_COLUMNS = 7
LABEL_COLUMNS = 8


def plain_lines(entry: Entry, *, prefix: str = "") -> Iterator[str]:
    """
    The lines of *entry*, unwrapped.

    Args:
        entry: What happened.
        prefix: Stands before each line, e.g. which of several attempts is meant.

    """
    at = "" if entry.at_s is None else f"{entry.at_s:.1f}s"
    left = f"{at:>{TIME_COLUMNS}} {visible(entry.label):<{LABEL_COLUMNS}} "
    body = [visible(line) for line in entry.text.split("\n")]
    if entry.said:
        body[-1] += f"  {visible(entry.said)}"
    for line in [*body, *(f"| {line}" for line in entry.output)]:
        yield f"{prefix}{left}{line}".rstrip()
        left = " " * len(left)


def shown(entries: Iterable[Entry], *, verbose: bool) -> list[Entry]:
    """Those of *entries* that somebody who asked for this much wants."""
    return [entry for entry in entries if verbose or not entry.detail]
