"""What a call says about its tasks: `--docs-site`, and that no two share a name."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from quickstarted.errors import UsageError
from quickstarted.task import Task, with_sites

METAVAR = "PREFIX=DIR_OR_URL"


def docs_sites(pairs: Sequence[str]) -> dict[str, str]:
    """
    Read the values of the flag: URL prefix to folder or URL.

    Raises:
        UsageError: One is not written as `METAVAR` says.

    """
    sites = {}
    for pair in pairs:
        prefix, separator, source = pair.partition("=")
        if not separator or not source:
            raise UsageError(f"--docs-site {pair}: write it as {METAVAR}")
        sites[prefix] = source
    return sites


def with_docs_sites(task: Task, pairs: Sequence[str]) -> Task:
    """
    Apply the flag to *task*; folders are relative to the working directory.

    Raises:
        UsageError: A prefix or its source is not valid.

    """
    try:
        return with_sites(task, docs_sites(pairs), Path.cwd())
    except ValueError as exc:
        raise UsageError(f"--docs-site: {exc}") from exc


def refuse_doubles(tasks: Sequence[Task]) -> None:
    """
    Results are filed by the task's name.

    Raises:
        UsageError: Two tasks have the same one.

    """
    seen: dict[str, Task] = {}
    for task in tasks:
        first = seen.setdefault(task.name, task)
        if first is not task:
            raise UsageError(
                f"{first.source.path} and {task.source.path} both have the name {task.name}",
                hint="Give each task a name of its own: it names the results folder.",
            )
