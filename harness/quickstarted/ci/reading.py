"""A results folder as a call has left it."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from pydantic import ValidationError

from quickstarted.errors import UsageError
from quickstarted.results import SuiteResult
from quickstarted.results.layout import RESULTS_NAME


class Results(NamedTuple):
    """A document, and the folder that it is about."""

    suite: SuiteResult
    folder: Path


def read_results(path: Path) -> Results:
    """
    Read `results.json`.

    Args:
        path: The file, or its folder.

    Raises:
        UsageError: There is none, or it is of another program or version.

    """
    file = path / RESULTS_NAME if path.is_dir() else path
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
