"""
`quickstarted.yaml`: what a repository wants `run` to do where nothing is typed.

Never what an attempt is: who acts, under which conditions and how often stands in the call or in a
matrix file, as a number that changes with a file nobody names is no number. What is typed wins,
also where it is the default of the program.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click
from pydantic import Field

from quickstarted.errors import FileInvalid
from quickstarted.matrix.values import as_named_here
from quickstarted.task.file_format import FileFormat, flaw_lines
from quickstarted.task.limits import Part
from quickstarted.task.problems import shown
from quickstarted.task.scalars import as_written
from quickstarted.task.source import KeyPath, TaskSource
from quickstarted.task.yaml_nodes import Flaw

NAME = "quickstarted.yaml"
_SWITCH = "`true` or `false`"

NUMBERS = frozenset({"agent", "model", "repeat", "affordances", "arm"})
ONE_CALL = frozenset(
    {
        "matrix",
        "example",
        "k",
        "tag",
        "changed-since",
        "last-failed",
        "only",
        "shard",
        "resume",
        "plan",
        "show-prompt",
        "no-defaults",
        "json",
        "margin",
        "min-pass-rate",
    }
)
_WHY = {
    **dict.fromkeys(
        NUMBERS,
        "is never a default: numbers would change with no word of it in the call; type it, or name"
        " it in a matrix file",
    ),
    **dict.fromkeys(ONE_CALL, "is about one call, and no default: type it"),
    **dict.fromkeys(
        ("executor", "forward-env"),
        "says on whose machines your keys and files are used, and is no default: type it",
    ),
    "allow-unenforced": "lets commands of tasks run on this machine, and is no default: type it",
}


class DefaultsFile(Part):
    """One `quickstarted.yaml`."""

    run: dict[str, Any] = Field(default_factory=dict)
    """Options of `quickstarted run`, without the `--`."""


_FORMAT = FileFormat(
    model=DefaultsFile,
    invalid=FileInvalid,
    shape="it is a map with `run:`, and options of `quickstarted run` below it",
    size="it is a page of text",
)


def find_defaults(folder: Path) -> Path | None:
    """
    The nearest file at or above *folder*, up to the root of the git repository around it.

    Outside of a repository only *folder* is looked at: what lies above it may be anybody's. A task
    that is called quickstarted is not meant.
    """
    here = (folder, *folder.parents)
    root = next((one for one in here if (one / ".git").exists()), folder)
    for one in here:
        path = one / NAME
        if path.is_file() and not _is_task(path):
            return as_named_here(path)
        if one == root:
            return None
    return None


def read_defaults(path: Path, command: click.Command) -> dict[str, Any]:
    """
    The options that the file has, by their names on the command line, as click is to read them.

    Raises:
        FileInvalid: With all that is wrong with it.

    """
    file, source = _FORMAT.parse(_FORMAT.read(path), path)
    options = {
        name: param
        for param in command.params
        if isinstance(param, click.Option)
        for name in (one.lstrip("-") for one in param.opts)
    }
    reading = _Reading(source, options, click.Context(command))
    found = {name: reading.value(name, value) for name, value in file.run.items()}
    if reading.flaws:
        raise FileInvalid(flaw_lines(path, reading.flaws))
    return found


def default_map(found: Mapping[str, Any], command: click.Command) -> dict[str, Any]:
    """*found* by the names that click's parameters have."""
    names = {one.lstrip("-"): param.name for param in command.params for one in param.opts}
    return {str(names[name]): value for name, value in found.items()}


class _Reading:
    """From values of the file to values that click takes, or what is wrong with them."""

    def __init__(
        self, source: TaskSource, options: Mapping[str, click.Option], context: click.Context
    ) -> None:
        self._source = source
        self._options = options
        self._context = context
        self.flaws: list[Flaw] = []

    def value(self, name: str, given: Any) -> Any:
        key: KeyPath = ("run", name)
        if name in _WHY:
            return self._flaw(key, _WHY[name])
        option = self._options.get(name)
        if option is None:
            return self._flaw(key, self._unknown(name))
        if option.is_flag:
            is_switch = isinstance(given, bool)
            return (
                given if is_switch else self._flaw(key, f"expected {_SWITCH}, got {shown(given)}")
            )
        if not option.multiple:
            return self._one(key, option, given)
        items = given if isinstance(given, list) else [given]
        keys = [(*key, n) if isinstance(given, list) else key for n in range(len(items))]
        return [self._one(at, option, item) for at, item in zip(keys, items, strict=True)]

    def _one(self, key: KeyPath, option: click.Option, given: Any) -> Any:
        """A value as it would be typed; paths begin in the folder of the file."""
        written = as_written(given)
        if not isinstance(written, str) or not written.strip():
            return self._flaw(key, f"expected a value, got {shown(given)}")
        if isinstance(option.type, click.Path):
            written = str(as_named_here(self._source.folder / Path(written).expanduser()))
        elif option.name == "docs_site":
            written = self._site(written)
        try:
            option.type.convert(written, option, self._context)
        except click.BadParameter as exc:
            return self._flaw(key, f"{exc.message[:1].lower()}{exc.message[1:]}".rstrip("."))
        return written

    def _site(self, written: str) -> str:
        prefix, separator, folder = written.partition("=")
        if not separator or not folder or "://" in folder:
            return written
        return f"{prefix}={as_named_here(self._source.folder / Path(folder).expanduser())}"

    def _unknown(self, name: str) -> str:
        known = sorted(set(self._options) - set(_WHY))
        if close := difflib.get_close_matches(name.replace("_", "-"), known, n=1, cutoff=0.6):
            return f"no option of `run`: did you mean `{close[0]}`?"
        return f"no option of `run`: there are {', '.join(known)}"

    def _flaw(self, key: KeyPath, message: str) -> None:
        self.flaws.append(Flaw(self._source.position(key), key, message))


def _is_task(path: Path) -> bool:
    """Whether it reads like a task: `goal` stands at the beginning of a line."""
    return any(line.startswith("goal:") for line in _lines(path))


def _lines(path: Path) -> Iterator[str]:
    yield from _FORMAT.read(path).decode("utf-8", "replace").splitlines()
