"""From a file to a `Task`, or to everything that is wrong with the file at once."""

from __future__ import annotations

import hashlib
import re
from codecs import BOM_UTF8
from collections.abc import Iterable, Mapping
from pathlib import Path

from pydantic import ValidationError

from quickstarted.errors import TaskInvalid
from quickstarted.task.access import DocsSpec, parse_site
from quickstarted.task.hosts import url_prefix
from quickstarted.task.loading import Loading, read_bounded
from quickstarted.task.model import Task
from quickstarted.task.problems import MAX_PROBLEMS, model_flaws, shown
from quickstarted.task.source import START, Position, TaskSource, dotted, printable
from quickstarted.task.yaml_nodes import Flaw, YamlBroken
from quickstarted.task.yaml_reader import Document, read_yaml

_NOT_PRINTABLE = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that YAML 1.2.2 (section 5.1) does not allow in a file."""


def load_task(path: Path) -> Task:
    """
    Read and check a task file and the files that it names.

    Raises:
        TaskInvalid: With all that is wrong with it.

    """
    try:
        if not path.is_file():
            what = "is not a file" if path.exists() else "there is no file"
            raise TaskInvalid([f"{path}: {what}"])
        data = read_bounded(path)
    except OSError as exc:
        raise TaskInvalid([f"{path}: cannot be read: {exc.strerror}"]) from exc
    except ValueError as exc:
        raise TaskInvalid([f"{path}: is larger than 1 MB: a task file is a page of text"]) from exc
    return parse_task(data, path)


def parse_task(data: bytes, path: Path) -> Task:
    """
    Read a task from the bytes of its file.

    Args:
        data: YAML in UTF-8, with or without a byte order mark.
        path: Where it stands; messages name it, and relative paths start in its folder.

    Raises:
        TaskInvalid: With all that is wrong with it.

    """
    text = decoded(data, path)
    try:
        document = read_yaml(text)
    except YamlBroken as exc:
        raise TaskInvalid(flaw_lines(path, [exc.flaw])) from exc
    if not isinstance(document.value, dict):
        what = "is empty" if document.value is None else f"is {shown(document.value)}"
        flaw = Flaw(START, (), f"the file {what}: a task is a map that starts with `name:`")
        raise TaskInvalid(flaw_lines(path, [*document.flaws, flaw]))
    source = TaskSource(path, hashlib.sha256(data).hexdigest(), text, document.positions)
    return _validated(document, source)


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


def _validated(document: Document, source: TaskSource) -> Task:
    flaws = list(document.flaws)
    task: Task | None = None
    try:
        task = Task.model_validate(document.value, context=Loading(source.folder))
    except ValidationError as exc:
        flaws.extend(model_flaws(exc, document))
    if flaws or task is None:
        raise TaskInvalid(flaw_lines(source.path, flaws))
    task._source = source  # noqa: SLF001 - the one place that may set it
    return task


def decoded(data: bytes, path: Path) -> str:
    """
    The text of a file: UTF-8, without a byte order mark, and nothing that YAML does not allow.

    Raises:
        TaskInvalid: With the place of what is not.

    """
    try:
        text = data.removeprefix(BOM_UTF8).decode("utf-8")
    except UnicodeDecodeError as exc:
        offset = exc.start + len(data) - len(exc.object)
        raise TaskInvalid(flaw_lines(path, [_encoding_flaw(data, offset)])) from exc
    if bad := _NOT_PRINTABLE.search(text):
        message = f"contains the control character U+{ord(bad.group()):04X}: remove it"
        flaw = Flaw(_text_position(text[: bad.start()]), (), message)
        raise TaskInvalid(flaw_lines(path, [flaw]))
    return text


def _encoding_flaw(data: bytes, offset: int) -> Flaw:
    guess = " (it looks like UTF-16)" if data[:2] in {b"\xff\xfe", b"\xfe\xff"} else ""
    message = f"not UTF-8: byte 0x{data[offset]:02x} at offset {offset}{guess}; save it as UTF-8"
    return Flaw(_text_position(data[:offset].decode("utf-8-sig")), (), message)


def _text_position(before: str) -> Position:
    return Position(before.count("\n") + 1, len(before) - before.rfind("\n"))


def flaw_lines(path: Path, flaws: Iterable[Flaw]) -> list[str]:
    """*flaws* in the order of the file *path*, each as `FILE:LINE:COLUMN KEY: WHY`."""
    ordered = sorted(flaws, key=lambda flaw: flaw.position)
    lines = []
    for flaw in ordered[:MAX_PROBLEMS]:
        key = f" {dotted(flaw.key)}" if flaw.key else ""
        place = f"{path}:{flaw.position.line}:{flaw.position.column}"
        lines.append(f"{place}{key}: {printable(flaw.message)}")
    if len(ordered) > MAX_PROBLEMS:
        lines.append(f"{path}: and {len(ordered) - MAX_PROBLEMS} more")
    return lines
