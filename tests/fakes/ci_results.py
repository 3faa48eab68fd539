"""Results folders as `run` leaves them, made of events and without running anything."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fakes.attempts import run_end, run_start
from quickstarted.events import Event
from quickstarted.results import ResultsDir, RunResult, SuiteResult, suite_result, summarise


@dataclass
class ResultsFolder:
    """A folder that attempts are added to."""

    out: Path
    runs: list[RunResult] = field(default_factory=list)

    def add(
        self,
        events: Iterable[Event] = (),
        *,
        start: dict[str, Any] | None = None,
        end: dict[str, Any] | None = None,
        record: dict[str, Any] | None = None,
    ) -> RunResult:
        """
        An attempt with its trace, and `run.json` where *record* has something for it.

        *events* stand between `run_start` and `run_end`, whose fields are *start* and *end*.
        """
        whole = [run_start(**(start or {})), *events, run_end(**(end or {}))]
        first = summarise(whole)
        agent = f"{first.agent}{first.condition.label and '+'}{first.condition.label}"
        folder = self.out / first.task / agent.replace(" ", "-") / str(first.attempt)
        folder.mkdir(parents=True)
        trace = folder / "trace.jsonl"
        trace.write_text("".join(f"{event.model_dump_json()}\n" for event in whole))
        if record is not None:
            (folder / "run.json").write_text(json.dumps(record))
        run = first.model_copy(update={"trace": trace.relative_to(self.out).as_posix()})
        self.runs.append(run)
        return run

    def gap(self, events: Sequence[Event] = (), **fields: Any) -> RunResult:
        """An attempt that shows a gap in the documentation."""
        end = {"classification": "docs_gap", "passed": False, "stop_reason": "command_failed"}
        return self.add(events, end=end, **fields)

    def lost(self, events: Sequence[Event] = (), **fields: Any) -> RunResult:
        """An attempt that was lost to infrastructure."""
        end = {"classification": "infra_error", "passed": None, "stop_reason": "fault"}
        return self.add(events, end=end, **fields)

    @property
    def suite(self) -> SuiteResult:
        """All of them."""
        return suite_result(self.runs, created=1.0)

    def write(self) -> Path:
        """Write `results.json` and say where everything is."""
        ResultsDir(self.out).write_suite(self.suite, "")
        return self.out
