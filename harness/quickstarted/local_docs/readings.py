"""What an agent read locally over all its commands: each thing once, and not too many."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from dataclasses import dataclass

from quickstarted.local_docs.asking import AskKind, asked_by
from quickstarted.local_docs.files import FileKind, cloned_by, files_of, kind_of, written_by
from quickstarted.local_docs.steps import Shell, Step, steps

Kind = AskKind | FileKind

MAX_READINGS = 100
MAX_CHARS = 200
"""Of each text."""
_MAX_OWN_FILES = 5_000


@dataclass(frozen=True, slots=True)
class LocalDoc:
    """One thing that was read."""

    kind: Kind
    what: str
    """A path, or the words that asked."""
    command: str
    """The command that read it first."""


class LocalDocs:
    """Takes an agent's commands one by one, in order."""

    def __init__(self) -> None:
        self._shell = Shell()
        self._clones: set[str] = set()
        self._written: set[str] = set()
        self._found: dict[tuple[Kind, str], LocalDoc] = {}

    @property
    def readings(self) -> tuple[LocalDoc, ...]:
        """In the order of the first reading, at most `MAX_READINGS`."""
        return tuple(self._found.values())

    def add(self, command: str, *, output: str, cwd: str | None = None) -> None:
        """
        Look at a command that has ended.

        Args:
            command: Its text.
            output: What it printed, or the part of it that is on record. Where that is nothing,
                nothing was read.
            cwd: Where the shell was after it; None where that is not on record.

        """
        for step in steps(command, self._shell):
            if output.strip():
                for kind, what in self._read(step, output):
                    self._keep(kind, what, command)
            self._note_own(step)
        self._shell.cwd = cwd or self._shell.cwd

    def _read(self, step: Step, output: str) -> Iterator[tuple[Kind, str]]:
        if f"{step.call.program}: command not found" in output:
            return
        if asked := asked_by(step):
            yield from ((one.kind, one.what) for one in asked)
            return
        for path in files_of(step):
            kind = kind_of(path, clones=frozenset(self._clones), written=frozenset(self._written))
            if kind is not None and not _was_missing(path, output):
                yield kind, path

    def _keep(self, kind: Kind, what: str, command: str) -> None:
        if len(self._found) < MAX_READINGS:
            shown = _cut(" ".join(what.split()))
            found = LocalDoc(kind, shown, _cut(" ".join(command.split())))
            self._found.setdefault((kind, shown), found)

    def _note_own(self, step: Step) -> None:
        if clone := cloned_by(step):
            self._clones.add(clone)
        if len(self._written) < _MAX_OWN_FILES:
            self._written.update(written_by(step))


def _was_missing(path: str, output: str) -> bool:
    """Whether what was printed says that there is no such file, named as in the command."""
    return f"{posixpath.basename(path)}: No such file" in output.replace("'", "")


def _cut(text: str) -> str:
    return text if len(text) <= MAX_CHARS else text[: MAX_CHARS - 1] + "…"
