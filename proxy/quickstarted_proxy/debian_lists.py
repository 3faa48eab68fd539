"""
What a Debian archive's lists (`Packages`, `Sources`) say of the content of its files.

Standard library only, and pure. A list has tens of megabytes of text, so it is unpacked and read a
slice at a time. What is broken, cut or endless raises, and what was read of it until then is not to
be used. The format is that of deb-control(5) and of the Debian Repository Format.
"""

from __future__ import annotations

import bz2
import lzma
import re
import zlib
from collections.abc import Generator, Iterator
from typing import Any, BinaryIO

from quickstarted_proxy.immutable import Digest

MAX_LIST_BYTES = 64 * 1024**2
"""Of a list as it comes; the largest there are have 20 MB packed and 60 MB as text."""
MAX_TEXT_BYTES = 256 * 1024**2
MAX_FILES = 300_000
"""Named by one list."""
MAX_STANZA_BYTES = 1024**2
_SLICE_BYTES = 64 * 1024
"""Of text at once: the event loop waits for it, half a millisecond."""
_READ_BYTES = 64 * 1024
_XZ_MEMORY_BYTES = 40 * 1024**2
"""What unpacking may take; archives pack so that 9 MiB are enough."""
_MAX_STREAMS = 100
"""One after the other in a file; those of Ubuntu have two."""
_SHA256_HEX_DIGITS = 64

_BY_HASH = re.compile(rb"/by-hash/(SHA256|SHA512)/([^/]+)\Z")
_CHECKSUM_LINE = re.compile(rb"^ ([0-9a-f]{64}) [0-9]+ (\S+)$", re.MULTILINE)


def root_of(path: bytes) -> bytes:
    """What stands before the names of files, in the path of a list: all before `/dists/`."""
    return path.partition(b"/dists/")[0]


def name_says(path: bytes) -> Digest | None:
    """The digest of a list whose path holds one (`by-hash`)."""
    found = _BY_HASH.search(path)
    if found is None:
        return None
    value = found[2].decode("ascii", "replace")
    return Digest("sha512" if found[1] == b"SHA512" else "sha256", value)


def files_in(file: BinaryIO) -> Iterator[tuple[bytes, bytes]]:
    """
    Read a list: name below the archive's root, and SHA-256, of each file that it names.

    Args:
        file: The list as it came: xz, gzip, bzip2 or text, told by its first bytes.

    Raises:
        ValueError: It is no list, broken, cut, or larger than any list.

    """
    count = 0
    for number, stanza in enumerate(_stanzas(_text(file))):
        if number > MAX_FILES:
            raise ValueError("it has too many stanzas")
        for pair in _files_of(b"\n" + stanza + b"\n"):
            count += 1
            if count > MAX_FILES:
                raise ValueError("it names too many files")
            yield pair


def _files_of(stanza: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Nothing of a stanza that lacks something: files may have other digests only."""
    name, digest = _field(stanza, b"\nFilename:"), _field(stanza, b"\nSHA256:")
    if name and len(digest) == _SHA256_HEX_DIGITS:
        try:
            yield name.removeprefix(b"./"), bytes.fromhex(digest.decode("ascii"))
        except ValueError:
            return
    elif folder := _field(stanza, b"\nDirectory:"):
        for line in _CHECKSUM_LINE.finditer(_lines(stanza, b"\nChecksums-Sha256:")):
            yield folder + b"/" + line[2], bytes.fromhex(line[1].decode("ascii"))


def _field(stanza: bytes, key: bytes) -> bytes:
    """The value of a field of one line; lines that go on begin with a space, so none is a key."""
    start = stanza.find(key)
    if start < 0:
        return b""
    start += len(key)
    return stanza[start : stanza.index(b"\n", start)].strip()


def _lines(stanza: bytes, key: bytes) -> bytes:
    """The lines by which a field goes on."""
    found = re.search(re.escape(key) + rb"[^\n]*\n((?: [^\n]*\n)*)", stanza)
    return found[1] if found else b""


def _stanzas(pieces: Iterator[bytes]) -> Iterator[bytes]:
    rest = b""
    for piece in pieces:
        *whole, rest = (rest + piece).split(b"\n\n")
        yield from whole
        if len(rest) > MAX_STANZA_BYTES:
            raise ValueError("a stanza has no end")
    yield rest


def _text(file: BinaryIO) -> Iterator[bytes]:
    total = 0
    for piece in _unpacked(file):
        total += len(piece)
        if total > MAX_TEXT_BYTES:
            raise ValueError("it is too large")
        yield piece


def _unpacked(file: BinaryIO) -> Iterator[bytes]:
    data = file.read(_READ_BYTES)
    if _unpacker(data) is None:
        yield data
        while piece := file.read(_SLICE_BYTES):
            yield piece
        return
    try:
        for _ in range(_MAX_STREAMS):
            data = yield from _stream(_unpacker(data), data, file)
            # What follows may be shorter than what tells what it is.
            data += file.read(_READ_BYTES)
            if not data:
                return
    except (lzma.LZMAError, zlib.error, OSError) as exc:
        raise ValueError(f"it cannot be unpacked: {exc}") from exc
    raise ValueError("it has too many streams")


def _stream(unpacker: Any, data: bytes, file: BinaryIO) -> Generator[bytes, None, bytes]:
    """Unpack one stream; returns what was read beyond its end."""
    if unpacker is None:
        raise ValueError("something else comes after its end")
    while True:
        yield unpacker.decompress(data, _SLICE_BYTES)
        if unpacker.eof:
            return bytes(unpacker.unused_data)
        data = file.read(_READ_BYTES) if unpacker.needs_input else b""
        if not data and unpacker.needs_input:
            raise ValueError("it ends too early")


def _unpacker(first: bytes) -> Any:
    """What unpacks a file with these first bytes, None for text."""
    if first.startswith(b"\xfd7zXZ\x00"):
        return lzma.LZMADecompressor(format=lzma.FORMAT_XZ, memlimit=_XZ_MEMORY_BYTES)
    if first.startswith(b"\x1f\x8b"):
        return _Gzip()
    return bz2.BZ2Decompressor() if first.startswith(b"BZh") else None


class _Gzip:
    """zlib with the interface that lzma and bz2 have."""

    def __init__(self) -> None:
        self._inflate = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)

    @property
    def eof(self) -> bool:
        return self._inflate.eof

    @property
    def needs_input(self) -> bool:
        return not self._inflate.unconsumed_tail

    @property
    def unused_data(self) -> bytes:
        return self._inflate.unused_data

    def decompress(self, data: bytes, max_length: int) -> bytes:
        """Unpack at most so much."""
        return self._inflate.decompress(self._inflate.unconsumed_tail + data, max_length)
