"""A body on disk into what is stored and what is replied; one at a time, in a thread of its own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from quickstarted.formats.lines import open_buffered
from quickstarted.formats.trajectory.importing import (
    FileReport,
    Imported,
    ImportOptions,
    import_stream,
)
from quickstarted.results.files import make_folder, storage_fault
from quickstarted.serve.bodies import Body
from quickstarted.serve.replies import Duplicate, ItemError, ItemNote, Stored, UploadReply
from quickstarted.serve.staging import API, Outcome, StagingSink, move_in, shown
from quickstarted.serve.store import Store

_NAME_CHARS = 16
_SAME = "this trajectory is stored already"
_OTHER = "its trace_id is taken by another trajectory, which stays; give this one its own"


class UploadOptions(ImportOptions):
    """Names of runs stay as they are: one that is taken shows when it is stored."""

    def trace_id(self, wanted: str) -> str:
        """As it is wanted."""
        return wanted


def convert(body: Body, folder: Path, store: Store, options: ImportOptions) -> UploadReply:
    """
    Store what *body* holds, by way of *folder*.

    Runs without a name of their own are named by the body's hash, so that a second upload of the
    same file is known for one.

    Raises:
        StorageFault: The disk does not take it.

    """
    make_folder(folder)
    sink = StagingSink(folder, store)
    name = f"upload-{body.sha256[:_NAME_CHARS]}"
    try:
        with open_buffered(body.path) as stream:
            report = import_stream(stream, name, sink, options)
    except OSError as exc:
        raise storage_fault(body.path, exc) from exc
    sources = [_source(run) for run in report.runs]
    pairs = list(zip(sink.outcomes, sources, strict=True))
    move_in(store, folder, pairs)
    return _reply(report, pairs)


def _source(run: Imported) -> dict[str, Any]:
    return {
        "converter": run.source_format,
        "why": run.why,
        "where": run.where,
        "events": run.events,
    }


def _reply(report: FileReport, pairs: list[tuple[Outcome, dict[str, Any]]]) -> UploadReply:
    return UploadReply(
        format=report.source_format or None,
        stored=[_stored(*pair) for pair in pairs if pair[0].staged is not None],
        duplicates=[_duplicate(*pair) for pair in pairs if pair[0].staged is None],
        errors=[
            ItemError(where=one.where, message=one.message, hint=_hint(one.hint))
            for one in report.problems
        ],
        error_count=report.problem_count,
        notes=[ItemNote(where=one.where, note=one.words, count=one.count) for one in report.notes],
    )


def _hint(words: str) -> str:
    """As `quickstarted trajectory import` has it, for who uploads."""
    return words.replace("--format", "?format=")


def _stored(outcome: Outcome, source: dict[str, Any]) -> Stored:
    return Stored(
        id=outcome.name,
        url=f"{API}/{outcome.name}",
        trace_id=shown(outcome.trace_id) or "",
        **source,
    )


def _duplicate(outcome: Outcome, source: dict[str, Any]) -> Duplicate:
    is_same = outcome.taken_by == outcome.content_sha256
    return Duplicate(
        id=outcome.name,
        url=f"{API}/{outcome.name}",
        trace_id=shown(outcome.trace_id) or "",
        converter=source["converter"],
        where=source["where"],
        same="content" if is_same else "trace_id",
        message=_SAME if is_same else _OTHER,
    )
