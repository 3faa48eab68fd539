"""The repository that a CI job has checked out: its files, and their names in it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Self
from urllib.parse import unquote, urlsplit

MAX_SOURCE_BYTES = 2_000_000
"""A file beyond this is no page of documentation that lines are looked for in."""

_ACTIONS = "edit|blob|tree|raw|blame|src"
_GITHUB = re.compile(rf"/(?P<repository>[^/]+/[^/]+)/(?:{_ACTIONS})/(?P<rest>.+)")
_GITLAB = re.compile(rf"/(?P<repository>.+?)/-/(?:{_ACTIONS})/(?P<rest>.+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkout:
    """A folder, and the repository that it is a checkout of."""

    root: Path
    """Absolute."""
    server: str = ""
    """Where the repository is, such as `https://github.com`; empty where that is not known."""
    repository: str = ""
    """`OWNER/NAME`."""

    @classmethod
    def of(cls, environ: Mapping[str, str], cwd: Path) -> Self:
        """
        What the variables of GitHub Actions or GitLab CI say; else what is around *cwd*.

        Args:
            environ: Variables.
            cwd: Where the program was started.

        """
        if root := environ.get("GITHUB_WORKSPACE"):
            return cls(
                root=_within(Path(root).resolve(), cwd.resolve()),
                server=environ.get("GITHUB_SERVER_URL", "https://github.com"),
                repository=environ.get("GITHUB_REPOSITORY", ""),
            )
        if root := environ.get("CI_PROJECT_DIR"):
            return cls(
                root=Path(root).resolve(),
                server=environ.get("CI_SERVER_URL", "https://gitlab.com"),
                repository=environ.get("CI_PROJECT_PATH", ""),
            )
        here = cwd.resolve()
        return cls(root=_around(here) or here)

    def named(self, path: Path) -> str | None:
        """*path* as the repository names it, with `/`; None where it lies outside."""
        try:
            return path.resolve().relative_to(self.root).as_posix()
        except (OSError, ValueError):
            return None

    def has(self, name: str) -> bool:
        """Whether there is a file *name* (relative to the root), and within the root."""
        path = self.root / name
        return self.named(path) is not None and path.is_file()

    def lines(self, name: str) -> list[str]:
        """The lines of the file *name*; none where it cannot be read, or is too large."""
        path = self.root / name
        try:
            if path.stat().st_size > MAX_SOURCE_BYTES:
                return []
            return path.read_text("utf-8", "replace").splitlines()
        except (OSError, ValueError):
            return []

    def from_url(self, url: str) -> str | None:
        """
        The file of this repository that *url* edits or shows; None for another one's.

        A ref may hold slashes, so that the first split which gives a file here is taken; without
        one, the ref is a single word.
        """
        parts = urlsplit(url)
        if not self.repository or parts.netloc != urlsplit(self.server).netloc:
            return None
        match = _GITLAB.fullmatch(parts.path) or _GITHUB.fullmatch(parts.path)
        if match is None or match["repository"].lower() != self.repository.lower():
            return None
        rest = unquote(match["rest"])
        names = [name for name in _without_ref(rest) if name and not name.startswith("/")]
        if ".." in PurePosixPath(rest).parts or not names:
            return None
        return next(filter(self.has, names), names[0])


def _within(workspace: Path, cwd: Path) -> Path:
    """The checkout in a workspace: all of it, or the folder around *cwd* that was checked out."""
    found = None if (workspace / ".git").exists() else _around(cwd)
    return found if found is not None and found.is_relative_to(workspace) else workspace


def _around(folder: Path) -> Path | None:
    return next((one for one in (folder, *folder.parents) if (one / ".git").exists()), None)


def _without_ref(rest: str) -> Iterator[str]:
    words = rest.split("/")
    for start in range(1, len(words)):
        yield "/".join(words[start:])
