"""A results folder as a call has left it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from pydantic import ValidationError

from quickstarted.errors import UsageError
from quickstarted.records.left_behind import left_behind
from quickstarted.results import SuiteResult
from quickstarted.results.layout import RESULTS_NAME


class Results(NamedTuple):
    """A document, and the folder that it is about."""

    suite: SuiteResult
    folder: Path


def read_results(path: Path, note: Callable[[str], None] = lambda _: None) -> Results:
    """
    Read `results.json`, or what a call has left that was killed before it wrote that.

    Args:
        path: The file, which is then all that is read, or its folder.
        note: Told where attempts in the folder are read in place of the file.

    Raises:
        UsageError: There is none, or it is of another program or version.

    """
    if not path.is_dir():
        return _document(path)
    file = path / RESULTS_NAME
    document = _document(file) if file.exists() else None
    left = left_behind(path, document.suite if document else None)
    if left is None:
        return document or _document(file)
    if document is not None:
        note(f"note: {path}: attempts know more than {RESULTS_NAME}, so they are read")
    for problem in left.problems:
        note(f"note: {path}: {problem}")
    return Results(left.suite, path)


def _document(file: Path) -> Results:
    try:
        suite = SuiteResult.model_validate_json(file.read_bytes())
    except OSError as exc:
        raise UsageError(
            f"{file}: {exc.strerror or exc}", hint="Give a folder that `quickstarted run` has left."
        ) from exc
    except ValidationError as exc:
        first = exc.errors(include_url=False, include_input=False)[0]
        field = ".".join(map(str, first["loc"]))
        raise UsageError(f"{file}: not results of this version: {field}: {first['msg']}") from exc
    return Results(suite, file.parent)
