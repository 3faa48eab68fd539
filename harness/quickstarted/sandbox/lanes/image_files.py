"""
What an image already has below /etc, and files to be put into a sandbox as one archive.

Read once per image through the engine (nothing needs to run in it), so that configuration is
added to and never replaced. Links are followed the way the sandbox would follow them.
"""

from __future__ import annotations

import io
import posixpath
import tarfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import docker.errors

from quickstarted.sandbox.engine import Engine, engine_calls

LARGEST_FILE_BYTES = 4 * 1024**2
"""No configuration file and no bundle of roots is larger; what is, is not looked at."""
_LINKS_FOLLOWED = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageFiles:
    """Regular files, links and folders by absolute path."""

    files: dict[str, bytes] = field(default_factory=dict)
    links: dict[str, str] = field(default_factory=dict)
    """Path to target as written, absolute or relative."""
    folders: frozenset[str] = frozenset()

    def resolve(self, path: str) -> str:
        """Where writing to *path* would end up, every link on the way followed."""
        for _ in range(_LINKS_FOLLOWED):
            head = next((part for part in _prefixes(path) if part in self.links), None)
            if head is None:
                break
            target = posixpath.join(posixpath.dirname(head), self.links[head])
            path = posixpath.normpath(target + path.removeprefix(head))
        return path

    def read(self, path: str) -> bytes | None:
        """Content of a regular file, links followed; None when there is none."""
        return self.files.get(self.resolve(path))

    def has_folder(self, path: str) -> bool:
        """Whether there is such a folder, links followed."""
        return self.resolve(path) in self.folders


@dataclass(frozen=True, slots=True, kw_only=True)
class FileToPut:
    """A file of root's, or a link where `link` is not empty."""

    path: str
    content: bytes = b""
    mode: int = 0o644
    link: str = ""


def read_image_files(engine: Engine, container_id: str, paths: Iterable[str]) -> ImageFiles:
    """
    Read files and whole folders out of a container, running or not; absent ones are left out.

    Raises:
        EngineFault: The engine does not answer, or the container is gone.

    """
    files: dict[str, bytes] = {}
    links: dict[str, str] = {}
    folders: set[str] = set()
    for path in paths:
        for member, content in _members(engine, container_id, path):
            name = posixpath.join(posixpath.dirname(path), member.name.rstrip("/"))
            if member.issym():
                links[name] = member.linkname
            elif member.isdir():
                folders.add(name)
            elif content is not None:
                files[name] = content
    return ImageFiles(files=files, links=links, folders=frozenset(folders))


def pack(files: Iterable[FileToPut], *, folders: Iterable[str] = ()) -> bytes:
    """
    One tar archive for the root folder.

    Only *folders* are in it with a mode of their own (0755): an entry for a folder that the image
    has would change that folder; missing parents are made by the engine.
    """
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for folder in folders:
            archive.addfile(_header(folder, tarfile.DIRTYPE, 0o755))
        for file in files:
            if file.link:
                header = _header(file.path, tarfile.SYMTYPE, 0o777)
                header.linkname = file.link
                archive.addfile(header)
            else:
                header = _header(file.path, tarfile.REGTYPE, file.mode)
                header.size = len(file.content)
                archive.addfile(header, io.BytesIO(file.content))
    return buffer.getvalue()


def _header(path: str, kind: bytes, mode: int) -> tarfile.TarInfo:
    header = tarfile.TarInfo(path.lstrip("/"))
    header.type = kind
    header.mode = mode
    return header


def _prefixes(path: str) -> Iterator[str]:
    """/a/b/c: /a, /a/b, /a/b/c."""
    parts = path.strip("/").split("/")
    for count in range(1, len(parts) + 1):
        yield "/" + "/".join(parts[:count])


def _members(
    engine: Engine, container_id: str, path: str
) -> Iterator[tuple[tarfile.TarInfo, bytes | None]]:
    with engine_calls(f"reading {path} of the image"):
        try:
            chunks, _ = engine.api.get_archive(container_id, path)
        except docker.errors.NotFound:
            return
        raw = _Stream(iter(chunks))
        with tarfile.open(fileobj=io.BufferedReader(raw), mode="r|") as archive:
            for member in archive:
                small = member.isreg() and member.size <= LARGEST_FILE_BYTES
                reader = archive.extractfile(member) if small else None
                yield member, reader.read() if reader is not None else None


class _Stream(io.RawIOBase):
    """Chunks of bytes as a file."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        super().__init__()
        self._chunks = chunks
        self._rest = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        if not self._rest:
            self._rest = next(self._chunks, b"")
        count = min(len(buffer), len(self._rest))
        buffer[:count] = self._rest[:count]
        self._rest = self._rest[count:]
        return count
