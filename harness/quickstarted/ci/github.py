"""
What GitHub Actions tells a step, and where a step writes what GitHub shows.

https://docs.github.com/en/actions/reference/workflows-and-actions/variables
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

SUMMARY_BYTES = 1024 * 1024
"""Of one step; GitHub refuses a longer one as a whole."""
_PULL = re.compile(r"refs/pull/(\d+)/")


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """The job that this program runs in; empty fields where GitHub Actions does not run it."""

    is_actions: bool = False
    api_url: str = "https://api.github.com"
    repository: str = ""
    """`OWNER/NAME`."""
    token: str = ""
    summary: Path | None = None
    """Markdown appended to this file is shown on the run's page."""
    run_url: str = ""
    name: str = ""
    """Workflow and job, which keep apart the comments of two jobs."""
    pull_request: int | None = None

    @classmethod
    def of(cls, environ: Mapping[str, str]) -> Self:
        """Read the variables."""
        summary = environ.get("GITHUB_STEP_SUMMARY")
        return cls(
            is_actions=environ.get("GITHUB_ACTIONS") == "true",
            api_url=environ.get("GITHUB_API_URL") or "https://api.github.com",
            repository=environ.get("GITHUB_REPOSITORY", ""),
            token=environ.get("GITHUB_TOKEN") or environ.get("GH_TOKEN", ""),
            summary=Path(summary) if summary else None,
            run_url=_run_url(
                environ.get("GITHUB_SERVER_URL", "https://github.com"),
                environ.get("GITHUB_REPOSITORY", ""),
                environ.get("GITHUB_RUN_ID", ""),
            ),
            name="/".join(
                filter(None, (environ.get("GITHUB_WORKFLOW", ""), environ.get("GITHUB_JOB", "")))
            ),
            pull_request=_pull_request(
                environ.get("GITHUB_EVENT_PATH", ""), environ.get("GITHUB_REF", "")
            ),
        )

    @property
    def summary_room(self) -> int:
        """Bytes that the summary may still take."""
        if self.summary is None or not self.summary.exists():
            return SUMMARY_BYTES
        return max(0, SUMMARY_BYTES - self.summary.stat().st_size)


def _run_url(server: str, repository: str, run_id: str) -> str:
    return f"{server}/{repository}/actions/runs/{run_id}" if repository and run_id else ""


def _pull_request(event_path: str, ref: str) -> int | None:
    """The pull request that the job is about: of the event, or of the ref."""
    try:
        event = json.loads(Path(event_path).read_bytes()) if event_path else {}
    except (OSError, ValueError):
        event = {}
    for name in ("pull_request", "issue"):
        part = event.get(name) if isinstance(event, dict) else None
        # An issue is a pull request where the event has its address.
        if isinstance(part, dict) and (name == "pull_request" or part.get("pull_request")):
            number = part.get("number")
            if isinstance(number, int):
                return number
    match = _PULL.match(ref)
    return int(match[1]) if match else None
