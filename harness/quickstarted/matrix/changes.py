"""
`--changed-since`: the cells whose inputs have changed, as far as git can tell.

Inputs are files: the task's own, its check, workspace and local sites, the folder of an arm, and
what `metadata.sources` says that the pages are made from. Pages on the web are none of them: that
they have changed is not in the repository. What cannot be told counts as changed, and is said.
"""

from __future__ import annotations

import glob
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from quickstarted.matrix.cells import Cell
from quickstarted.matrix.git import Repository
from quickstarted.task import Task

SOURCES = "sources"
"""Key of a task's `metadata`: a path, a list of paths, or a map of URL (or its start) to path."""


@dataclass(kw_only=True)
class Changes:
    """What has changed since a revision, and for which tasks that cannot be told."""

    root: Path
    """Of the repository."""
    files: frozenset[Path]
    """That have changed; a submodule is one of them for all that is in it."""
    ignored: frozenset[Path] = frozenset()
    """Inputs that git does not look at."""
    untold: dict[str, str] = field(default_factory=dict)
    """Task to why it cannot be told; filled by `concerns`."""

    def __post_init__(self) -> None:
        self._touched = self.files | {folder for file in self.files for folder in file.parents}

    def concerns(self, cell: Cell) -> bool:
        """Whether an input of *cell* has changed, or it cannot be told."""
        sources = _sources(cell.task)
        if any(map(self._has_changed, inputs_of(cell))) or any(
            self._source_has_changed(name, cell.task) for name in sources
        ):
            return True
        if why := self._untold(cell, sources):
            self.untold.setdefault(cell.task.name, why)
        return bool(why)

    def _has_changed(self, path: Path) -> bool:
        """Whether the file, or a file below the folder, has."""
        return any(
            place in self._touched or not self.files.isdisjoint(place.parents)
            for place in {path.absolute(), path.resolve()}
        )

    def _source_has_changed(self, name: str, task: Task) -> bool:
        for folder in (self.root, task.source.folder.resolve()):
            pattern = f"{glob.escape(str(folder))}/{name}"
            if self._has_changed(folder / name) or (
                glob.has_magic(name) and any(fnmatchcase(str(one), pattern) for one in self.files)
            ):
                return True
        return False

    def _untold(self, cell: Cell, sources: Sequence[str]) -> str:
        for path in inputs_of(cell):
            if not path.resolve().is_relative_to(self.root):
                return f"{path} lies outside of the repository"
        for name in sources:
            if not any(_is_there(folder, name) for folder in (self.root, cell.task.source.folder)):
                return f"metadata.{SOURCES} names {name}, and there is no such file"
        # A build that is made from known sources need not be looked at itself.
        looked_at = set(inputs_of(cell)) - (set(_sites(cell)) if sources else set())
        ignored = sorted(path for path in looked_at if path.resolve() in self.ignored)
        return f"git ignores {ignored[0]}" if ignored else ""


def changes_since(revision: str, cells: Sequence[Cell]) -> Changes:
    """
    What has changed in the repository around the working directory, for a choice among *cells*.

    Raises:
        UsageError: There is no repository, or no such revision in it.

    """
    repository = Repository.around(Path.cwd())
    inputs = {path.resolve() for cell in cells for path in inputs_of(cell)}
    return Changes(
        root=repository.root,
        files=repository.changed_since(revision),
        ignored=repository.ignored(
            path for path in sorted(inputs) if path.is_relative_to(repository.root)
        ),
    )


def inputs_of(cell: Cell) -> list[Path]:
    """Files and folders that say what an attempt of *cell* is."""
    task = cell.task
    paths = [task.source.path.absolute(), *_sites(cell)]
    if task.success.file is not None:
        paths.append(task.success.file.path)
    if task.workspace is not None:
        paths.append(task.workspace)
    if cell.arm.folder is not None:
        paths.append(cell.arm.folder)
    return paths


def _sites(cell: Cell) -> list[Path]:
    sites = cell.task.docs.sites.values()
    return [site.folder for site in sites if site.folder is not None]


def _sources(task: Task) -> list[str]:
    """What `metadata.sources` names, however it is written; metadata may be anything."""
    return [path for path in _texts(task.metadata.get(SOURCES)) if path.strip()]


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from _texts(item)


def _is_there(folder: Path, name: str) -> bool:
    if glob.has_magic(name):
        found = glob.iglob(name, root_dir=folder, recursive=True)  # noqa: PTH207 - may go upwards
        return next(found, None) is not None
    return (folder / name).exists()
