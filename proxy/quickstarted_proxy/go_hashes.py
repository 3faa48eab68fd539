"""
The hash `h1:` of Go modules, as `go.sum` and the checksum database name it.

Standard library only. Hash1 of golang.org/x/mod/sumdb/dirhash: SHA-256 of a listing that has, for
each file in the order of the names' bytes, its SHA-256, two spaces, its name and a line feed. The
limits are those of golang.org/x/mod/zip, and what the memory of a sidecar allows.
"""

from __future__ import annotations

import hashlib
import io
import struct
import zipfile
import zlib
from typing import BinaryIO

MAX_UNPACKED_BYTES = 500 * 1024**2
"""Of all files of a module (`MaxZipFile`)."""
_MAX_READ_BYTES = 4 * 1024**2
"""Of the archive at once: its directory is read in one piece, and has to fit."""
_PIECE_BYTES = 256 * 1024
_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    OverflowError,
    NotImplementedError,
    RuntimeError,
)
"""What reading a broken archive raises, beside ValueError."""
_UTF8_NAME = 0x800
"""Flag of a file in an archive (APPNOTE, section 4.4.4)."""


def hash_of_mod(sha256: str) -> str:
    """The hash, in hex, of a `go.mod` with this SHA-256: of a listing with one file."""
    return hashlib.sha256(f"{sha256}  go.mod\n".encode("ascii")).hexdigest()


def hash_of_zip(file: BinaryIO, max_unpacked_bytes: int = MAX_UNPACKED_BYTES) -> str:
    """
    Hash the files of a module's archive, in hex.

    Raises:
        ValueError: It is no archive, is broken, or unpacks to more than a module has.

    """
    listing = hashlib.sha256()
    try:
        with zipfile.ZipFile(_Careful(file)) as archive:
            for name, info in _files(archive, max_unpacked_bytes):
                digest = hashlib.sha256()
                with archive.open(info) as content:
                    while piece := content.read(_PIECE_BYTES):
                        digest.update(piece)
                listing.update(digest.hexdigest().encode("ascii") + b"  " + name + b"\n")
    except (*_BROKEN, OSError) as exc:
        raise ValueError(f"not the archive of a module: {exc}") from exc
    return listing.hexdigest()


def _files(archive: zipfile.ZipFile, max_bytes: int) -> list[tuple[bytes, zipfile.ZipInfo]]:
    """Names, as the archive has them, and files in the order of the listing."""
    infos = archive.infolist()
    if sum(info.file_size for info in infos) > max_bytes:
        raise ValueError(f"it unpacks to more than {max_bytes} bytes")
    named = {_name(info): info for info in infos}
    if len(named) != len(infos) or any(b"\n" in name for name in named):
        raise ValueError("its names are not those of files")
    if any(info.compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED} for info in infos):
        raise ValueError("it is packed in a way that modules are not")
    return sorted(named.items())


def _name(info: zipfile.ZipInfo) -> bytes:
    return info.orig_filename.encode("utf-8" if info.flag_bits & _UTF8_NAME else "cp437")


class _Careful(io.RawIOBase):
    """A file of which not much is read at once, whatever the archive says of itself."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        return self._file.tell()

    def read(self, size: int | None = -1) -> bytes:
        if size is None or size < 0 or size > _MAX_READ_BYTES:
            size = _MAX_READ_BYTES + 1
        data = self._file.read(size)
        if len(data) > _MAX_READ_BYTES:
            raise ValueError("its directory is larger than that of a module")
        return data
