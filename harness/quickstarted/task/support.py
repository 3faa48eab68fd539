"""Keys whose work this version does not do: accepted, checked, and refused at run time."""

from __future__ import annotations

from collections.abc import Iterator

from quickstarted.task.model import Task
from quickstarted.task.source import KeyPath


def not_yet_supported(task: Task) -> list[str]:
    """
    Say which keys of *task* cannot be honoured yet.

    Returns:
        One line for each, `FILE:LINE:COLUMN KEY: WHY`; empty when the task can run.

    """
    return [f"{task.source.where(key)}: {why}" for key, why in _unsupported(task)]


def _unsupported(task: Task) -> Iterator[tuple[KeyPath, str]]:
    if task.resources.gpus is not None:
        yield ("resources", "gpus"), "GPUs are not supported by this version"
