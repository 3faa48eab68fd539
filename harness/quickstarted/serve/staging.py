"""
Trajectories of one upload on their way into the store: written beside it, and moved in at the end.

That an item is a duplicate shows when it is complete. Its content is compared without
`source_index`, which says where in an upload it stood.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO

from quickstarted.formats.trajectory.importing import NotConvertible
from quickstarted.formats.trajectory.importing.run import Attachment, Event, Run
from quickstarted.formats.trajectory.importing.sinks import RunText
from quickstarted.results.files import storage_fault, sync_files
from quickstarted.serve.limits import FILES_PER_UPLOAD, SHOWN_CHARS, TRAJECTORIES_PER_UPLOAD
from quickstarted.serve.replies import Summary
from quickstarted.serve.store import (
    ARTIFACT,
    ARTIFACTS,
    TRAJECTORY,
    UPLOAD,
    Store,
    id_of,
)

API = "/api/v1/trajectories"

_SYNCING = 4
"""Threads: a file system puts what they wait for into one commit, and is twenty times as fast."""


@dataclass(slots=True)
class Outcome:
    """
    One item that was converted.

    Attributes:
        staged: Where it waits; None where its trace_id is taken.
        taken_by: The digest of the content that has its trace_id; empty where it is free.

    """

    name: str
    trace_id: str
    content_sha256: str
    facts: dict[str, Any]
    staged: Path | None
    taken_by: str = ""


class StagingSink:
    """A `Sink` of the importers for one upload, below *folder*."""

    def __init__(self, folder: Path, store: Store) -> None:
        self.outcomes: list[Outcome] = []
        self._folder = folder
        self._store = store
        self._digests: dict[str, str] = {}
        self._path = folder
        self._stream: BinaryIO | None = None
        self._text: RunText | None = None
        self._digest = hashlib.sha256()
        self._artifacts: set[str] = set()
        self._files = 0

    def opened(self, run: Run) -> None:
        """A run begins."""
        if len(self.outcomes) >= TRAJECTORIES_PER_UPLOAD:
            raise NotConvertible(
                f"is beyond the first {TRAJECTORIES_PER_UPLOAD:,} trajectories of the upload",
                "Upload the rest by itself.",
            )
        self._path = self._folder / f"{len(self.outcomes)}"
        self._digest = hashlib.sha256()
        self._artifacts = set()
        try:
            self._path.mkdir()
            self._stream = (self._path / TRAJECTORY).open("wb")
            self._text = RunText(self._stream, run)
        except OSError as exc:
            raise storage_fault(self._path, exc) from exc

    def event(self, event: Event) -> None:
        """The next event of the run."""
        assert self._text is not None
        self._add_to_digest(event)
        try:
            self._text.event(event)
        except OSError as exc:
            raise storage_fault(self._path, exc) from exc

    def attachment(self, attachment: Attachment) -> bool:
        """A file of the run; its name is a hash of what it holds."""
        name = attachment.uri.rpartition("/")[2]
        if not ARTIFACT.fullmatch(name):
            return False
        self._files += 1
        if self._files > FILES_PER_UPLOAD:
            raise NotConvertible(
                f"has files in it beyond the first {FILES_PER_UPLOAD:,} of the upload",
                "Upload fewer trajectories at a time.",
            )
        folder = self._path / ARTIFACTS
        try:
            folder.mkdir(exist_ok=True)
            (folder / name).write_bytes(attachment.content)
        except OSError as exc:
            raise storage_fault(folder, exc) from exc
        self._artifacts.add(name)
        return True

    def closed(self, run: Run) -> str:
        """The run is complete; its id."""
        assert self._text is not None
        assert self._stream is not None
        try:
            self._text.close(run)
            self._stream.close()
            size_bytes = (self._path / TRAJECTORY).stat().st_size
        except OSError as exc:
            raise storage_fault(self._path, exc) from exc
        self._stream = self._text = None
        self._add_to_digest(_whole(run))
        name = id_of(run.trace_id)
        digest = self._digest.hexdigest()
        taken_by = self._taken_by(name)
        facts = {
            **{key: shown(text) for key, text in _texts(run).items()},
            "bytes": size_bytes,
            "artifacts": len(self._artifacts),
        }
        outcome = Outcome(name, run.trace_id, digest, facts, self._path, taken_by)
        if taken_by:
            outcome.staged = None
            shutil.rmtree(self._path)
        self._digests.setdefault(name, digest)
        self.outcomes.append(outcome)
        return name

    def abandoned(self) -> None:
        """The run that is open will not be complete."""
        if self._stream is not None:
            self._stream.close()
            shutil.rmtree(self._path, ignore_errors=True)
        self._stream = self._text = None

    def _taken_by(self, name: str) -> str:
        stored = self._store.summary(name)
        return stored.content_sha256 if stored is not None else self._digests.get(name, "")

    def _add_to_digest(self, value: dict[str, Any]) -> None:
        metadata = {
            key: item for key, item in value.get("metadata", {}).items() if key != "source_index"
        }
        text = json.dumps({**value, "metadata": metadata}, sort_keys=True, separators=(",", ":"))
        self._digest.update(text.encode("ascii"))


def move_in(store: Store, folder: Path, pairs: list[tuple[Outcome, dict[str, Any]]]) -> None:
    """
    Put what waits in *folder* into *store*: all is on disk before the first is there.

    *pairs* has for each what its source says of it. What another upload has been faster with is a
    duplicate after all.

    Raises:
        StorageFault: The disk does not take it; what was moved in before stays.

    """
    at = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    for outcome, source in pairs:
        if outcome.staged is not None:
            _describe(outcome, source, at)
    with ThreadPoolExecutor(_SYNCING) as pool:
        for _ in pool.map(sync_files, [path for path in folder.iterdir() if path.is_dir()]):
            pass
    for outcome, _ in pairs:
        if outcome.staged is not None and not store.adopt(outcome.staged, outcome.name):
            stored = store.summary(outcome.name)
            outcome.taken_by = "?" if stored is None else stored.content_sha256
            outcome.staged = None
    store.sync()


def _describe(outcome: Outcome, source: dict[str, Any], at: str) -> None:
    assert outcome.staged is not None
    summary = Summary.model_validate(
        {
            "id": outcome.name,
            "url": f"{API}/{outcome.name}",
            **outcome.facts,
            **source,
            "content_sha256": outcome.content_sha256,
            "stored_at": at,
        }
    )
    path = outcome.staged / UPLOAD
    try:
        path.write_bytes(summary.model_dump_json(indent=1).encode("utf-8"))
    except OSError as exc:
        raise storage_fault(path, exc) from exc


def _texts(run: Run) -> dict[str, str | None]:
    return {
        "trace_id": run.trace_id,
        "task_id": run.task_id,
        "goal": run.goal,
        "framework": run.framework,
    }


def _whole(run: Run) -> dict[str, Any]:
    """All of *run* but its events."""
    times = {"started_at": run.started_at, "ended_at": run.ended_at}
    texts = {key: None if at is None else at.text for key, at in times.items()}
    return {**_texts(run), **texts, "metadata": run.metadata}


def shown(text: str | None) -> str | None:
    """The first characters of *text*, marked where it goes on."""
    return text if text is None or len(text) <= SHOWN_CHARS else f"{text[: SHOWN_CHARS - 3]}..."


def remove(folder: Path) -> None:
    """Take away what is left of an upload."""
    shutil.rmtree(folder, ignore_errors=True)
