"""
The goal that an agent was given, out of `run.json` beside its trace.

A trace has only the hash of the prompt. The task file's text is in `run.json`, whole.
"""

from __future__ import annotations

from pathlib import Path

import yaml
from pydantic import ValidationError

from quickstarted.results.layout import RUN_NAME
from quickstarted.results.record import RunRecord

MAX_RECORD_BYTES = 4 * 1024 * 1024


def goal_beside(trace: Path, task: str) -> str | None:
    """The goal of *task*; None where no record of it is beside *trace*, or it cannot be read."""
    try:
        with (trace.parent / RUN_NAME).open("rb") as stream:
            content = stream.read(MAX_RECORD_BYTES + 1)
        if len(content) > MAX_RECORD_BYTES:
            return None
        record = RunRecord.model_validate_json(content)
        read = yaml.safe_load(record.task_source) if record.task == task else None
    except (OSError, ValidationError, ValueError, yaml.YAMLError, RecursionError):
        return None
    goal = read.get("goal") if isinstance(read, dict) else None
    return goal.strip() or None if isinstance(goal, str) else None
