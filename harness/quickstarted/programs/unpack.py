"""A package's archive as the archive that the engine takes: only what is needed, owned by root."""

from __future__ import annotations

import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from tempfile import TemporaryFile
from typing import IO

from quickstarted.errors import ProgramUnavailable
from quickstarted.programs.release import Package

_TOP = "package"
"""The folder that npm's archives have everything in."""


@contextmanager
def packed(archive: Path, package: Package, folder: str) -> Iterator[IO[bytes]]:
    """
    A tar archive for the root folder of a sandbox; gone after the block.

    Args:
        archive: As `fetch` returns it.
        package: What it is an archive of.
        folder: Absolute; the files come to lie below it.

    Raises:
        ProgramUnavailable: The program is not in it.

    """
    with TemporaryFile() as file:
        names = set()
        with (
            tarfile.open(archive, mode="r:gz") as source,
            tarfile.open(fileobj=file, mode="w") as target,
        ):
            for member in source:
                name = _kept_name(member, package)
                if name is None:
                    continue
                names.add(name)
                target.addfile(_header(member, f"{folder}/{name}"), source.extractfile(member))
        if package.command not in names:
            raise ProgramUnavailable(
                f"{package.name} {package.version} has no file {package.command}",
                hint="It is another package than the one that this version knows.",
            )
        file.seek(0)
        yield file


def _kept_name(member: tarfile.TarInfo, package: Package) -> str | None:
    """A regular file's path below the package's folder, if it is needed; links are not."""
    parts = PurePosixPath(member.name).parts
    if not member.isreg() or parts[:1] != (_TOP,) or ".." in parts:
        return None
    name = "/".join(parts[1:])
    wanted = any(
        name == kept or (kept[-1] == "/" and name.startswith(kept)) for kept in package.keep
    )
    return name if wanted else None


def _header(member: tarfile.TarInfo, path: str) -> tarfile.TarInfo:
    header = tarfile.TarInfo(path.lstrip("/"))
    header.size = member.size
    header.mode = 0o755 if member.mode & 0o100 else 0o644
    return header
