"""Files into runs: read, recognised, converted, and told what was of no use."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from io import BufferedReader
from pathlib import Path

from quickstarted.errors import UsageError
from quickstarted.formats.lines import open_buffered
from quickstarted.formats.strict_json import quote
from quickstarted.formats.trajectory.documents import read_documents
from quickstarted.formats.trajectory.importing.choosing import choose, detect
from quickstarted.formats.trajectory.importing.importer import (
    Claim,
    Context,
    Importer,
    NotConvertible,
    Record,
)
from quickstarted.formats.trajectory.importing.kinds import IMPORTERS
from quickstarted.formats.trajectory.importing.names import Names
from quickstarted.formats.trajectory.importing.report import FileReport, Imported
from quickstarted.formats.trajectory.importing.run import Attachment, Closed, Opened
from quickstarted.formats.trajectory.importing.sinks import Sink, slug_of
from quickstarted.formats.trajectory.importing.strangers import stranger
from quickstarted.formats.trajectory.model import MAX_UPLOAD_BYTES

HINTS = {
    "gzip": "Unpack it first: gzip -d FILE.",
    "utf16": "Convert it first: iconv -f UTF-16 -t UTF-8 FILE.",
    "not-utf8": "Convert it to UTF-8, or take the byte out.",
    "json-seq": "Take the separators out: tr -d '\\036' < FILE.",
    "several-documents": "Put each on one line: jq -c . FILE.",
    "partial-last-line": "Everything before it is imported; see whether its writer was killed.",
    "duplicate-key": "Readers differ in which of the two they see; take one out.",
    "number-not-finite": "Write null, or a number.",
    "too-large": "Write one run on each line, or split the file.",
    "too-many-values": "Split the file by run.",
    "too-deep": "Keep the inner part as text.",
    "number-too-long": "Write it as text.",
    "half-surrogate": "Write U+FFFD in its place.",
    "not-json": "Write one JSON text, or one on each line.",
}
MAX_UNKNOWN = 1_000
"""Records of one file that a fallback is given."""
_SHAPE = "It must be an object; docs/trajectory.md has the kinds that are known."


@dataclass(slots=True)
class ImportOptions:
    """
    How files are imported, and what the files of one call share.

    Attributes:
        forced: The name of the importer that takes everything; None lets the content decide.
        importers: In the order in which they are asked.
        fallback: Is given all that none of them knows, once a file; None leaves it at errors.
        trace_ids: Those that are taken.

    """

    forced: str | None = None
    importers: Sequence[Importer] = IMPORTERS
    trace_ids: Names = field(default_factory=Names)
    fallback: Importer | None = None

    def trace_id(self, wanted: str) -> str:
        """*wanted*, with a number after it where it is taken."""
        return self.trace_ids.take(wanted)

    @property
    def importer(self) -> Importer | None:
        """
        The one that is forced.

        Raises:
            UsageError: There is none of that name.

        """
        if self.forced is None:
            return None
        for importer in self.importers:
            if importer.name == self.forced:
                return importer
        names = ", ".join(importer.name for importer in self.importers)
        raise UsageError(f"there is no format {quote(self.forced)}", hint=f"One of: {names}")


def import_file(path: Path, sink: Sink, options: ImportOptions) -> FileReport:
    """
    Give *sink* the runs of the file *path*.

    Raises:
        UsageError: The file cannot be read, or the format that is forced is not known.
        StorageFault: *sink* cannot write.

    """
    try:
        with open_buffered(path) as stream:
            return import_stream(stream, str(path), sink, options)
    except OSError as exc:
        raise UsageError(f"cannot read {path}: {exc.strerror or exc}") from exc


def import_stream(
    stream: BufferedReader, name: str, sink: Sink, options: ImportOptions
) -> FileReport:
    """Give *sink* the runs of *stream*; what has no name of its own is called by *name*."""
    return _FileImport(name, sink, options).read(stream)


class _FileImport:
    """One file on its way."""

    def __init__(self, name: str, sink: Sink, options: ImportOptions) -> None:
        self._report = FileReport(name)
        self._sink = sink
        self._options = options
        self._unknown: list[Record] = []
        self._context = Context(
            name=slug_of(Path(name).name.split(".", 1)[0]),
            on_note=self._report.add_note,
            on_error=self._report.add_problem,
            trace_id=options.trace_id,
        )

    def read(self, stream: BufferedReader) -> FileReport:
        records = self._records(stream)
        forced = self._options.importer
        if forced is not None:
            self._take(forced, Claim("--format says so"), records, "file")
        else:
            choice = choose(records, self._options.importers)
            if choice.importer is not None:
                self._take(choice.importer, Claim(choice.why), choice.records, "file")
            else:
                for record in choice.records:
                    self._take_one(record)
                self._take_unknown()
        report = self._report
        if not report.run_count and not report.problem_count:
            report.add_problem("file", "holds no run", "An empty file, or nothing but white space?")
        return report

    def _records(self, stream: BufferedReader) -> Iterator[Record]:
        index = 0
        for document in read_documents(stream, MAX_UPLOAD_BYTES):
            if document.problem is None:
                document.index = index
                index += 1
                yield document
                continue
            where = document.where
            if document.problem.code == "bom":
                self._report.add_note(where, document.problem.message)
            else:
                hint = HINTS.get(document.problem.code, "")
                self._report.add_problem(where, document.problem.message, hint)

    def _take_one(self, record: Record) -> None:
        """A record that is a run by itself, if it is one."""
        found = detect(record, self._options.importers)
        if found is None and self._is_for_fallback(record):
            self._unknown.append(record)
        elif found is None:
            self._report.add_problem(record.where, *_unknown(record.value))
        elif not found[1].is_whole:
            self._report.add_problem(
                record.where,
                f"is one part of a stream ({found[0].name}: {found[1].why}) among whole runs",
                "Put each stream into a file of its own.",
            )
        else:
            self._report.source_format = "each"
            self._report.why = "every record is a run by itself"
            self._write(found[0], found[1], iter((record,)), record.where)

    def _is_for_fallback(self, record: Record) -> bool:
        return (
            self._options.fallback is not None
            and isinstance(record.value, dict | list)
            and bool(record.value)
            and len(self._unknown) < MAX_UNKNOWN
        )

    def _take_unknown(self) -> None:
        fallback = self._options.fallback
        if fallback is None or not self._unknown:
            return
        self._report.source_format = self._report.source_format or fallback.name
        where = self._unknown[0].where
        self._write(fallback, Claim("no other format knows it"), iter(self._unknown), where)

    def _take(
        self, importer: Importer, claim: Claim, records: Iterator[Record], where: str
    ) -> None:
        """A stream, or all records by force."""
        self._report.source_format = importer.name
        self._report.why = claim.why
        self._write(importer, claim, records, where)

    def _write(
        self, importer: Importer, claim: Claim, records: Iterator[Record], where: str
    ) -> None:
        try:
            put = self._sink.event
            for piece in importer.convert(records, self._context):
                if isinstance(piece, dict):
                    put(piece)
                else:
                    self._pass_on(piece, importer, claim, where)
        except NotConvertible as exc:
            self._sink.abandoned()
            self._report.add_problem(where, exc.message, exc.hint)
        except BaseException:
            self._sink.abandoned()
            raise

    def _pass_on(
        self, piece: Opened | Attachment | Closed, importer: Importer, claim: Claim, where: str
    ) -> None:
        match piece:
            case Opened():
                self._sink.opened(piece.run)
            case Attachment():
                if not self._sink.attachment(piece):
                    words = "files that runs have in them are not written; --out DIR writes them"
                    self._report.add_note(where, words)
            case Closed():
                stored = self._sink.closed(piece.run)
                self._report.add_run(
                    Imported(
                        piece.run.trace_id,
                        importer.name,
                        piece.run.count,
                        where,
                        claim.why,
                        stored,
                    )
                )


def _unknown(value: object) -> tuple[str, str]:
    """What is wrong with a value that no importer knows, and what to do."""
    if not isinstance(value, dict | list):
        return f"is {quote(value)}, and no run", _SHAPE
    return stranger(value)
