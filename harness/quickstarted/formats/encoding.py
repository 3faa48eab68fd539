"""What the first bytes of a file say of its encoding, before anything is taken for text."""

from __future__ import annotations

from dataclasses import dataclass

HEAD_BYTES = 4
BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class HeadProblem:
    """Why the file cannot be read as it is; `message` is a sentence without its subject."""

    code: str
    message: str


def head_problem(head: bytes) -> HeadProblem | None:
    """
    What *head*, the first bytes of a file, shows it to be instead of UTF-8.

    JSON starts with an ASCII character, so a NUL among the first two bytes is UTF-16 or UTF-32.
    """
    if head.startswith(b"\x1f\x8b"):
        return HeadProblem("gzip", "is compressed (gzip); unpack it first")
    if head.startswith((b"\xff\xfe", b"\xfe\xff")) or b"\0" in head[:2]:
        return HeadProblem("utf16", "is UTF-16 or UTF-32; it must be UTF-8")
    if head.startswith(BOM):
        return HeadProblem("bom", "starts with a byte order mark, which UTF-8 does not need")
    return None
