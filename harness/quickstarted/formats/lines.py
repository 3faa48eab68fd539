"""The lines of a file, by LF alone and of bounded length; other line ends belong to the text."""

from __future__ import annotations

from collections.abc import Iterator
from io import BufferedReader, FileIO
from pathlib import Path
from typing import BinaryIO

BUFFER_BYTES = 1024 * 1024


class LineTooLong(Exception):
    """A line goes on past the limit; what follows it cannot be read."""


def open_buffered(path: Path) -> BufferedReader:
    """
    The file *path*, to be read in large pieces and looked at ahead of reading.

    Raises:
        OSError: It cannot be read, or is a folder.

    """
    return BufferedReader(FileIO(path), BUFFER_BYTES)


def raw_lines(stream: BinaryIO, max_bytes: int) -> Iterator[bytes]:
    """
    Each line of *stream* with its line end, which the last one may lack.

    Raises:
        LineTooLong: A line has more than *max_bytes*.

    """
    read = stream.readline
    limit = max_bytes + 1
    while line := read(limit):
        if len(line) > max_bytes:
            raise LineTooLong
        yield line
