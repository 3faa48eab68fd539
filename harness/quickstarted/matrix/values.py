"""
The kinds of value that a matrix file has, each with its JSON Schema beside it.

With a validation context (`quickstarted.task.loading.Loading`) paths start in the file's folder;
validators raise `ValueError`, and the reader of files adds the position.
"""

from __future__ import annotations

import glob
import os
import re
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, PlainValidator, Strict, ValidationInfo, WithJsonSchema

from quickstarted.agents import Agent, agent_named
from quickstarted.arms import Arm, arms_of
from quickstarted.errors import UsageError
from quickstarted.matrix.cells import MOST_REPEAT
from quickstarted.task import find_tasks
from quickstarted.task.examples import find_example
from quickstarted.task.problems import shown
from quickstarted.task.scalars import as_text
from quickstarted.task.source import quoted

AUTO = r"^auto(:[1-9][0-9]{0,4})?$"
_AUTO = re.compile(AUTO)
_TEXT = WithJsonSchema({"type": "string", "pattern": r"\S"})


def arm_in(text: str, folder: Path) -> Arm:
    """
    Read an arm as `--arm` has it, its folder relative to *folder*.

    Raises:
        ValueError: It is not one.

    """
    name, separator, own = text.partition("=")
    if separator and own:
        text = f"{name}={folder / Path(own).expanduser()}"
    try:
        return arms_of((text,))[0]
    except UsageError as exc:
        raise _said(exc, "--arm ") from exc


def _said(error: UsageError, flag: str = "") -> ValueError:
    """What *error* says of the value of a flag, for a place that has a name already."""
    text = f"{error.message}. {error.hint}" if error.hint else error.message
    return ValueError(text.removeprefix(flag).removesuffix("."))


def _agent(value: Any) -> Agent:
    name = as_text(value)
    try:
        return agent_named(name)
    except UsageError as exc:
        raise _said(exc, f"--agent {name}: ") from exc


def _arm(value: Any, info: ValidationInfo) -> Arm:
    return arm_in(as_text(value), Path() if info.context is None else info.context.folder)


def _task_files(value: Any, info: ValidationInfo) -> tuple[Path, ...]:
    text = as_text(value)
    if info.context is None:
        return (Path(text),)
    folder = str(info.context.folder)
    arg = os.path.join(glob.escape(folder) if glob.has_magic(text) else folder, text)  # noqa: PTH118 - a glob is no path
    try:
        return tuple(as_named_here(path) for path in find_tasks([arg]))
    except UsageError as exc:
        raise ValueError(f"there is no task file at {quoted(text)}") from exc


def as_named_here(path: Path) -> Path:
    """The absolute *path* without `..`, and relative where it lies in the working directory."""
    whole = Path(os.path.normpath(path))
    # `link/..` is not the folder that the link stands in.
    if whole.parent.resolve() != path.parent.resolve():
        whole = path
    here = Path.cwd()
    return whole.relative_to(here) if whole.is_relative_to(here) else whole


def _example(value: Any) -> Path:
    try:
        return find_example(as_text(value)).path
    except UsageError as exc:
        raise _said(exc) from exc


def _repeat(value: Any) -> int | str:
    """A number, or `auto` as `--repeat` has it."""
    if isinstance(value, str) and _AUTO.fullmatch(value):
        return value
    is_number = isinstance(value, int) and not isinstance(value, bool)
    if is_number and 1 <= value <= MOST_REPEAT:
        return int(value)
    raise ValueError(
        f"expected a number from 1 to {MOST_REPEAT:,}, `auto` or `auto:MOST`, got {shown(value)}"
    )


AgentName = Annotated[Agent, PlainValidator(_agent), _TEXT]
"""As `--agent` has it."""
ArmText = Annotated[Arm, PlainValidator(_arm), _TEXT]
"""As `--arm` has it; the folder is relative to the file."""
TaskFiles = Annotated[tuple[Path, ...], PlainValidator(_task_files), _TEXT]
"""A file, a folder or a glob, relative to the file."""
ExampleFile = Annotated[Path, PlainValidator(_example), _TEXT]
"""The name of a bundled example."""
Pattern = Annotated[str, PlainValidator(as_text), _TEXT]
"""A name, or a glob of the shell (`*`, `?`, `[...]`)."""
Rate = Annotated[float, Strict(), Field(gt=0, le=1, allow_inf_nan=False)]
"""Of attempts that pass."""
Repeat = Annotated[
    int | str,
    PlainValidator(_repeat),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "integer", "minimum": 1, "maximum": MOST_REPEAT},
                {"type": "string", "pattern": AUTO},
            ]
        }
    ),
]
"""As `--repeat` has it."""
NumberOfAttempts = Annotated[int, Strict(), Field(ge=1, le=MOST_REPEAT)]
"""Of one cell."""
