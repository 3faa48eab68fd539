"""
The package cache as a whole: what is in it, written to a file, taken from a file, removed.

Everything goes through the Engine API, on a container that is created for its mount and never
started, so that it works with an engine on another machine too.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import re
import tarfile
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO
from uuid import uuid4

import docker.errors

from quickstarted.errors import EngineFault, UsageError
from quickstarted.sandbox.engine import Engine, engine_calls
from quickstarted.sandbox.labels import labels
from quickstarted.sandbox.lanes.packages import FOLDER, PackageVolume, immutable_rules
from quickstarted.sandbox.removal import remove_container
from quickstarted_proxy.immutable import address_of_url
from quickstarted_proxy.package_entries import Entry, key_of
from quickstarted_proxy.package_store import BLOBS, ENTRIES, LAYOUT

UID = 65532
"""Of the sidecars."""
_NAME = re.compile(rf"(?:\./)?{LAYOUT}/({BLOBS}|{ENTRIES})/([0-9a-f]{{2}})/([0-9a-f]{{64}})")
_MAX_ENTRY_BYTES = 64 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """A file that is kept."""

    entry: Entry
    used: float
    """When it was last given or stored, in epoch seconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """What became of the files of an import."""

    files: int
    bytes: int
    refused: int
    """Whose content is not what their name or address says, or that have no address."""


class PackageCache:
    """The volume of one engine; *image* is any that is there, the sidecar's by preference."""

    def __init__(self, engine: Engine, volume: PackageVolume, image: str) -> None:
        self._engine = engine
        self._volume = volume
        self._image = image

    def contents(self) -> list[Kept]:
        """
        List the files that are kept.

        Raises:
            EngineFault: The engine does not answer.

        """
        found = []
        with self._mounted() as container_id, self._read(container_id, ENTRIES) as tar:
            for member in tar:
                file = tar.extractfile(member) if member.isfile() else None
                with contextlib.suppress(ValueError):
                    if file is not None:
                        found.append(Kept(entry=Entry.from_json(file.read()), used=member.mtime))
        return found

    def clear(self) -> bool:
        """
        Remove the volume; whether there was one.

        Raises:
            EngineFault: A sidecar uses it, or the engine does not answer.

        """
        with engine_calls(
            "removing the package cache", gone_hint="Wait until no run uses it, and try again."
        ):
            try:
                self._engine.api.remove_volume(self._volume.name)
            except docker.errors.NotFound:
                return False
        return True

    def export(self, path: Path) -> int:
        """
        Write all that is kept to a tar file; the number of its files.

        Raises:
            EngineFault: The engine does not answer.
            UsageError: The file cannot be written.

        """
        partial = path.with_name(f".{path.name}.{uuid4().hex[:8]}")
        try:
            with self._mounted() as container_id, tarfile.open(partial, "w") as out:
                count = self._copy(container_id, out)
            partial.replace(path)
        except OSError as exc:
            raise UsageError(f"cannot write {path}: {exc.strerror}") from exc
        finally:
            partial.unlink(missing_ok=True)
        return count

    def _copy(self, container_id: str, out: tarfile.TarFile) -> int:
        count = 0
        for kind in (BLOBS, ENTRIES):
            with self._read(container_id, kind) as tar:
                for member in tar:
                    member.name = f"{LAYOUT}/{member.name}"
                    file = tar.extractfile(member) if _NAME.fullmatch(member.name) else None
                    if file is not None:
                        out.addfile(member, file)
                        count += kind == BLOBS
        return count

    def import_from(self, path: Path) -> Imported:
        """
        Take over the files of an export, each only if its content has the digest that it should.

        Raises:
            EngineFault: The engine does not answer.
            UsageError: It is no tar file, or cannot be read.

        """
        try:
            with tarfile.open(path, "r|*") as tar, self._mounted() as container_id:
                return self._take(container_id, tar)
        except (tarfile.TarError, EOFError, OSError) as exc:
            raise UsageError(
                f"cannot import {path}: {exc}",
                hint="Give a file that `quickstarted cache export` has written.",
            ) from exc

    def _take(self, container_id: str, tar: tarfile.TarFile) -> Imported:
        blake2b: dict[str, str] = {}
        entries: dict[str, tuple[Entry, int]] = {}
        total = refused = 0
        for member in tar:
            name = _NAME.fullmatch(member.name)
            file = tar.extractfile(member) if name and member.isfile() else None
            if name is None or file is None:
                continue
            kind, _, digest = name.groups()
            if kind == ENTRIES:
                _note_entry(entries, digest, file, int(member.mtime))
                continue
            with tempfile.TemporaryFile() as copy:
                found = _copied(file, copy)
                if found[0] != digest:
                    refused += 1
                    continue
                self._put(container_id, [_file(f"{BLOBS}/{digest[:2]}/{digest}", copy, 0)])
            blake2b[digest] = found[1]
            total += member.size
        good = {key: value for key, value in entries.items() if _is_right(value[0], blake2b)}
        self._put(
            container_id,
            [
                _file(
                    f"{ENTRIES}/{key[:2]}/{key}",
                    io.BytesIO(replace(entry, state="").to_json()),
                    mtime,
                )
                for key, (entry, mtime) in good.items()
            ],
        )
        return Imported(files=len(good), bytes=total, refused=refused + len(entries) - len(good))

    @contextmanager
    def _mounted(self) -> Iterator[str]:
        """A container that has the volume and is never started; its id."""
        config = {
            "Image": self._image,
            "HostConfig": {"Mounts": [self._volume.mount()], "NetworkMode": "none"},
            "Labels": labels(f"cache-{uuid4().hex[:8]}", "package-cache-access"),
        }
        with engine_calls("opening the package cache"):
            made = self._engine.api.create_container_from_config(config)  # type: ignore[no-untyped-call]
        try:
            yield str(made["Id"])
        finally:
            remove_container(self._engine, str(made["Id"]))

    @contextmanager
    def _read(self, container_id: str, kind: str) -> Iterator[tarfile.TarFile]:
        """A folder of the cache as an archive; an empty one where there is none."""
        with engine_calls("reading the package cache"):
            try:
                pieces, _ = self._engine.api.get_archive(container_id, f"{FOLDER}/{LAYOUT}/{kind}")
            except docker.errors.NotFound:
                pieces = iter([_empty_archive()])
            with tarfile.open(fileobj=_Stream(pieces), mode="r|") as tar:
                yield tar

    def _put(self, container_id: str, files: list[tuple[tarfile.TarInfo, IO[bytes]]]) -> None:
        if not files:
            return
        with tempfile.TemporaryFile() as packed:
            with tarfile.open(fileobj=packed, mode="w") as tar:
                for folder in sorted({parent for info, _ in files for parent in _parents(info)}):
                    tar.addfile(_folder(folder))
                for info, content in files:
                    tar.addfile(info, content)
            packed.seek(0)
            with engine_calls("writing the package cache"):
                if not self._engine.api.put_archive(container_id, FOLDER, packed):
                    raise EngineFault("writing the package cache: the engine refused")


class _Stream(io.RawIOBase):
    """Pieces as a file that is read once."""

    def __init__(self, pieces: Iterable[bytes]) -> None:
        self._pieces = iter(pieces)
        self._rest = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        while not self._rest:
            piece = next(self._pieces, None)
            if piece is None:
                return 0
            self._rest = piece
        size = min(len(buffer), len(self._rest))
        buffer[:size], self._rest = self._rest[:size], self._rest[size:]
        return size


def _note_entry(
    entries: dict[str, tuple[Entry, int]], key: str, file: IO[bytes], mtime: int
) -> None:
    with contextlib.suppress(ValueError):
        entry = Entry.from_json(file.read(_MAX_ENTRY_BYTES))
        if key_of(entry.url) == key:
            entries[key] = (entry, mtime)


def _is_right(entry: Entry, blake2b: dict[str, str]) -> bool:
    """Whether the entry's file has come, and is what its address says."""
    address = address_of_url(immutable_rules(), entry.url)
    if address is None or entry.sha256 not in blake2b:
        return False
    return address.digest is None or address.digest.value == blake2b[entry.sha256]


def _copied(file: IO[bytes], copy: IO[bytes]) -> tuple[str, str]:
    """Copy a file and return its SHA-256 and BLAKE2b-256."""
    sha256, blake2b = hashlib.sha256(), hashlib.blake2b(digest_size=32)
    while piece := file.read(1024 * 1024):
        sha256.update(piece)
        blake2b.update(piece)
        copy.write(piece)
    return sha256.hexdigest(), blake2b.hexdigest()


def _file(name: str, content: IO[bytes], mtime: int) -> tuple[tarfile.TarInfo, IO[bytes]]:
    info = tarfile.TarInfo(f"{LAYOUT}/{name}")
    info.size = content.seek(0, io.SEEK_END)
    info.mode, info.uid, info.gid, info.mtime = 0o644, UID, UID, mtime
    content.seek(0)
    return info, content


def _folder(name: str) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.mode, info.uid, info.gid = tarfile.DIRTYPE, 0o755, UID, UID
    return info


def _parents(info: tarfile.TarInfo) -> list[str]:
    parts = info.name.split("/")[:-1]
    return ["/".join(parts[: count + 1]) for count in range(len(parts))]


def _empty_archive() -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w"):
        pass
    return packed.getvalue()
