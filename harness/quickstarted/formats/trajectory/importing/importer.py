"""The door for a kind of source: what an importer says of itself, and what it is given to work."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, ClassVar, Protocol

from quickstarted.formats.trajectory.documents import Document
from quickstarted.formats.trajectory.importing.run import Piece, Run

MAX_HELD_BYTES = 64 * 1024 * 1024
"""What an importer may hold of a file that it can only convert as a whole."""
MAX_HELD_RECORDS = 250_000
"""The same in records: each takes about a kilobyte, however short it is."""


Record = Document
"""One that has a value: nothing else reaches an importer."""


@dataclass(frozen=True, slots=True)
class Claim:
    """
    Why a value is of a kind.

    Attributes:
        why: A sentence's end: `it has ...`.
        is_whole: It is a run by itself, or several; otherwise it is one part of a stream, to which
            the whole file belongs.
        is_weak: Other kinds may look the same; the first 60 records are looked at.

    """

    why: str
    is_whole: bool = True
    is_weak: bool = False


class NotConvertible(Exception):
    """A record that is of no use: a sentence without its subject, and what to do."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


@dataclass(slots=True)
class Context:
    """
    What the importers of one file share.

    Attributes:
        name: What runs are called that have no name of their own.
        on_note: Takes where it is about and a sentence.
        on_error: Takes where it is, what is wrong and what to do.
        trace_id: Takes the name that a run wants, and gives one that no other has.

    """

    name: str
    on_note: Callable[[str, str], None]
    on_error: Callable[[str, str, str], None]
    trace_id: Callable[[str], str]
    _held_bytes: int = field(default=0)
    _held_records: int = field(default=0)

    def run(self, importer: str, record: Record | None, wanted: str | None = None) -> Run:
        """A new run, named by its source, or by the file and the place in it."""
        place = "" if record is None or record.where == "file" else f"-{record.index + 1}"
        name = wanted or f"{self.name}{place}"
        where = "file" if record is None else record.where
        made = Run(self.trace_id(name), importer, lambda words: self.on_note(where, words))
        if made.trace_id != name:
            made.metadata["trace_id_as_given"] = name
            made.note("the trace_id is taken by another run, and has a number after it")
        if record is not None:
            made.index = record.index
        return made

    def guard(self, record: Record) -> AbstractContextManager[None]:
        """What is wrong with *record* is told, and loses no other."""
        return _Guard(self.on_error, record)

    def hold(self, records: Iterator[Record]) -> Iterator[Record]:
        """
        *records*, of which all are kept until the last one is there.

        Raises:
            NotConvertible: They are too many.

        """
        for record in records:
            self._held_bytes += record.size_bytes
            self._held_records += 1
            if self._held_bytes > MAX_HELD_BYTES or self._held_records > MAX_HELD_RECORDS:
                raise NotConvertible(
                    f"has more than {MAX_HELD_BYTES:,} bytes or {MAX_HELD_RECORDS:,} records, and"
                    " this kind of source is held as a whole",
                    "Split the file by run.",
                )
            yield record


class _Guard:
    # Not by `contextlib.contextmanager`, which takes as long as a short line is parsed.
    __slots__ = ("_on_error", "_record")

    def __init__(self, on_error: Callable[[str, str, str], None], record: Record) -> None:
        self._on_error = on_error
        self._record = record

    def __enter__(self) -> None:
        pass

    def __exit__(
        self,
        kind: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> bool:
        if not isinstance(exc, NotConvertible):
            return False
        self._on_error(self._record.where, exc.message, exc.hint)
        return True


class Importer(Protocol):
    """One kind of source."""

    name: ClassVar[str]
    """For `--format`."""
    title: ClassVar[str]
    """For people."""

    def detects(self, value: Any) -> Claim | None:
        """Why *value*, parsed JSON, is of this kind; None where it is not."""
        ...

    def convert(self, records: Iterator[Record], context: Context) -> Iterator[Piece]:
        """
        The runs in *records*: one that is whole, or all of a stream.

        Raises:
            NotConvertible: There is none in them, or what cannot be converted.

        """
        ...
