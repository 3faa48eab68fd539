"""
Which file, and which line of it, a failed attempt is about.

In order: what the task's `metadata.sources` names, the page's own edit link where it leads into
this repository, and the file that a local build (`docs.sites`) was made from. Where nothing of
that is known, and for faults of the task, it is the task's own file.
"""

from __future__ import annotations

import glob
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from quickstarted.ci.checkout import Checkout
from quickstarted.ci.outcomes import Outcome
from quickstarted.events import DocsFetch
from quickstarted.verdict import Classification

SOURCES = "sources"
"""Key of a task's `metadata`: a path, a list of paths, or a map of URL (or its start) to path."""
SUFFIXES = (".md", ".mdx", ".markdown", ".rst", ".adoc", ".asciidoc", ".org", ".txt", ".ipynb")
"""Of what documentation is written in."""
FOLDERS = ("", "docs", "doc", "source", "src", "content", "pages", "docs/source", "website/docs")
"""Where generators keep sources, below the folder of their configuration."""
MOST_FILES = 200
"""Of one pattern."""
SMALLEST_NEEDLE_CHARS = 4
"""A shorter command, such as `ls`, says nothing about where it stands."""


class Place(NamedTuple):
    """A line of a file of the repository."""

    file: str
    """Relative to the repository's root, with `/`."""
    line: int
    """From 1."""


def place_of(outcome: Outcome, checkout: Checkout) -> Place | None:
    """Where to look for what *outcome* tells of; None where no file of the repository is known."""
    needle = _needle(outcome.failed_command)
    if outcome.run.classification is Classification.DOCS_GAP:
        files = list(dict.fromkeys(_documentation(outcome, checkout)))
        for file in (*files, *_below(outcome, checkout)):
            if line := _line_in(needle, file, checkout):
                return Place(file, line)
        if files:
            return Place(files[0], 1)
    return task_place(outcome, checkout)


def task_place(outcome: Outcome, checkout: Checkout) -> Place | None:
    """The task's file, at the first failing command where it is one of `replay`."""
    if not outcome.task_file.path:
        return None
    name = checkout.named(Path(outcome.task_file.path))
    if name is None:
        return None
    line = _line_of(_needle(outcome.failed_command), outcome.task_file.text.splitlines())
    return Place(name, line or 1)


def _documentation(outcome: Outcome, checkout: Checkout) -> Iterator[str]:
    """Files that the pages come from, the page that was read last first."""
    named = outcome.run.metadata.get(SOURCES)
    for page in reversed(outcome.pages):
        yield from _of_map(named, page, outcome, checkout)
        if page.edit_url and (file := checkout.from_url(page.edit_url)):
            yield file
        yield from _of_build(page, outcome, checkout)
    yield from _of_list(named, outcome, checkout)


def _of_map(named: object, page: DocsFetch, outcome: Outcome, checkout: Checkout) -> Iterator[str]:
    if not isinstance(named, dict):
        return
    for start in sorted(map(str, named), key=len, reverse=True):
        if page.resolved_to.startswith(start) or page.url.startswith(start):
            yield from _existing(str(named[start]), outcome, checkout)


def _of_list(named: object, outcome: Outcome, checkout: Checkout) -> Iterator[str]:
    for path in _listed(named):
        yield from _existing(str(path), outcome, checkout)


def _below(outcome: Outcome, checkout: Checkout) -> Iterator[str]:
    """Pages in folders that the task names: one of them may be meant, which only its text tells."""
    named = outcome.run.metadata.get(SOURCES)
    for path in named.values() if isinstance(named, dict) else _listed(named):
        yield from _pages_in(str(path), checkout)


@lru_cache(maxsize=100)
def _pages_in(path: str, checkout: Checkout) -> tuple[str, ...]:
    folder = checkout.root / path
    if checkout.named(folder) is None or not folder.is_dir():
        return ()
    pages = (file for file in folder.rglob("*") if file.suffix in SUFFIXES)
    names = map(checkout.named, sorted(islice(pages, MOST_FILES)))
    return tuple(name for name in names if name is not None and checkout.has(name))


def _listed(named: object) -> Sequence[object]:
    if isinstance(named, str):
        return [named]
    return named if isinstance(named, list) else ()


def _existing(path: str, outcome: Outcome, checkout: Checkout) -> Iterator[str]:
    """A path, or a pattern, is relative to the repository, or else to the folder of the task."""
    for folder in (checkout.root, Path(outcome.task_file.path).absolute().parent):
        # Not Path.glob, which does not go upwards.
        found = sorted(islice(glob.iglob(path, root_dir=folder, recursive=True), MOST_FILES))  # noqa: PTH207
        names = [checkout.named(folder / name) for name in found]
        known = [name for name in names if name is not None and checkout.has(name)]
        if known:
            yield from known
            return


def _of_build(page: DocsFetch, outcome: Outcome, checkout: Checkout) -> Iterator[str]:
    if page.source and "://" not in page.source:
        builds = (site for site in outcome.task_file.sites.values() if "://" not in site)
        yield from _made_from(page.source, tuple(builds), checkout)


@lru_cache(maxsize=1000)
def _made_from(source: str, builds: tuple[str, ...], checkout: Checkout) -> tuple[str, ...]:
    """
    What the page *source* of a local build was made from, and the page itself, which may be written
    by hand. Thousands of attempts may read the same few pages.
    """
    file = Path(source)
    itself = checkout.named(file)
    if itself is None:
        return ()
    found: list[str] = []
    for build in map(Path, builds):
        try:
            inner = file.resolve().relative_to(build.resolve())
        except (OSError, ValueError):
            continue
        found += _written(inner.as_posix(), build.resolve(), checkout)
    return (*found, itself)


def _written(inner: str, build: Path, checkout: Checkout) -> Iterator[str]:
    """Sources with the name of the built page *inner*, in the folders above the build."""
    path = PurePosixPath(inner)
    stem = path.with_suffix("").as_posix()
    stems = [stem] if path.name != "index.html" else [stem, path.parent.as_posix(), f"{stem}/index"]
    for above in build.parents:
        if checkout.named(above) is None:
            return
        for folder in FOLDERS:
            for name in (f"{one}{suffix}" for one in stems for suffix in SUFFIXES):
                found = checkout.named(above / folder / name)
                if found is not None and checkout.has(found):
                    yield found
                    return


def _needle(command: str) -> str:
    first = next((line.strip() for line in command.splitlines() if line.strip()), "")
    return first if len(first) >= SMALLEST_NEEDLE_CHARS else ""


@lru_cache(maxsize=1000)
def _line_in(needle: str, file: str, checkout: Checkout) -> int | None:
    return _line_of(needle, checkout.lines(file))


def _line_of(needle: str, lines: Sequence[str]) -> int | None:
    if not needle:
        return None
    return next((number for number, line in enumerate(lines, 1) if needle in line), None)
