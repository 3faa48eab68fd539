"""How proofs are said: to the person who wrote the task, and to machines."""

from __future__ import annotations

import shlex
from collections import Counter
from typing import Any

from quickstarted.cli.proofs import Proofs
from quickstarted.console.text import lines_of, shorten, visible
from quickstarted.console.words import exit_said, seconds
from quickstarted.proving import Proof, Standing, Step
from quickstarted.task import Task, not_yet_supported

SHOWN_LINES = 6
"""Of the check's output, from its end."""
WIDTH = 160
SAID = {
    Standing.PROVED: "proved",
    Standing.NOT_PROVED: "NOT PROVED",
    Standing.NO_EVIDENCE: "no evidence",
}


def proof_lines(proof: Proof) -> list[str]:
    """What is said about one task; where something does not hold, its traces stay."""
    took = seconds(sum(step.result.duration_seconds for step in proof.steps))
    half = "fails untouched; no `replay`, so nothing shows that it can pass; "
    whole = "fails untouched, passes after replay; "
    said, about = SAID[proof.standing], ""
    if proof.standing is Standing.PROVED:
        said, about = ("half proved", half) if proof.no_replay else (said, whole)
    lines = [f"{proof.task.source.path}: {said} ({about}{took})"]
    for step in proof.steps:
        lines += [f"  {line}" for line in _step_lines(step)]
    if proof.no_replay and proof.standing is not Standing.PROVED:
        lines.append("  no `replay`: nothing shows that the check can pass")
    return lines


def _step_lines(step: Step) -> list[str]:
    lines = [f"warning: {visible(step.warning)}"] if step.warning else []
    if step.standing is Standing.PROVED:
        return lines
    lines.append(f"{step.name}: {visible(step.reason)}")
    stopped = step.stopped_at
    if stopped is not None:
        ended = exit_said(stopped.exit_code, timed_out=stopped.timed_out)
        lines.append(f"  $ {shorten(stopped.command.strip(), WIDTH)}  {ended}")
        lines += _end_of(stopped.output)
    check = step.result.success_check
    if check is not None:
        ended = exit_said(check.exit_code, timed_out=check.timed_out)
        lines.append(f"  the check: {ended}{'' if check.output.strip() else ', without a word'}")
        lines += _end_of(check.output)
    lines.append(f"  the run: quickstarted show {shlex.quote(str(step.folder))} --verbose")
    return lines


def _end_of(output: str) -> list[str]:
    return [f"    | {shorten(line, WIDTH)}" for line in lines_of(output)[-SHOWN_LINES:]]


def closing_lines(done: Proofs) -> list[str]:
    """What is said at the end: tasks that could not be run, figures, where the traces are."""
    lines = [line for task in done.refused for line in _refused_lines(task)]
    counts = Counter(proof.standing for proof in done.proofs)
    counts[Standing.NO_EVIDENCE] += len(done.refused)
    lines.append(
        f"{counts[Standing.PROVED]} proved, {counts[Standing.NOT_PROVED]} not proved, "
        f"{counts[Standing.NO_EVIDENCE]} without evidence"
        + (", interrupted" if done.interrupted else "")
    )
    if done.kept is not None:
        lines.append(f"traces: {done.kept}")
    return lines


def _refused_lines(task: Task) -> list[str]:
    return [f"{task.source.path}: no evidence", *(f"  {line}" for line in not_yet_supported(task))]


def proof_json(proof: Proof) -> dict[str, Any]:
    """One proof for machines; outputs are as long as in results files."""
    return {
        "standing": proof.standing.value,
        "no_replay": proof.no_replay,
        "steps": [_step_json(step) for step in proof.steps],
    }


def _step_json(step: Step) -> dict[str, Any]:
    result = step.result
    check = result.success_check
    stopped = step.stopped_at
    return {
        "name": step.name,
        "standing": step.standing.value,
        "reason": step.reason,
        "warning": step.warning,
        "classification": result.classification.value,
        "stop_reason": result.stop_reason.value,
        "check": None if check is None else check.model_dump(mode="json"),
        "failed_command": None
        if stopped is None
        else {"command": stopped.command, "exit_code": stopped.exit_code},
        "refused_hosts": result.refused_hosts,
        "duration_seconds": result.duration_seconds,
        "folder": str(step.folder),
    }
