"""The success check alone, against what an attempt left behind with `--keep-sandbox`."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable
from pathlib import Path

from quickstarted.check import CheckOutcome, run_check
from quickstarted.errors import UsageError
from quickstarted.events import Event, RunStart, SandboxSaved
from quickstarted.plan import AttemptPlan
from quickstarted.results import AttemptDir
from quickstarted.sandbox.protocol import Backend
from quickstarted.services import Services
from quickstarted.trace import find_trace, read_trace


def kept_sandbox(folder: AttemptDir) -> str:
    """
    The image that the attempt in *folder* kept.

    Raises:
        UsageError: It kept none.

    """
    saved = [event for event in read_trace(folder.trace) if isinstance(event, SandboxSaved)]
    if not saved:
        raise UsageError(
            f"{folder.path}: this attempt kept no sandbox",
            hint="Run it again with --keep-sandbox.",
        )
    return saved[-1].image


def backend_of(folder: AttemptDir) -> str:
    """The name of the backend that the attempt in *folder* ran on, where it kept its sandbox."""
    started = (event for event in read_trace(folder.trace) if isinstance(event, RunStart))
    return next((event.backend for event in started), "docker")


def attempt_folder(path: Path) -> AttemptDir:
    """The folder of the attempt that *path* (its trace, its folder, or one above) means."""
    return AttemptDir(find_trace(path).parent)


def rejudge(
    plan: AttemptPlan, backend: Backend, folder: AttemptDir, cancelled: Callable[[], bool]
) -> CheckOutcome:
    """
    Run the check of *plan* in a new sandbox made from what the attempt in *folder* left.

    Raises:
        UsageError: The attempt kept no sandbox.
        AttemptFault: Image, services, sandbox or engine failed.

    """
    spec = dataclasses.replace(plan.sandbox_spec(folder.record_dir), image=kept_sandbox(folder))
    outputs = folder.agent_output.read_bytes() if folder.agent_output.exists() else b""
    with backend.open(spec, _unrecorded) as sandbox:
        services = Services(
            sandbox=sandbox, commands=plan.task.services, write=_unrecorded, now=time.time
        )
        services.ensure_running()
        return run_check(sandbox, plan.check_plan, outputs, cancelled=cancelled)


def _unrecorded(event: Event) -> None:
    """The trace of the attempt stays as it is: a second check is not part of it."""
    del event
