"""Files into and out of a sandbox, as tar streams through the engine; nothing is mounted."""

from __future__ import annotations

import io
import tarfile
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path, PurePosixPath
from typing import IO

import docker.errors

from quickstarted.errors import SandboxFault, StorageFault
from quickstarted.sandbox.engine import Engine, engine_calls

IN_MEMORY_BYTES = 8 * 1024**2
MOST_LINKS = 8
"""Followed by `get_file`, as the kernel would; a loop ends here."""


def put_files(engine: Engine, container_id: str, contents: Mapping[str, tuple[bytes, int]]) -> None:
    """
    Write files, root's.

    Args:
        engine: The engine.
        container_id: Running or not.
        contents: Absolute path to content and mode.

    """
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        for path, (content, mode) in contents.items():
            entry = tarfile.TarInfo(path.lstrip("/"))
            entry.size, entry.mode, entry.mtime = len(content), mode, int(time.time())
            tar.addfile(entry, io.BytesIO(content))
    _extract(engine, container_id, buffer.getvalue(), "writing files into the sandbox")


def put_tree(
    engine: Engine, container_id: str, folder: Path, path: str, owner: tuple[int, int]
) -> None:
    """
    Copy the contents of *folder* below *path*.

    Symbolic links are copied as links, never followed, so that nothing from outside the folder
    gets in; sockets, pipes and devices are left out.

    Args:
        engine: The engine.
        container_id: Running or not.
        folder: On the host.
        path: Absolute, in the sandbox.
        owner: uid and gid of everything copied.

    Raises:
        StorageFault: A file of the folder cannot be read.

    """
    with tempfile.SpooledTemporaryFile(max_size=IN_MEMORY_BYTES) as spool:
        try:
            _pack(spool, folder, path.strip("/"), owner)
        except OSError as exc:
            raise StorageFault(f"copying {folder} into the sandbox: {exc}") from exc
        spool.seek(0)
        _extract(engine, container_id, spool, f"copying {folder} into the sandbox")


def get_file(engine: Engine, container_id: str, path: str, max_bytes: int) -> bytes:
    """
    Read at most *max_bytes* of a regular file; empty when there is none.

    A symbolic link is followed inside the sandbox, never on the host. A path that the engine
    cannot resolve (a loop of links, say) is no file as long as the container is there.

    Raises:
        SandboxFault: The container is gone.

    """
    at = PurePosixPath(path)
    for _ in range(MOST_LINKS):
        with engine_calls(f"reading {path} from the sandbox", gone=SandboxFault):
            try:
                stream, stat = engine.api.get_archive(container_id, str(at))
            except docker.errors.APIError:
                engine.api.inspect_container(container_id)
                return b""
            with closing(stream):
                target = (stat or {}).get("linkTarget", "")
                if not target:
                    return _first_file(stream, max_bytes)
        at = at.parent / target
    return b""


def _extract(engine: Engine, container_id: str, data: bytes | IO[bytes], what: str) -> None:
    with engine_calls(what, gone=SandboxFault):
        engine.api.put_archive(container_id, "/", data)


def _pack(target: IO[bytes], folder: Path, below: str, owner: tuple[int, int]) -> None:
    with tarfile.open(fileobj=target, mode="w", dereference=False) as tar:
        for path in sorted(folder.rglob("*")):
            name = f"{below}/{path.relative_to(folder).as_posix()}"
            entry = tar.gettarinfo(path, name)
            if entry.islnk():
                entry.type, entry.size = tarfile.REGTYPE, path.stat().st_size
            entry.uid, entry.gid = owner
            entry.uname = entry.gname = ""
            if entry.isreg():
                with path.open("rb") as content:
                    tar.addfile(entry, content)
            elif entry.isdir() or entry.issym():
                tar.addfile(entry)


def _first_file(stream: Iterator[bytes], max_bytes: int) -> bytes:
    with tarfile.open(fileobj=_Chunks(stream), mode="r|") as tar:  # type: ignore[call-overload]
        entry = tar.next()
        content = tar.extractfile(entry) if entry is not None and entry.isreg() else None
        return content.read(max_bytes) if content is not None else b""


class _Chunks:
    """A stream of chunks as a file that tarfile can read."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks = chunks
        self._rest = b""

    def read(self, size: int) -> bytes:
        """Return up to *size* bytes; fewer only at the end."""
        while len(self._rest) < size:
            chunk = next(self._chunks, b"")
            if not chunk:
                break
            self._rest += chunk
        data, self._rest = self._rest[:size], self._rest[size:]
        return data
