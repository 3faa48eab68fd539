"""
Which file of a run is where below `--out`, and how an older result is kept aside.

One attempt: `<task>/trace.jsonl`. As soon as there are several agents, conditions or repeats:
`<task>/<agent>/<n>/trace.jsonl`, one depth for all of them, where the agent's folder also names
what differs from a run without flags: `claude+affordances-none`.
"""

from __future__ import annotations

import errno
import hashlib
import posixpath
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from quickstarted.condition import DEFAULT_CONDITION, Condition
from quickstarted.results.files import (
    make_folder,
    replacing,
    storage_fault,
    sync_files,
    sync_folder,
    write_text,
)
from quickstarted.results.keys import AttemptKey
from quickstarted.results.models import RunResult, SuiteResult
from quickstarted.results.record import RunRecord

TRACE_NAME = "trace.jsonl"
RUN_NAME = "run.json"
RESULT_NAME = "result.json"
REPORT_NAME = "report.md"
AGENT_OUTPUT_NAME = "agent-output.txt"
RESULTS_NAME = "results.json"
CALL_NAME = "call.json"
SUITE_NAME = "suite.md"

_UNSAFE = re.compile(r"[^A-Za-z0-9._@-]+")
_SLUG_CHARS = 60


class SetAside(NamedTuple):
    """An older result that was moved out of the way."""

    old: Path
    kept_as: Path


@dataclass(frozen=True, slots=True)
class AttemptDir:
    """The folder of one attempt."""

    path: Path

    @property
    def trace(self) -> Path:
        """Every event."""
        return self.path / TRACE_NAME

    @property
    def record_dir(self) -> Path:
        """Full outputs of commands and logs of background children."""
        return self.path / "output"

    @property
    def report(self) -> Path:
        """The attempt as a person reads it."""
        return self.path / REPORT_NAME

    def write_run(self, record: RunRecord) -> None:
        """
        Write `run.json`.

        Raises:
            StorageFault: It cannot be written.

        """
        write_text(self.path / RUN_NAME, record.model_dump_json(indent=2) + "\n")

    @property
    def result(self) -> Path:
        """What the attempt amounts to; written last: where it is, everything else is."""
        return self.path / RESULT_NAME

    def write_result(self, result: RunResult) -> None:
        """
        Write `result.json`, after which the attempt counts as made.

        What else is in the folder outlasts a power cut by then.

        Raises:
            StorageFault: It cannot be written, or something before it is not on disk.

        """
        sync_files(self.record_dir)
        write_text(self.result, rebased(result, TRACE_NAME).model_dump_json(indent=2) + "\n")

    @property
    def agent_output(self) -> Path:
        """What the agent's successful commands printed, where the sandbox is kept."""
        return self.path / AGENT_OUTPUT_NAME

    def write_agent_output(self, content: bytes) -> None:
        """
        Write what `check --sandbox` needs beside the kept sandbox.

        Raises:
            StorageFault: It cannot be written.

        """
        with replacing(self.agent_output) as stream:
            stream.write(content)

    def write_report(self, text: str) -> None:
        """
        Write `report.md`.

        Raises:
            StorageFault: It cannot be written.

        """
        write_text(self.report, text)


@dataclass(frozen=True, slots=True)
class ResultsDir:
    """The folder that `--out` names."""

    out: Path
    nested: bool = False
    """Whether there are several agents, conditions or repeats."""

    def set_aside(self, tasks: Iterable[str]) -> list[SetAside]:
        """
        Keep what earlier runs left for *tasks*, and their tables, under `<name>.<n>`.

        Called once, before the first attempt; `--resume` does not call it.

        Raises:
            StorageFault: A folder cannot be renamed.

        """
        names = [*dict.fromkeys(tasks), RESULTS_NAME, SUITE_NAME, CALL_NAME]
        return [keep_aside(self.out / name) for name in names if (self.out / name).exists()]

    def attempt(
        self, task: str, agent: str, number: int, condition: Condition = DEFAULT_CONDITION
    ) -> AttemptDir:
        """
        Make the folder of attempt *number* (from 1) by *agent* under *condition*.

        Raises:
            StorageFault: It cannot be made, or it holds a trace already.

        """
        key = AttemptKey(task, agent, condition.affordances, condition.arm, number)
        path = self.out / place_of(key, nested=self.nested)
        folder = AttemptDir(path)
        make_folder(path)
        if folder.trace.exists():
            raise storage_fault(folder.trace, FileExistsError(errno.EEXIST, "it is there already"))
        return folder

    def keep_aside(self, folder: AttemptDir) -> AttemptDir:
        """
        Move an attempt's folder out of the way, to `<name>.<n>`, and return where it is now.

        Raises:
            StorageFault: It cannot be renamed.

        """
        return AttemptDir(keep_aside(folder.path).kept_as)

    def relative(self, path: Path) -> str:
        """*path* as `results.json` names it: relative to the folder, with forward slashes."""
        return path.relative_to(self.out).as_posix()

    def write_suite(self, suite: SuiteResult, tables: str) -> None:
        """
        Write `results.json` and `suite.md` (*tables*), each whole or not at all.

        Raises:
            StorageFault: They cannot be written.

        """
        write_text(self.out / RESULTS_NAME, suite.model_dump_json(indent=2) + "\n")
        write_text(self.out / SUITE_NAME, tables)


def place_of(key: AttemptKey, *, nested: bool) -> str:
    """The folder of an attempt, relative to `--out`, with forward slashes."""
    if not nested:
        return key.task
    condition = Condition(affordances=key.affordances, arm=key.arm)
    return f"{key.task}/{safe_name(key.agent)}{condition.suffix}/{key.attempt}"


def rebased(result: RunResult, trace: str) -> RunResult:
    """
    *result* with its trace at the path *trace*, and with its earlier tries where they are from it.

    All of them are relative to one folder before, and to another one afterwards.
    """
    old, new = (posixpath.dirname(path) or "." for path in (result.trace or "", trace))
    tries = [
        one.model_copy(
            update={"trace": posixpath.normpath(f"{new}/{posixpath.relpath(one.trace, old)}")}
        )
        for one in result.earlier_tries
    ]
    return result.model_copy(update={"trace": trace, "earlier_tries": tries})


def safe_name(agent: str) -> str:
    """
    A folder name for *agent*, different for different agents.

    `claude:model` becomes `claude@model`; where anything else has to go, a digest of the whole name
    keeps two agents apart.
    """
    spelled = agent.replace(":", "@", 1)
    slug = _UNSAFE.sub("-", spelled).strip(".-")[:_SLUG_CHARS]
    if slug == spelled and "@" not in agent:
        return slug
    digest = hashlib.sha256(agent.encode("utf-8", "backslashreplace")).hexdigest()[:8]
    return f"{slug or 'agent'}-{digest}"


def keep_aside(path: Path) -> SetAside:
    """
    Move *path* out of the way, to the first free `<name>.<n>` beside it.

    Raises:
        StorageFault: It cannot be renamed.

    """
    number = 1
    while (kept := path.with_name(f"{path.name}.{number}")).exists():
        number += 1
    try:
        path.rename(kept)
        sync_folder(path.parent)
    except OSError as exc:
        raise storage_fault(kept, exc) from exc
    return SetAside(path, kept)
