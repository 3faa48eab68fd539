"""Agent logs for tests: the samples, and lines with one thing changed."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

from fakes.golden import GOLDEN
from quickstarted.formats.agent_log import LogChecker, LogReport, withhold

SAMPLES = GOLDEN / "formats" / "agent-log"
LOG = "agent-log.jsonl"


def sample(kind: str, name: str) -> Path:
    """A sample's file; *kind* is `valid` or `invalid`."""
    return SAMPLES / kind / name / LOG


def events() -> list[dict[str, Any]]:
    """A valid log of five lines, to be changed."""
    run_start = {
        "game": "block-drop",
        "category": "any-percent",
        "model": "acme/tiny-1",
        "scaffold": {"name": "demo"},
    }
    response = {
        "id": "r1",
        "model": "acme/tiny-1",
        "actions": [{"name": "press", "args": {"n": 1}}],
    }
    action = {"call": "r1", "name": "press", "args": {"n": 1}}
    told = [
        ("run_start", run_start),
        ("model_request", {"withheld": True}),
        ("model_response", response),
        ("action", action),
        ("run_end", {"reason": "stopped"}),
    ]
    return [
        {
            "seq": seq,
            "at": f"2026-10-22T18:00:0{seq}.000Z",
            "elapsedMs": seq * 1_000,
            "type": kind,
            "data": data,
        }
        for seq, (kind, data) in enumerate(told)
    ]


def lines(made: list[dict[str, Any]]) -> bytes:
    """Events as a log."""
    return b"".join(json.dumps(one).encode() + b"\n" for one in made)


def checked(log: bytes, **options: Any) -> LogReport:
    """What the checker says of *log*, fed by lines."""
    checker = LogChecker(**options)
    for line in io.BytesIO(log):
        checker.feed(line)
    return checker.report()


def codes(report: LogReport) -> list[str]:
    """Of its problems, in order."""
    return [one.code for one in report.problems]


def withheld(log: bytes) -> tuple[bytes, list[str]]:
    """*log* without its texts, and the notes."""
    target, notes = io.BytesIO(), []
    source = io.BufferedReader(io.BytesIO(log))
    withhold(source, target, lambda line, words: notes.append(f"{line}: {words}"))
    return target.getvalue(), notes
