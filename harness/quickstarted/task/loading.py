"""What validators may ask of the file system while a task file loads."""

from __future__ import annotations

import stat
from codecs import BOM_UTF8
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from quickstarted.task.source import quoted

MAX_FILE_BYTES = 1024 * 1024
"""Of a task file and of a check."""


@dataclass(frozen=True, slots=True)
class Loading:
    """
    Validation context: present when a file loads.

    Without it a model is judged by itself, and no path is looked at.
    """

    folder: Path
    """Absolute folder of the task file."""


def existing_folder(value: str, base: Path) -> Path:
    """
    Resolve a folder that a task names.

    Raises:
        ValueError: There is no such folder.

    """
    folder = _resolved(value, base)
    if not _is(folder, stat.S_ISDIR):
        raise ValueError(f"there is no folder {folder}")
    return folder


def file_inside(value: str, base: Path) -> Path:
    """
    Resolve a file that must lie inside *base*, links followed.

    Raises:
        ValueError: There is no such file, or it lies outside.

    """
    file = _resolved(value, base)
    if not file.is_relative_to(base.resolve()):
        raise ValueError(f"{file} lies outside the task's folder")
    if not _is(file, stat.S_ISREG):
        raise ValueError(f"there is no file {file}")
    return file


def read_utf8(path: Path) -> str:
    """
    Read a small text file.

    Raises:
        ValueError: It cannot be read, is larger than `MAX_FILE_BYTES`, or is not UTF-8.

    """
    try:
        data = read_bounded(path)
    except OSError as exc:
        raise ValueError(f"{path} cannot be read: {exc.strerror}") from exc
    try:
        return data.removeprefix(BOM_UTF8).decode("utf-8")
    except UnicodeDecodeError as exc:
        offset = exc.start + len(data) - len(exc.object)
        raise ValueError(
            f"{path} is not UTF-8: byte 0x{data[offset]:02x} at offset {offset}"
        ) from exc


def read_bounded(path: Path) -> bytes:
    """
    Read a file, and not more than the limit of it.

    Raises:
        OSError: It cannot be read.
        ValueError: It is larger than `MAX_FILE_BYTES`.

    """
    with path.open("rb") as file:
        data = file.read(MAX_FILE_BYTES + 1)
    if len(data) > MAX_FILE_BYTES:
        raise ValueError(f"{path} is larger than {MAX_FILE_BYTES // 1024**2} MB")
    return data


def _is(path: Path, is_kind: Callable[[int], bool]) -> bool:
    try:
        return is_kind(path.stat().st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as exc:
        raise ValueError(f"{quoted(str(path), 200)} cannot be read: {exc.strerror}") from exc


def _resolved(value: str, base: Path) -> Path:
    try:
        return (base / value).resolve()
    except (OSError, ValueError, RuntimeError) as exc:
        raise ValueError(f"{quoted(value)} is not a path") from exc
