"""Which trace is meant by a path that somebody typed."""

from __future__ import annotations

from pathlib import Path

from quickstarted.errors import UsageError
from quickstarted.results.layout import TRACE_NAME

SHOWN_CHOICES = 12


def find_trace(path: Path) -> Path:
    """
    Find the trace of one attempt.

    Args:
        path: A trace, an attempt's folder, or any folder above exactly one attempt.

    Raises:
        UsageError: There is none, or there are several; the message lists them.

    """
    found = find_traces(path)
    if len(found) > 1:
        raise UsageError(f"{path} holds {len(found)} attempts; give one of them:\n{_list(found)}")
    return found[0]


def find_traces(path: Path) -> list[Path]:
    """
    Find the traces of all attempts below *path*, those of earlier runs that were kept aside too.

    Args:
        path: A trace, an attempt's folder, or any folder above attempts.

    Raises:
        UsageError: There is none.

    """
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise UsageError(f"{path}: no such file or folder")
    if (path / TRACE_NAME).is_file():
        return [path / TRACE_NAME]
    found = sorted(path.rglob(TRACE_NAME), key=_by_attempt)
    if not found:
        raise UsageError(
            f"{path}: no {TRACE_NAME} in it",
            hint="Give a trace, or the folder of an attempt that `quickstarted run` wrote.",
        )
    return found


def _by_attempt(trace: Path) -> tuple[tuple[int, str], ...]:
    """Attempt 2 before attempt 10."""
    return tuple((int(part) if part.isdecimal() else 0, part) for part in trace.parts)


def _list(traces: list[Path]) -> str:
    shown = [f"  {trace.parent}" for trace in traces[:SHOWN_CHOICES]]
    if len(traces) > SHOWN_CHOICES:
        shown.append(f"  and {len(traces) - SHOWN_CHOICES} more")
    return "\n".join(shown)
