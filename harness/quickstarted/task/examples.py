"""The example tasks that travel with the program: listing them and copying one with its files."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from quickstarted.errors import UsageError
from quickstarted.resources import tasks_dir
from quickstarted.task.find import SUFFIXES
from quickstarted.task.load import load_task
from quickstarted.task.model import Task


@dataclass(frozen=True, slots=True)
class Example:
    """One example task."""

    name: str
    path: Path
    about: str
    """Its first sentence: of the comment at the top, else the goal."""


@dataclass(frozen=True, slots=True)
class Copied:
    """What `copy_example` did."""

    task: Path
    files: tuple[Path, ...]
    """Files and folders written, the task among them."""
    left_out: tuple[Path, ...]
    """Folders that the task names outside the examples."""


def list_examples() -> list[Example]:
    """All examples, by name."""
    paths = sorted(path for path in tasks_dir().iterdir() if path.suffix in SUFFIXES)
    return [Example(path.stem, path, _first_line(path)) for path in paths]


def find_example(name: str) -> Example:
    """
    The example called *name*.

    Raises:
        UsageError: There is none.

    """
    examples = list_examples()
    for example in examples:
        if example.name == name:
            return example
    known = ", ".join(example.name for example in examples)
    raise UsageError(f"there is no example called {name}", hint=f"There are: {known}")


def copy_example(name: str, folder: Path) -> Copied:
    """
    Copy an example with its check, documentation and workspace folders; overwrite nothing.

    Raises:
        UsageError: There is no such example, or something is in the way.

    """
    example = find_example(name)
    base = tasks_dir().resolve()
    parts = [example.path.resolve(), *_parts(load_task(example.path))]
    inside = [part for part in parts if part.is_relative_to(base)]
    pairs = [(part, folder / part.relative_to(base)) for part in inside]
    if existing := [str(target) for _, target in pairs if target.exists()]:
        raise UsageError(
            f"nothing was copied: {', '.join(existing)} already there",
            hint=f"Name another folder: quickstarted examples copy {name} FOLDER",
        )
    try:
        for source, target in pairs:
            _copy(source, target)
    except OSError as exc:
        raise UsageError(f"{exc.filename or folder} cannot be written: {exc.strerror}") from exc
    left_out = tuple(part for part in parts if part not in inside)
    return Copied(pairs[0][1], tuple(target for _, target in pairs), left_out)


def _parts(task: Task) -> list[Path]:
    """Files and folders that *task* names, each once."""
    parts = [site.folder for site in task.docs.sites.values() if site.folder is not None]
    if task.success.file is not None:
        parts.append(task.success.file.path)
    if task.workspace is not None:
        parts.append(task.workspace)
    return list(dict.fromkeys(parts))


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, target)
    else:
        shutil.copyfile(source, target)


def _first_line(path: Path) -> str:
    for line in path.read_text(encoding="utf-8").splitlines():
        text = line.lstrip("# ").strip() if line.startswith("#") else ""
        if text and not text.startswith("yaml-language-server"):
            return text.partition(". ")[0]
    return " ".join(load_task(path).goal.split())
