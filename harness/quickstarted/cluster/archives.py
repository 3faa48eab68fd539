"""
Folders as archives, and back, where the archive may hold anything.

What comes from another machine writes nothing outside of its folder, is bounded, and is made of
files and folders alone; links only where they are part of what was sent (a workspace may have
some), and then they are made last, so that nothing is written through one.
"""

from __future__ import annotations

import os
import stat
import tarfile
import zlib
from pathlib import Path, PurePosixPath
from typing import IO, NamedTuple

from quickstarted.contents import walk

MAX_BYTES = 4 << 30
"""Of the files of one folder, together."""
MAX_ENTRIES = 500_000
_PIECE_BYTES = 1 << 20
_COMPRESSION = 1
_EXECUTABLE, _PLAIN = 0o755, 0o644


class ArchiveRefused(Exception):
    """It is too large, is damaged, or holds what it must not; the message says what."""


class _Link(NamedTuple):
    path: Path
    target: str


def pack(folder: Path, into: IO[bytes], *, max_bytes: int = MAX_BYTES) -> None:
    """
    Write the files, folders and links of *folder* into *into*, as a compressed tar.

    Raises:
        ArchiveRefused: They are larger than *max_bytes*.
        OSError: Something cannot be read or written.

    """
    size = 0
    with tarfile.open(fileobj=into, mode="w:gz", compresslevel=_COMPRESSION) as archive:
        for parts, info in walk(folder):
            member = _member("/".join(parts), info)
            size += member.size
            if size > max_bytes:
                raise ArchiveRefused(f"{folder} holds more than {max_bytes:,} bytes")
            path = folder.joinpath(*parts)
            if member.isreg():
                with path.open("rb") as stream:
                    member.size = os.fstat(stream.fileno()).st_size
                    archive.addfile(member, stream)
            else:
                member.linkname = str(path.readlink()) if member.issym() else ""
                archive.addfile(member)


def unpack(
    stream: IO[bytes], into: Path, *, links: bool = False, max_bytes: int = MAX_BYTES
) -> None:
    """
    Make in *into*, which is empty, what *stream* holds.

    Args:
        stream: A compressed tar.
        into: An empty folder.
        links: Whether it may hold symbolic links.
        max_bytes: That its files may have together.

    Raises:
        ArchiveRefused: It holds anything else, too much, or is damaged.
        OSError: Something cannot be written.

    """
    try:
        with tarfile.open(fileobj=stream, mode="r|gz") as archive:
            _unpack(archive, into, links=links, max_bytes=max_bytes)
    except (tarfile.TarError, EOFError, zlib.error, ValueError) as exc:
        raise ArchiveRefused(f"it is damaged: {exc}") from exc


def _unpack(archive: tarfile.TarFile, into: Path, *, links: bool, max_bytes: int) -> None:
    made: list[_Link] = []
    size = 0
    for number, member in enumerate(archive, 1):
        size += member.size
        if size > max_bytes or number > MAX_ENTRIES:
            raise ArchiveRefused(f"more than {max_bytes:,} bytes or {MAX_ENTRIES:,} files")
        path = into.joinpath(*_parts(member.name))
        if member.isdir():
            path.mkdir(parents=True, exist_ok=True)
        elif member.isreg():
            _write(archive, member, path)
        elif member.issym() and links:
            made.append(_Link(path, member.linkname))
        else:
            raise ArchiveRefused(f"{member.name!r} is neither a file nor a folder")
    for link in made:
        _make_link(link)


def _member(name: str, info: os.stat_result) -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.mtime = int(info.st_mtime)
    member.mode = _EXECUTABLE if info.st_mode & stat.S_IXUSR else _PLAIN
    if stat.S_ISDIR(info.st_mode):
        member.type = tarfile.DIRTYPE
    elif stat.S_ISLNK(info.st_mode):
        member.type = tarfile.SYMTYPE
    else:
        member.size = info.st_size
    return member


def _parts(name: str) -> tuple[str, ...]:
    """
    The parts of a member's name.

    Raises:
        ArchiveRefused: It leads out of the folder, or nowhere.

    """
    path = PurePosixPath(name)
    parts = path.parts
    if not parts or path.is_absolute() or ".." in parts or "\0" in name:
        raise ArchiveRefused(f"{name!r} leads out of the folder")
    return parts


def _write(archive: tarfile.TarFile, member: tarfile.TarInfo, path: Path) -> None:
    source = archive.extractfile(member)
    assert source is not None
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with path.open("xb") as target:
            left = member.size
            while left and (piece := source.read(min(left, _PIECE_BYTES))):
                target.write(piece)
                left -= len(piece)
    except (FileExistsError, IsADirectoryError) as exc:
        raise ArchiveRefused(f"{member.name!r} stands in it twice") from exc
    if left:
        raise ArchiveRefused(f"{member.name!r} is cut off")
    path.chmod(_EXECUTABLE if member.mode & stat.S_IXUSR else _PLAIN)
    os.utime(path, (member.mtime, member.mtime))


def _make_link(link: _Link) -> None:
    link.path.parent.mkdir(parents=True, exist_ok=True)
    try:
        link.path.symlink_to(link.target)
    except FileExistsError as exc:
        raise ArchiveRefused(f"{str(link.path)!r} stands in it twice") from exc
