"""Reading small documents that anything may have happened to since they were written."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from pydantic import ValidationError

from quickstarted.errors import UsageError

MAX_DOCUMENT_BYTES = 64 * 1024**2
"""More than any document of one attempt can be."""


class Unreadable(UsageError):
    """A document cannot be used; the message says why, without naming the folder."""


def read_document(path: Path | str) -> bytes | None:
    """
    The content of a file; None where there is none.

    Raises:
        Unreadable: It is no plain file, is larger than any document, or cannot be read.

    """
    name = os.path.basename(path)  # noqa: PTH119 - ten thousand of them, and strings suffice
    try:
        # A pipe of that name must not hold up whoever looks at a folder.
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as exc:
        raise Unreadable(f"{name} cannot be read: {exc.strerror}") from exc
    try:
        info = os.fstat(descriptor)
        if not stat.S_ISREG(info.st_mode):
            raise Unreadable(f"{name} is no file")
        if info.st_size > MAX_DOCUMENT_BYTES:
            raise Unreadable(f"{name} is larger than {MAX_DOCUMENT_BYTES} bytes")
        with os.fdopen(descriptor, "rb", closefd=False) as stream:
            return stream.read()
    except OSError as exc:
        raise Unreadable(f"{name} cannot be read: {exc.strerror}") from exc
    finally:
        os.close(descriptor)


def why_invalid(name: str, content: bytes, invalid: ValidationError) -> Unreadable:
    """Why *content* is not the document *name*, for people."""
    first = invalid.errors(include_url=False, include_input=False)[0]
    if first["type"] == "json_invalid":
        return Unreadable(f"{name} is {'not whole' if content else 'empty'}")
    field = ".".join(str(part) for part in first["loc"])
    return Unreadable(f"{name} is of another version or another program: {field}: {first['msg']}")
