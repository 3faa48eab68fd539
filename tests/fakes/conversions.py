"""Documents that traces are converted to, as bytes and as values."""

from __future__ import annotations

import io
import json
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from fakes.traces import written
from quickstarted.events import TraceEvent
from quickstarted.formats.export import convert


def document(trace: Path, target: str) -> tuple[bytes, list[str]]:
    """The document of *trace* in the format *target*, and what is said of it."""
    out = io.BytesIO()
    notes = convert(trace, target, out)
    return out.getvalue(), notes


def converted(events: Iterable[TraceEvent], target: str) -> tuple[bytes, list[str]]:
    """The same for a trace of *events*."""
    with tempfile.TemporaryDirectory() as folder:
        return document(written(Path(folder), events), target)


def value(events: Iterable[TraceEvent], target: str) -> Any:
    """The document as JSON."""
    return json.loads(converted(events, target)[0])
