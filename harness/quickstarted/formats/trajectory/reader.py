"""
Trajectories out of files, for whoever goes on with them.

An `Importer` knows one kind of source; the first that claims a value converts it. Native
AgentTrajectory is one of them. A value that nobody claims is told, and loses no other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar, Protocol

from quickstarted.errors import UsageError
from quickstarted.formats.lines import open_buffered
from quickstarted.formats.trajectory.documents import Document, read_documents
from quickstarted.formats.trajectory.lenient import Note, NotMendable, mend
from quickstarted.formats.trajectory.model import MAX_UPLOAD_BYTES, AgentTrajectory

OnNote = Callable[[Document, str], None]
"""Takes where it is about and a sentence."""


class Importer(Protocol):
    """One kind of source."""

    name: ClassVar[str]

    def claims(self, value: Any) -> str:
        """Why *value*, parsed JSON, is of this kind; empty where it is not."""
        ...

    def convert(self, value: Any, note: Note) -> Iterator[AgentTrajectory]:
        """
        The trajectories that *value* means.

        Raises:
            NotMendable: It means none after all.

        """
        ...


class NativeImporter:
    """AgentTrajectory itself, also where it is a little wrong."""

    name: ClassVar[str] = "native"

    def claims(self, value: Any) -> str:
        """It has `trace_id` and `events`, and validates once it is mended."""
        try:
            mend(value, lambda _: None)
        except NotMendable:
            return ""
        return "it has trace_id and events, and validates"

    def convert(self, value: Any, note: Note) -> Iterator[AgentTrajectory]:
        """One trajectory."""
        yield mend(value, note)


def read_trajectories(
    path: Path, on_note: OnNote, importers: Sequence[Importer] = (NativeImporter(),)
) -> Iterator[AgentTrajectory]:
    """
    The trajectories of the file *path*, as it is read.

    Raises:
        UsageError: The file cannot be read.

    """
    try:
        with open_buffered(path) as stream:
            for document in read_documents(stream, MAX_UPLOAD_BYTES):
                if document.problem is not None:
                    on_note(document, document.problem.message)
                    continue
                yield from _converted(document, on_note, importers)
    except OSError as exc:
        raise UsageError(f"cannot read {path}: {exc.strerror or exc}") from exc


def _converted(
    document: Document, on_note: OnNote, importers: Sequence[Importer]
) -> Iterator[AgentTrajectory]:
    for importer in importers:
        if importer.claims(document.value):
            yield from importer.convert(document.value, lambda words: on_note(document, words))
            return
    names = ", ".join(importer.name for importer in importers)
    on_note(document, f"is of no kind that is known here ({names})")
