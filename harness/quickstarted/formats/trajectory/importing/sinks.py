"""
Where runs go: JSON Lines on a stream, a file each in a folder, or models in memory.

A run is whole where it goes, or not there. It is written as it is read: its length takes no memory.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any, BinaryIO, Protocol

from quickstarted.errors import UsageError
from quickstarted.formats.export.json_text import encoded
from quickstarted.formats.trajectory.importing.run import Attachment, Event, Run
from quickstarted.formats.trajectory.model import AgentTrajectory
from quickstarted.results.files import make_folder, replacing

_SPOOLED_BYTES = 8 * 1024 * 1024
_BUFFER_BYTES = 256 * 1024
_SLUG_CHARS = 80


class Sink(Protocol):
    """Takes runs, one after the other, piece by piece."""

    def opened(self, run: Run) -> None:
        """A run begins; none is open."""
        ...

    def event(self, event: Event) -> None:
        """The next event of the run that is open."""
        ...

    def attachment(self, attachment: Attachment) -> bool:
        """A file that events of the open run name; False where it is not kept."""
        ...

    def closed(self, run: Run) -> str:
        """The run is complete; where it is, if that has a name."""
        ...

    def abandoned(self) -> None:
        """The run that is open, if any, will not be complete; nothing of it stays."""
        ...


class RunText:
    """Writes one run as one JSON text on one line, with every field of the format in it."""

    def __init__(self, stream: IO[bytes], run: Run) -> None:
        self._stream = stream
        self._events = 0
        head = {
            "trace_id": run.trace_id,
            "task_id": run.task_id,
            "goal": run.goal,
            "framework": run.framework,
        }
        if run.started_at is not None:
            head["started_at"] = run.started_at.text
        self._buffer = bytearray(encoded(head)[:-1] + b',"events":[')

    def event(self, event: Event) -> None:
        """Write the next event."""
        if self._events:
            self._buffer += b","
        self._buffer += encoded(event)
        self._events += 1
        if len(self._buffer) >= _BUFFER_BYTES:
            self._flush()

    def close(self, run: Run) -> None:
        """Write what the end of the run shows."""
        ended = None if run.ended_at is None else run.ended_at.text
        tail = encoded({"ended_at": ended, "metadata": run.metadata})
        self._buffer += b"]," + tail[1:] + b"\n"
        self._flush()

    def _flush(self) -> None:
        self._stream.write(self._buffer)
        self._buffer.clear()


class LinesSink:
    """Each run as one line of JSON; a file that a run has in it has no place here."""

    def __init__(self, target: BinaryIO | IO[bytes]) -> None:
        self._target = target
        self._spool: IO[bytes] | None = None
        self._text: RunText | None = None

    def opened(self, run: Run) -> None:  # noqa: D102 (as Sink has it; so below)
        self._spool = tempfile.SpooledTemporaryFile(_SPOOLED_BYTES)  # noqa: SIM115
        self._text = RunText(self._spool, run)

    def event(self, event: Event) -> None:  # noqa: D102
        if self._text is not None:
            self._text.event(event)

    def attachment(self, attachment: Attachment) -> bool:  # noqa: D102, ARG002
        return False

    def closed(self, run: Run) -> str:  # noqa: D102
        if self._text is not None and self._spool is not None:
            self._text.close(run)
            self._spool.seek(0)
            shutil.copyfileobj(self._spool, self._target)
        self.abandoned()
        return ""

    def abandoned(self) -> None:  # noqa: D102
        if self._spool is not None:
            self._spool.close()
        self._spool = self._text = None


class FolderSink:
    """
    A file each, named by its trace_id; files that runs have in them lie in `artifacts/`.

    Args:
        folder: Made where it is not there.
        force: Write over files of earlier calls.

    """

    def __init__(self, folder: Path, *, force: bool = False) -> None:
        self._folder = folder
        self._force = force
        self._names: set[str] = set()
        self._open: ExitStack | None = None
        self._path = folder
        self._text: RunText | None = None

    def opened(self, run: Run) -> None:  # noqa: D102
        make_folder(self._folder)
        self._path = self._folder / self._name(run.trace_id)
        if not self._force and self._path.exists():
            raise UsageError(
                f"{self._path}: is there already",
                hint="Give another --out, or --force to write over it.",
            )
        self._open = ExitStack()
        self._text = RunText(self._open.enter_context(replacing(self._path)), run)

    def event(self, event: Event) -> None:  # noqa: D102
        if self._text is not None:
            self._text.event(event)

    def attachment(self, attachment: Attachment) -> bool:  # noqa: D102
        path = self._folder / attachment.uri
        make_folder(path.parent)
        with replacing(path) as stream:
            stream.write(attachment.content)
        return True

    def closed(self, run: Run) -> str:  # noqa: D102
        if self._text is not None and self._open is not None:
            self._text.close(run)
            self._open.close()
        self._open = self._text = None
        return str(self._path)

    def abandoned(self) -> None:  # noqa: D102
        if self._open is not None:
            # `replacing` leaves nothing behind where the writing of a file ends in an error.
            self._open.__exit__(_Abandoned, _Abandoned(), None)
        self._open = self._text = None

    def _name(self, trace_id: str) -> str:
        slug = slug_of(trace_id)
        name, number = slug, 1
        while name.lower() in self._names:
            number += 1
            name = f"{slug}-{number}"
        self._names.add(name.lower())
        return f"{name}.json"


class _Abandoned(Exception):
    pass


class ModelSink:
    """
    Runs as models, in `trajectories`; files in them, by path, in `attachments`.

    A model has a time for everything: where `metadata.timestamp_source` is `none`, it says nothing.
    """

    def __init__(self) -> None:
        self.trajectories: list[AgentTrajectory] = []
        self.attachments: dict[str, bytes] = {}
        self._events: list[Event] = []

    def opened(self, run: Run) -> None:  # noqa: D102, ARG002
        self._events = []

    def event(self, event: Event) -> None:  # noqa: D102
        self._events.append(event)

    def attachment(self, attachment: Attachment) -> bool:  # noqa: D102
        self.attachments[attachment.uri] = attachment.content
        return True

    def closed(self, run: Run) -> str:  # noqa: D102
        value: dict[str, Any] = {
            "trace_id": run.trace_id,
            "task_id": run.task_id,
            "goal": run.goal,
            "framework": run.framework,
            "ended_at": None if run.ended_at is None else run.ended_at.text,
            "metadata": run.metadata,
            "events": self._events,
        }
        if run.started_at is not None:
            value["started_at"] = run.started_at.text
        self.trajectories.append(AgentTrajectory.model_validate_json(encoded(value)))
        self._events = []
        return ""

    def abandoned(self) -> None:  # noqa: D102
        self._events = []


def slug_of(name: str) -> str:
    """*name* as the name of a file: letters, digits and `._-`, not too long, never hidden."""
    slug = re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.")[:_SLUG_CHARS]
    return slug or "run"
