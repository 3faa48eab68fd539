"""
The folder in which pages are kept: bodies by their digest, and a small record for each URL.

    CACHEDIR.TAG
    v1/bodies/ab/ab12...    the bytes of a body, named by their SHA-256
    v1/pages/cd/cd34...     a record (`records`), named by the SHA-256 of what was asked for

Each file is written beside its place and renamed into it, so that readers need no lock and writers
cannot tear one another's files. Whatever a file has in it, it counts only when its digest is
right; what is damaged is removed, and the page is fetched again. Own code and not hishel: that
answers by HTTP's freshness rules out of one SQLite file, where this asks once a run, must stand
damage and many writers, and has to say what changed.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from quickstarted.docs.store.records import NoStore, Record, StoredPage, load, storable

Key = tuple[str, str]
"""What was accepted, and the URL."""

_TAG = (
    "Signature: 8a477f597d28d172789f06886806bc55\n"
    "# This folder is the documentation cache of quickstarted; it can be removed at any time.\n"
)
_TEMPORARY = ".new-"
_LEFT_BEHIND_S = 3600.0
"""Age from which an unfinished file is nobody's any more."""
_PRUNED_TO = 0.9
"""Share of its size to which a store that is too large is brought."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What is kept."""

    pages: int
    body_bytes: int
    """Bodies on disk; equal ones are one."""
    hosts: dict[str, int]
    """Host to its pages."""
    oldest_used: float | None
    """Seconds since the epoch; None when nothing is kept."""


class Store:
    """
    Pages in *folder*, which is made when the first one is stored.

    Args:
        folder: Shared with other processes.
        max_bytes: Bodies that `prune` leaves.

    """

    def __init__(self, folder: Path, max_bytes: int) -> None:
        self.folder = folder
        self.max_bytes = max_bytes
        self._pages = folder / "v1" / "pages"
        self._bodies = folder / "v1" / "bodies"

    def get(self, key: Key) -> StoredPage | NoStore | None:
        """What is stored for *key*; None when nothing is, or nothing whole."""
        place = self._place(key)
        record = _record(place)
        if record is None or (record.accept, record.url) != key:
            return None
        if not record.sha256:
            return NoStore()
        body = _body(self._body_place(record.sha256), record.sha256)
        if body is None:
            _remove(place)
            return None
        with suppress(OSError):
            os.utime(place)
        return StoredPage(status=record.status, headers=record.headers, body=body)

    def put(self, key: Key, page: StoredPage | NoStore) -> None:
        """
        Keep *page* for *key*, in place of what was there.

        Raises:
            OSError: It cannot be written; what was there is as it was.

        """
        place = self._place(key)
        if isinstance(page, NoStore):
            self._write(place, _record_of(key).dump())
            return
        sha256 = hashlib.sha256(page.body).hexdigest()
        self._write_body(sha256, page.body)
        record = replace(
            _record_of(key),
            sha256=sha256,
            size=len(page.body),
            status=page.status,
            headers=storable(page.headers),
        )
        self._write(place, record.dump())

    def usage(self) -> Usage:
        """Count what is kept."""
        known = list(self._records())
        pages = [(used, record) for _, used, record in known if record.sha256]
        hosts: dict[str, int] = {}
        for _, record in pages:
            host = record.url.partition("://")[2].partition("/")[0]
            hosts[host] = hosts.get(host, 0) + 1
        return Usage(
            pages=len(pages),
            body_bytes=sum({record.sha256: record.size for _, record in pages}.values()),
            hosts=hosts,
            oldest_used=min((used for used, _ in pages), default=None),
        )

    def prune(self) -> None:
        """
        Forget what was not used for longest, down to the size; remove what nobody refers to.

        Another process may store a page whose body goes just then: it is fetched again.

        Raises:
            OSError: A folder cannot be read.

        """
        newest_first = sorted(self._records(), key=lambda one: one[1], reverse=True)
        kept: set[str] = set()
        gone: set[str] = set()
        total = 0
        is_full = _total(newest_first) > self.max_bytes
        limit = self.max_bytes * _PRUNED_TO if is_full else self.max_bytes
        for place, _, record in newest_first:
            size = 0 if record.sha256 in kept else record.size
            if is_full and total + size > limit:
                _remove(place)
                gone.add(record.sha256)
                continue
            total += size
            kept.add(record.sha256)
        for sha256 in gone - kept:
            _remove(self._body_place(sha256))
        self._sweep(kept)

    def clear(self) -> int:
        """
        Remove everything and return how many pages there were.

        Raises:
            OSError: It cannot be removed.

        """
        pages = self.usage().pages
        for folder in (self._pages, self._bodies):
            if folder.exists():
                shutil.rmtree(folder)
        return pages

    def _place(self, key: Key) -> Path:
        name = hashlib.sha256("\n".join(key).encode("utf-8", "surrogatepass")).hexdigest()
        return self._pages / name[:2] / name

    def _body_place(self, sha256: str) -> Path:
        return self._bodies / sha256[:2] / sha256

    def _write_body(self, sha256: str, body: bytes) -> None:
        place = self._body_place(sha256)
        try:
            if place.stat().st_size == len(body):
                # A sweep spares what is new, also what is new again.
                os.utime(place)
                return
        except OSError:
            pass
        self._write(place, body)

    def _write(self, place: Path, data: bytes) -> None:
        if not place.parent.is_dir():
            place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            _write_tag(self.folder)
        handle, name = tempfile.mkstemp(prefix=_TEMPORARY, dir=place.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            Path(name).replace(place)
        except BaseException:
            _remove(Path(name))
            raise

    def _records(self) -> Iterator[tuple[Path, float, Record]]:
        """Every whole record, with its place and when it was last used."""
        for place in self._pages.glob("*/*"):
            if place.name.startswith(_TEMPORARY):
                continue
            record = _record(place)
            with suppress(OSError):
                if record is not None:
                    yield place, place.stat().st_mtime, record

    def _sweep(self, kept: set[str]) -> None:
        """Remove bodies without a record, and what killed writers left; spare what is new."""
        before = time.time() - _LEFT_BEHIND_S
        for place in [*self._bodies.glob("*/*"), *self._pages.glob(f"*/{_TEMPORARY}*")]:
            with suppress(OSError):
                if place.name not in kept and place.stat().st_mtime < before:
                    place.unlink()


def _record_of(key: Key) -> Record:
    accept, url = key
    return Record(url=url, accept=accept, sha256="", size=0, status=0, headers=())


def _total(records: list[tuple[Path, float, Record]]) -> int:
    return sum({record.sha256: record.size for _, _, record in records}.values())


def _record(place: Path) -> Record | None:
    try:
        data = place.read_bytes()
    except OSError:
        return None
    record = load(data)
    if record is None:
        _remove(place)
    return record


def _body(place: Path, sha256: str) -> bytes | None:
    try:
        body = place.read_bytes()
    except OSError:
        return None
    if hashlib.sha256(body).hexdigest() == sha256:
        return body
    _remove(place)
    return None


def _remove(place: Path) -> None:
    with suppress(OSError):
        place.unlink()


def _write_tag(folder: Path) -> None:
    """So that backups leave the folder out (bford.info/cachedir)."""
    with suppress(FileExistsError), (folder / "CACHEDIR.TAG").open("x") as file:
        file.write(_TAG)
