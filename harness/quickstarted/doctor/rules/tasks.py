"""Rules: task files that would not run."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence

from quickstarted.doctor.facts import TaskFacts
from quickstarted.doctor.findings import Finding, error, not_applicable, ok, warning
from quickstarted.doctor.rules import mending


def judge_tasks(tasks: Sequence[TaskFacts], *, registry_answers: bool) -> Iterator[Finding]:
    """Each file that is wrong, then how many are right."""
    if not tasks:
        yield not_applicable("tasks", "tasks", "no task file is in tasks/")
        return
    wrong = [finding for task in tasks for finding in _task(task, registry_answers)]
    yield from wrong
    needed = sorted({name for task in tasks for name in task.secrets})
    unset = {name for task in tasks for name in task.unset_secrets}
    if needed and not unset:
        yield ok("tasks", "task-secrets", f"secrets of the tasks are set: {', '.join(needed)}")
    right = sum(not (task.problems or task.unsupported) for task in tasks)
    if right:
        yield ok("tasks", "tasks", f"{right} of {len(tasks)} task files can be run")


def _task(task: TaskFacts, registry_answers: bool) -> Iterator[Finding]:
    path = shlex.quote(str(task.path))
    if task.problems:
        yield error(
            "tasks",
            "task-invalid",
            f"{task.path} is not valid",
            detail="\n".join(task.problems),
            fix=f"quickstarted validate {path}",
        )
    if task.unsupported:
        yield warning(
            "tasks",
            "task-unsupported",
            f"{task.path} needs what this version does not do",
            detail="\n".join(task.unsupported),
            fix=f"quickstarted validate {path}",
        )
    if task.unset_secrets:
        names = ", ".join(task.unset_secrets)
        yield warning(
            "tasks",
            "task-secrets",
            f"{task.path} needs secrets that are not set: {names}",
            detail=mending.PASTE,
            fix=mending.ask_for(*task.unset_secrets),
        )
    if task.image and task.image_usable is False and not registry_answers:
        yield warning(
            "tasks",
            "task-image",
            f"{task.path} needs the image {task.image}, which is not here",
            fix=f"quickstarted images pull {shlex.quote(task.image)}",
        )
