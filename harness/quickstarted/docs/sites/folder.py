"""
The files of a build by the paths of its pages, as static hosts find them, and nothing else.

No way leads out: `..` in any coding and symbolic links that leave the folder are not found, nor are
hidden files and a host's own settings. Nothing is listed or scanned, so a folder may be huge, and
may change at any time.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

from quickstarted.docs.faults import FetchFailed

REDIRECTS = "_redirects"
MAX_REDIRECTS_BYTES = 1_000_000
_INDEX_NAMES = ("index.html", "index.htm", "index.md", "README.md")
_CLEAN_SUFFIXES = (".html", ".htm", ".md", ".mdx")
_MISSING = "404.html"
_SETTINGS = frozenset({REDIRECTS, "_headers"})
_SHOWN_DOT_FOLDER = ".well-known"  # RFC 8615


class Folder:
    """
    A local build.

    Args:
        root: Its folder.

    Raises:
        FetchFailed: It is not there any more.

    """

    def __init__(self, root: Path) -> None:
        try:
            self._root = root.resolve(strict=True)
        except (OSError, RuntimeError) as exc:
            raise FetchFailed(
                f"The local build of this site is not there any more: {root}"
            ) from exc

    def page(self, path: str) -> Path | None:
        """
        The file of the page at *path*.

        Args:
            path: Raw, below the site's prefix; empty or with a leading slash.

        Returns:
            A file inside the folder: itself, its clean URL or an index; None where there is none.

        """
        decoded = _decoded(path)
        if decoded is None:
            return None
        return next(filter(self._is_served, self._candidates(decoded)), None)

    def is_folder(self, path: str) -> bool:
        """Whether *path*, without a slash at its end, is a folder that has an index."""
        decoded = _decoded(path)
        if decoded is None or decoded.endswith("/"):
            return False
        folder = self._root / decoded.lstrip("/")
        return any(self._is_served(folder / name) for name in _INDEX_NAMES)

    def missing_page(self, path: str) -> Path | None:
        """The nearest `404.html` up the tree from *path*."""
        decoded = _decoded(path) or "/"
        parents = PurePosixPath(decoded.lstrip("/") + "x").parents
        candidates = (self._root / parent / _MISSING for parent in parents)
        return next(filter(self._is_served, candidates), None)

    def settings(self, name: str) -> Path | None:
        """A host's settings at the top of the folder; None where there are none."""
        file = self._root / name
        return file if self._inside(file) is not None and file.is_file() else None

    def _candidates(self, path: str) -> Iterator[Path]:
        """Files that may be meant, in the order of static hosts."""
        relative = path.strip("/")
        if path.endswith("/") or not relative:
            names = [f"{relative}/{name}" for name in _INDEX_NAMES] if path else []
            names += [f"{relative}{suffix}" for suffix in _CLEAN_SUFFIXES if relative]
        else:
            names = [relative, *(f"{relative}{suffix}" for suffix in _CLEAN_SUFFIXES)]
        for name in names:
            yield self._root / name.lstrip("/")

    def _is_served(self, file: Path) -> bool:
        parts = self._inside(file)
        return parts is not None and not _is_hidden(parts) and file.is_file()

    def _inside(self, file: Path) -> tuple[str, ...] | None:
        """Parts of the path below the root, links followed; None where there is no such file."""
        try:
            real = file.resolve(strict=True)
        except (OSError, RuntimeError, ValueError):
            return None
        return real.relative_to(self._root).parts if real.is_relative_to(self._root) else None


def read_file(file: Path, max_bytes: int) -> bytes:
    """
    Read a file, and not more of it than may be.

    Raises:
        FetchFailed: It is larger.
        OSError: It cannot be read.

    """
    with file.open("rb") as stream:
        body = stream.read(max_bytes + 1)
    if len(body) > max_bytes:
        raise FetchFailed(f"The page is larger than {max_bytes:,} bytes.")
    return body


def _decoded(path: str) -> str | None:
    """Decoded once, as hosts do; None for what is no path of a file on any host."""
    text = unquote(path)
    return None if {"\0", "\\", "\ufffd"} & set(text) else text


def _is_hidden(parts: tuple[str, ...]) -> bool:
    dotted = any(part.startswith(".") and part != _SHOWN_DOT_FOLDER for part in parts)
    return dotted or (len(parts) == 1 and parts[0] in _SETTINGS)
