"""Standard input, output and error where they are closed, full or gone."""

from __future__ import annotations

import errno
import os
import sys
from typing import TextIO

STDERR = 2
LOST = frozenset({errno.EPIPE, errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF})
"""What writing to a standard stream can fail of."""


def open_missing() -> None:
    """
    Give a process that was started without some of them (`>&-`) the null device in their place.

    Otherwise the next file or connection would get the number of one, and what is printed.
    """
    while (number := os.open(os.devnull, os.O_RDWR)) <= STDERR:
        os.set_inheritable(number, True)  # noqa: FBT003 (it has no name)
    os.close(number)
    for name, number, mode in (("stdin", 0, "r"), ("stdout", 1, "w"), ("stderr", 2, "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115


def is_loss(exc: OSError) -> bool:
    """Whether *exc* says that a stream takes nothing more, and nothing about a file of ours."""
    return exc.errno in LOST and exc.filename is None


def give_up(stream: TextIO) -> None:
    """Drop what *stream* still holds: Python writes it once more at the end of the process."""
    with open(os.devnull, "w", encoding="utf-8") as nowhere:  # noqa: PTH123 (not a path)
        os.dup2(nowhere.fileno(), stream.fileno())
