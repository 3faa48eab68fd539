"""From a file to a `Task`, or to everything that is wrong with the file at once."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from quickstarted.errors import TaskInvalid
from quickstarted.task.access import DocsSpec, parse_site
from quickstarted.task.file_format import FileFormat
from quickstarted.task.hosts import url_prefix
from quickstarted.task.model import Task

_FORMAT = FileFormat(
    model=Task,
    invalid=TaskInvalid,
    shape="a task is a map that starts with `name:`",
    size="a task file is a page of text",
)


def load_task(path: Path) -> Task:
    """
    Read and check a task file and the files that it names.

    Raises:
        TaskInvalid: With all that is wrong with it.

    """
    return parse_task(_FORMAT.read(path), path)


def parse_task(data: bytes, path: Path) -> Task:
    """
    Read a task from the bytes of its file.

    Args:
        data: YAML in UTF-8, with or without a byte order mark.
        path: Where it stands; messages name it, and relative paths start in its folder.

    Raises:
        TaskInvalid: With all that is wrong with it.

    """
    task, source = _FORMAT.parse(data, path)
    task._source = source  # noqa: SLF001 - the one place that may set it
    return task


def with_sites(task: Task, sites: Mapping[str, str], base: Path) -> Task:
    """
    Put other sources in place of documentation pages, for one call (`--docs-site`).

    Args:
        task: Stays as it is.
        sites: URL prefix to a folder (relative to *base*) or URL.
        base: Absolute folder, usually the caller's working directory.

    Raises:
        ValueError: A prefix or its source is not valid.

    """
    added = {url_prefix(prefix): parse_site(value, base) for prefix, value in sites.items()}
    docs: DocsSpec = task.docs.model_copy(update={"sites": {**task.docs.sites, **added}})
    return task.model_copy(update={"docs": docs})
