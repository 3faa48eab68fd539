"""New files on disk: whole or not at all, and never over one that is there."""

from __future__ import annotations

import json
import os
from pathlib import Path

from quickstarted.authoring.scaffold import SCHEMA_NAME
from quickstarted.errors import UsageError
from quickstarted.task.find import SUFFIXES
from quickstarted.task.schema import task_schema


def refuse_taken(path: Path) -> None:
    """
    Say at once that *path* cannot become a task file, before any work is done for it.

    Raises:
        UsageError: It is there already, is a folder, or has not the ending of a task file.

    """
    if path.is_dir():
        raise UsageError(f"{path} is a folder", hint="Name the file: --out FOLDER/NAME.yaml")
    if path.exists() or path.is_symlink():
        raise UsageError(
            f"{path} is there already, and is left as it is",
            hint="Give another --name or --out, or remove the file.",
        )
    if path.suffix not in SUFFIXES:
        raise UsageError(
            f"{path} does not end in .yaml, and would not be found among tasks",
            hint=f"Write --out {path}.yaml",
        )


def make_folder(path: Path) -> None:
    """
    Make the folder of a file.

    Raises:
        UsageError: It cannot be made.

    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except FileExistsError as exc:
        raise UsageError(f"{path.parent} is a file, and no folder") from exc
    except OSError as exc:
        raise _cannot(path.parent, exc) from exc
    if not os.access(path.parent, os.W_OK):
        raise UsageError(f"{path.parent} cannot be written to", hint="Name another file: --out")


def write_new(path: Path, text: str) -> None:
    """
    Write a file that is not there yet.

    Raises:
        UsageError: It is there, or cannot be written.

    """
    try:
        with path.open("x", encoding="utf-8", newline="\n") as stream:
            try:
                stream.write(text)
                stream.flush()
            except OSError:
                path.unlink(missing_ok=True)
                raise
    except FileExistsError as exc:
        raise UsageError(f"{path} is there already, and is left as it is") from exc
    except OSError as exc:
        raise _cannot(path, exc) from exc


def write_schema(folder: Path) -> Path | None:
    """
    Put the JSON Schema of task files where the first line of new tasks says that it is.

    Returns:
        Its path; None where there was one already, which stays.

    Raises:
        UsageError: It cannot be written.

    """
    path = folder / SCHEMA_NAME
    if path.exists():
        return None
    write_new(path, json.dumps(task_schema(), indent=2) + "\n")
    return path


def _cannot(path: Path, exc: OSError) -> UsageError:
    return UsageError(
        f"{path} cannot be written: {exc.strerror}", hint="Name another file: --out FILE"
    )
