"""The formats that a trace can be converted to, by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from quickstarted.formats.export.agent_log import write_agent_log
from quickstarted.formats.export.atif import write_atif
from quickstarted.formats.export.attempt import Attempt
from quickstarted.formats.export.har import write_har
from quickstarted.formats.export.messages import write_messages
from quickstarted.formats.export.otlp import write_otlp
from quickstarted.formats.export.trajectory import write_trajectory


@dataclass(frozen=True, slots=True)
class Target:
    """
    One format.

    Attributes:
        suffix: Of files in it, where a folder is written.
        title: What it is, in a few words.
        write: Writes an attempt to a stream; raises `UsageError` where the format cannot hold it.

    """

    suffix: str
    title: str
    write: Callable[[Attempt, IO[bytes]], None]


TARGETS = {
    "trajectory": Target(".trajectory.json", "AgentTrajectory", write_trajectory),
    "atif": Target(".atif.json", "ATIF v1.7", write_atif),
    "otlp": Target(".otlp.json", "OTLP/JSON with GenAI spans", write_otlp),
    "har": Target(".har", "HAR 1.2 of the requests", write_har),
    "agent-log": Target(".agent-log.jsonl", "an agent log", write_agent_log),
    "messages": Target(".messages.jsonl", "chat messages", write_messages),
}
"""By the name that `--to` takes."""


def convert(trace: Path, target: str, out: IO[bytes]) -> list[str]:
    """
    Write the attempt of *trace* to *out*, in the format *target*.

    Memory does not grow with the trace. Where it is cut, it is converted as far as it goes.

    Returns:
        What a reader of the document should know: that the trace was cut, what was left out.

    Raises:
        TraceInvalid: The trace cannot be read; what was written so far is of no use.
        UsageError: The format cannot hold an attempt like this one.

    """
    attempt = Attempt(trace)
    TARGETS[target].write(attempt, out)
    return attempt.notes
