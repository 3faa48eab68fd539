"""Ask the task files: whether they parse, and whether this version does what they need."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from quickstarted.doctor.facts import TaskFacts
from quickstarted.errors import TaskInvalid
from quickstarted.task import find_tasks, load_task, not_yet_supported
from quickstarted.task.find import DEFAULT_FOLDER, SUFFIXES
from quickstarted.task_headers import header_variables, unset_headers
from quickstarted.task_secrets import unset_secrets


def task_paths(args: Sequence[str]) -> list[Path]:
    """
    The files that a call means; none where it names none and there is no `tasks` folder.

    Raises:
        UsageError: An argument means no file.

    """
    if args:
        return find_tasks(args)
    suffixes = [path.suffix for path in DEFAULT_FOLDER.glob("*")] if DEFAULT_FOLDER.is_dir() else []
    return find_tasks(args) if set(suffixes) & set(SUFFIXES) else []


def gather_tasks(
    paths: Sequence[Path],
    image_is_usable: Callable[[str], bool | None],
    environ: Mapping[str, str],
) -> tuple[TaskFacts, ...]:
    """
    Load each file.

    Args:
        paths: From `task_paths`.
        image_is_usable: Whether an image can run without a registry; None where nobody knows.
        environ: Where secrets are looked for; only whether they are set is taken.

    """
    return tuple(_task(path, image_is_usable, environ) for path in paths)


def _task(
    path: Path, image_is_usable: Callable[[str], bool | None], environ: Mapping[str, str]
) -> TaskFacts:
    try:
        task = load_task(path)
    except TaskInvalid as invalid:
        return TaskFacts(path=path, problems=tuple(invalid.problems))
    return TaskFacts(
        path=path,
        unsupported=tuple(not_yet_supported(task)),
        image=task.image,
        image_usable=image_is_usable(task.image) if task.image else None,
        secrets=(*task.secrets, *header_variables(task)),
        unset_secrets=(*unset_secrets(task, environ), *unset_headers(task, environ)),
    )
