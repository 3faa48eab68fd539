"""
Attempts as CI systems are told of them: the result, what to look at, and what it was about.

All of it is read from a results folder, so that it can be said again later, on another machine, or
of shards that were merged.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath
from typing import Any

from quickstarted.console.closing import Highlights
from quickstarted.console.text import visible
from quickstarted.console.words import headline
from quickstarted.errors import TraceInvalid
from quickstarted.events import DocsFetch, ToolCall, ToolResult, TraceEvent
from quickstarted.results import CellKey, RunResult, SuiteResult
from quickstarted.trace import read_trace
from quickstarted.verdict import Classification

RUN_NAME = "run.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskFile:
    """The task of a cell, as `run.json` has it; empty where there is none."""

    path: str = ""
    """As it was named in the call."""
    text: str = ""
    sites: dict[str, str] = field(default_factory=dict)
    """URL prefix to the folder or URL that stood in for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One attempt."""

    run: RunResult
    lines: tuple[str, ...]
    """The headline, and for an attempt that did not pass what to look at; each is `visible`."""
    task_file: TaskFile
    pages: tuple[DocsFetch, ...] = ()
    """Pages that were read, the one that was read last at the end; none of one that passed."""
    failed_command: str = ""
    """The first that failed; empty where none did, or the attempt passed."""

    counts: bool = True
    """
    Whether a gap in it is one that the exit code is about: not where a cell is held to a rate and
    is not shown to be below, and not without documentation, beside attempts that had some.
    """

    @property
    def is_gap(self) -> bool:
        """Whether it is what makes a job fail."""
        return self.run.classification is Classification.DOCS_GAP and self.counts

    @property
    def name(self) -> str:
        """`flask by claude, affordances none #2`; the same in every call, and only once in each."""
        return f"{cell_name(self.run)} #{self.run.attempt}"


def cell_name(run: RunResult) -> str:
    """`flask by claude, affordances none`."""
    under = f", {run.condition.label}" if run.condition.label else ""
    return f"{run.task} by {run.agent}{under}"


def read_outcomes(suite: SuiteResult, out: Path) -> list[Outcome]:
    """
    What became of all attempts of *suite*, in its order.

    Args:
        suite: The document.
        out: The folder that it is about. Traces and `run.json` that are not there, or cannot be
            read, are done without.

    """
    tasks: dict[CellKey, TaskFile] = {}
    for run in suite.runs:
        if run.cell_key not in tasks:
            tasks[run.cell_key] = _task_file(run, out)
    counts = _counting(suite)
    return [
        replace(_outcome(run, out, tasks[run.cell_key]), counts=counts(run)) for run in suite.runs
    ]


def _counting(suite: SuiteResult) -> Callable[[RunResult], bool]:
    """What says of an attempt whether it counts, as `exit_code` and the gate have it."""
    if suite.gate is None:
        has_docs = any(run.condition.has_docs for run in suite.runs)
        return lambda run: run.condition.has_docs or not has_docs
    below = {
        (CellKey(cell.task, cell.agent, cell.affordance_policy, cell.arm), cell.arm_hash)
        for cell in suite.cells
        if cell.gate is not None and cell.gate.verdict == "below"
    }
    return lambda run: (run.cell_key, run.arm_hash) in below


def _outcome(run: RunResult, out: Path, task_file: TaskFile) -> Outcome:
    if run.classification is Classification.PASSED or run.trace is None:
        return Outcome(run=run, lines=(visible(headline(run)),), task_file=task_file)
    looked = _Looked()
    for event in _events(_inside(out, run.trace)):
        looked.add(event)
    return Outcome(
        run=run,
        lines=tuple(looked.highlights.lines(run, out / run.trace)),
        task_file=task_file,
        pages=tuple(looked.pages.values()),
        failed_command=looked.failed_command,
    )


class _Looked:
    """What one pass over a trace keeps."""

    def __init__(self) -> None:
        self.highlights = Highlights()
        self.pages: dict[str, DocsFetch] = {}
        self.failed_command = ""
        self._command = ""
        self._has_failed = False

    def add(self, event: TraceEvent) -> None:
        self.highlights.add(event)
        match event:
            case DocsFetch():
                self.pages.pop(event.resolved_to, None)
                self.pages[event.resolved_to] = event
            case ToolCall(command=str(command)):
                self._command = command
            case ToolResult() if event.exit_code != 0 and not self._has_failed:
                self._has_failed = True
                self.failed_command = self._command
            case _:
                pass


def _inside(out: Path, trace: str) -> Path | None:
    """The file *trace* of a results folder; None where a document names one outside of it."""
    path = PurePath(trace)
    return None if path.is_absolute() or ".." in path.parts else out / path


def _events(trace: Path | None) -> Iterator[TraceEvent]:
    """What can be read of *trace*; one that was cut off says as much as it has."""
    if trace is None:
        return
    try:
        yield from read_trace(trace, on_torn=_ignored)
    except TraceInvalid:
        return


def _ignored(torn: TraceInvalid) -> None:
    del torn


def _task_file(run: RunResult, out: Path) -> TaskFile:
    trace = _inside(out, run.trace) if run.trace else None
    if trace is None:
        return TaskFile()
    try:
        record = json.loads(trace.with_name(RUN_NAME).read_bytes())
    except (OSError, ValueError):
        return TaskFile()
    return _as_recorded(record) if isinstance(record, dict) else TaskFile()


def _as_recorded(record: dict[str, Any]) -> TaskFile:
    """The three fields that are wanted, also of a version that has others."""
    sites = record.get("docs_sites")
    return TaskFile(
        path=str(record.get("task_path") or ""),
        text=str(record.get("task_source") or ""),
        sites={str(prefix): str(source) for prefix, source in sites.items()}
        if isinstance(sites, dict)
        else {},
    )
