"""Which task files a call means: files, folders, globs, or `tasks/` when it names none."""

from __future__ import annotations

import glob
from collections.abc import Iterable, Sequence
from pathlib import Path

from quickstarted.errors import UsageError

SUFFIXES = (".yaml", ".yml")
DEFAULT_FOLDER = Path("tasks")


def find_tasks(args: Sequence[str]) -> list[Path]:
    """
    Turn arguments into task files, in the order given, folders and globs sorted, each file once.

    Args:
        args: Files, folders (their own `*.yaml` and `*.yml`, not those of folders below) and
            globs (`**` goes down). None: the folder `tasks`.

    Raises:
        UsageError: An argument means no file, or there is none at all.

    """
    if not args:
        return _in_default_folder()
    found: dict[Path, None] = {}
    for arg in args:
        files = _meant_by(arg)
        if not files:
            raise UsageError(
                f"there is no task file at {arg}",
                hint="Name a file, a folder that holds *.yaml files, or a glob.",
            )
        found.update(dict.fromkeys(files))
    return list(found)


def _in_default_folder() -> list[Path]:
    files = _in_folder(DEFAULT_FOLDER) if DEFAULT_FOLDER.is_dir() else []
    if not files:
        raise UsageError(
            "there is no task file in tasks/",
            hint="Name one, or start from an example: quickstarted examples copy NAME",
        )
    return files


def _meant_by(arg: str) -> list[Path]:
    path = Path(arg)
    try:
        if path.is_dir():
            return _in_folder(path)
        if path.exists():
            return [path]
    except OSError as exc:
        raise UsageError(f"{path} cannot be read: {exc.strerror}") from exc
    if glob.has_magic(arg):
        matches = (Path(match) for match in sorted(glob.glob(arg, recursive=True)))  # noqa: PTH207
        return _tasks(matches)
    return []


def _in_folder(folder: Path) -> list[Path]:
    return _tasks(sorted(folder.iterdir()))


def _tasks(paths: Iterable[Path]) -> list[Path]:
    return [path for path in paths if path.suffix in SUFFIXES and path.is_file()]
