"""Imports for tests: what a file or some values become."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from fakes.golden import GOLDEN
from quickstarted.formats.trajectory import check_value
from quickstarted.formats.trajectory.importing import (
    FileReport,
    Importer,
    ImportOptions,
    LinesSink,
    import_file,
    import_stream,
)

FORMATS = GOLDEN / "formats"
SAMPLE_FOLDERS = (
    "agent-log",
    "agenterrorbench",
    "agenttrajectory",
    "atif",
    "claude-code",
    "codex",
    "conversations",
    "crewai",
    "edge",
    "event-list",
    "har",
    "inspect",
    "langgraph",
    "messages",
    "mini-swe-agent",
    "openai-agents",
    "openinference",
    "otlp-genai",
    "responses",
    "swe-agent",
    "webshop",
)
"""Logs of other programs, below FORMATS; what else lies there is made by tests."""


def samples(folders: Iterable[str] = SAMPLE_FOLDERS) -> list[Path]:
    """All samples in *folders*."""
    found = [path for folder in folders for path in (FORMATS / folder).rglob("*")]
    return sorted(path for path in found if path.is_file())


def imported(path: Path, forced: str | None = None) -> tuple[list[dict[str, Any]], FileReport]:
    """The trajectories of the file *path*, and the report."""
    target = io.BytesIO()
    report = import_file(path, LinesSink(target), ImportOptions(forced=forced))
    return parsed(target), report


def imported_bytes(
    raw: bytes,
    forced: str | None = None,
    name: str = "log.json",
    fallback: Importer | None = None,
) -> tuple[list[dict[str, Any]], FileReport]:
    """The trajectories of a file that holds *raw*."""
    source, target = io.BufferedReader(io.BytesIO(raw)), io.BytesIO()
    options = ImportOptions(forced=forced, fallback=fallback)
    report = import_stream(source, name, LinesSink(target), options)
    return parsed(target), report


def imported_lines(*records: Any, forced: str | None = None) -> list[dict[str, Any]]:
    """The trajectories of JSON Lines; nothing of them is of no use."""
    raw = b"".join(json.dumps(record).encode() + b"\n" for record in records)
    made, report = imported_bytes(raw, forced)
    assert [] == report.problems
    return made


def imported_one(value: Any, forced: str | None = None) -> dict[str, Any]:
    """The only trajectory of *value*."""
    (made,) = imported_lines(value, forced=forced)
    return made


def parsed(target: io.BytesIO) -> list[dict[str, Any]]:
    """JSON Lines as values."""
    return [json.loads(line) for line in target.getvalue().split(b"\n") if line]


def problems_of(trajectory: Any) -> list[tuple[str, str]]:
    """What the strict checker says."""
    found: list[tuple[str, str]] = []
    check_value(trajectory, lambda code, message: found.append((code, message)))
    return found


def of_type(trajectory: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    """Its events of one type."""
    return [event for event in trajectory["events"] if event["event_type"] == kind]


def types(trajectory: dict[str, Any]) -> list[str]:
    """The types of its events, in order."""
    return [event["event_type"] for event in trajectory["events"]]


class ScriptedModel:
    """A model that gives the replies it was given, and remembers what it was asked."""

    model = "acme/tiny-1"

    def __init__(self, *replies: str) -> None:
        self._replies = iter(replies)
        self.asked: list[tuple[str, str]] = []

    def __call__(self, system: str, text: str) -> str:
        """The next reply."""
        self.asked.append((system, text))
        return next(self._replies)
