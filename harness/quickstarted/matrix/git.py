"""
What git says of the repository around the working directory: what has changed, what it ignores.

Through git itself, which people have where they have a repository; nothing that a repository's
configuration names is run (`core.fsmonitor`, external diffs, text conversion).
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from quickstarted.errors import UsageError

TIMEOUT_S = 120.0
FLAG = "--changed-since"


@dataclass(frozen=True, slots=True)
class Repository:
    """A checkout."""

    root: Path
    """Absolute, links followed."""

    @classmethod
    def around(cls, folder: Path) -> Self:
        """
        The repository that *folder* lies in.

        Raises:
            UsageError: There is none, or no git.

        """
        done = _git(folder, ["rev-parse", "--show-toplevel"])
        if done.returncode:
            raise UsageError(
                f"{FLAG}: {folder} is in no git repository: {_said(done)}",
                hint="Start it inside of the repository that the tasks are in.",
            )
        return cls(Path(done.stdout.removesuffix("\n")).resolve())

    def changed_since(self, revision: str) -> frozenset[Path]:
        """
        Files that differ from the commit where this branch and *revision* part.

        Committed or not, tracked or not; not those that git ignores. Paths are absolute, and may
        no longer be there.

        Raises:
            UsageError: There is no such revision.

        """
        base = self._base(revision)
        tracked = ["diff", "--name-only", "--no-renames", "--no-ext-diff", "--no-textconv", "-z"]
        new = ["ls-files", "--others", "--exclude-standard", "-z"]
        names = [*self._names([*tracked, base, "--"]), *self._names(new)]
        return frozenset(self.root / name for name in names)

    def ignored(self, paths: Iterable[Path]) -> frozenset[Path]:
        """Those of *paths*, all inside of the repository, whose changes git does not look at."""
        asked = [str(path) for path in paths]
        done = _git(self.root, ["check-ignore", "-z", "--stdin"], stdin="\0".join(asked))
        if done.returncode > 1 and len(asked) > 1:
            # One of them lies in a submodule, about which only git in there could say something.
            return frozenset(one for path in asked for one in self.ignored([Path(path)]))
        return frozenset(Path(name) for name in done.stdout.split("\0") if name)

    def _base(self, revision: str) -> str:
        asked = ["rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}"]
        commit = _git(self.root, asked)
        if commit.returncode:
            raise UsageError(
                f"{FLAG} {revision}: git knows no such commit here",
                hint="In CI, fetch it first: a shallow checkout has one commit (fetch-depth: 0).",
            )
        parted = _git(self.root, ["merge-base", commit.stdout.strip(), "HEAD"])
        # Without a common commit (a shallow checkout) everything between the two has changed.
        return (parted if parted.returncode == 0 else commit).stdout.strip()

    def _names(self, arguments: Sequence[str]) -> list[str]:
        done = _git(self.root, arguments)
        if done.returncode:
            raise UsageError(f"{FLAG}: git {arguments[0]} failed: {_said(done)}")
        return [name for name in done.stdout.split("\0") if name]


def _git(
    folder: Path, arguments: Sequence[str], stdin: str = ""
) -> subprocess.CompletedProcess[str]:
    command = ["git", "-C", str(folder), "-c", "core.fsmonitor=false", *arguments]
    try:
        return subprocess.run(  # noqa: S603 - no shell; a revision never stands for an option
            command,
            input=stdin,
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="surrogateescape",
            timeout=TIMEOUT_S,
            check=False,
        )
    except FileNotFoundError as exc:
        raise UsageError(f"{FLAG} asks git, and there is none on this machine") from exc
    except subprocess.TimeoutExpired as exc:
        raise UsageError(f"{FLAG}: git gave no answer in {TIMEOUT_S:g} s") from exc


def _said(done: subprocess.CompletedProcess[str]) -> str:
    lines = [line for line in done.stderr.splitlines() if line.strip()]
    return lines[-1].removeprefix("fatal: ") if lines else f"exit code {done.returncode}"
