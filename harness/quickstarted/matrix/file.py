"""
`matrix.yaml`: which tasks, by which agents, under which conditions, and how often.

The models are the format, as those of task files are: messages and JSON Schema are made from them.
What the file means as cells is in `quickstarted.matrix.product`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import AfterValidator, Field, ValidationInfo, field_validator, model_validator

from quickstarted.condition import AffordancePolicy
from quickstarted.errors import FileInvalid
from quickstarted.matrix.values import (
    AgentName,
    ArmText,
    ExampleFile,
    NumberOfAttempts,
    Pattern,
    Rate,
    Repeat,
    TaskFiles,
)
from quickstarted.task import TaskSource
from quickstarted.task.file_format import FileFormat
from quickstarted.task.limits import Part
from quickstarted.task.scalars import Count, Text
from quickstarted.task.schema import schema_of


def _once(values: Sequence[Any]) -> Any:
    names = [getattr(value, "name", value) for value in values]
    if doubles := sorted({name for name in names if names.count(name) > 1}):
        raise ValueError(f"{', '.join(doubles)} is given more than once")
    return values


def _some(values: Sequence[Any]) -> Any:
    if not values:
        raise ValueError("needs at least 1 item")
    return values


class Include(Part):
    """
    Cells that are made another number of times or, where there are none such, are added.

    What an added one does not name stands for all that the file's lists have.
    """

    task: Pattern | None = None
    """Name of a task of the file, or a glob of names."""
    agent: AgentName | None = None
    """An agent, in the file's list or not."""
    affordances: AffordancePolicy | None = None
    """One condition, in the file's list or not."""
    arm: Pattern | None = None
    """Name of one of the file's arms, or an arm as `arms` has them."""
    repeat: NumberOfAttempts | None = None
    """Attempts of each of these cells; without it the file's `repeat`."""


class Exclude(Part):
    """Cells that are left out: those that match all keys that are given."""

    task: Pattern | None = None
    """Name of a task, or a glob."""
    agent: Pattern | None = None
    """An agent as the file has it, or a glob."""
    affordances: Pattern | None = None
    """`all` or `none`."""
    arm: Pattern | None = None
    """Name of an arm, or a glob."""

    @model_validator(mode="after")
    def _names_something(self) -> Self:
        if not self.model_dump(exclude_none=True):
            raise ValueError("would leave out every cell: name a task, agent, affordances or arm")
        return self


class MatrixFile(Part):
    """One matrix file."""

    tasks: tuple[TaskFiles, ...] = ()
    """Task files, folders or globs, relative to this file; without it and `examples`: `tasks`."""
    examples: tuple[ExampleFile, ...] = ()
    """Names of bundled examples."""
    agents: Annotated[tuple[AgentName, ...], AfterValidator(_once)] = ()
    """Each agent tries each task; without it there are only the cells of `include`."""
    affordances: Annotated[
        tuple[AffordancePolicy, ...],
        AfterValidator(_some),
        AfterValidator(_once),
        Field(json_schema_extra={"minItems": 1}),
    ] = ("all",)
    """Whether what a site makes for agents is served; several: attempts of each kind."""
    arms: Annotated[tuple[ArmText, ...], AfterValidator(_once)] = ()
    """`docs`, `no-docs` or `NAME=FOLDER`, relative to this file; without it `docs`."""
    repeat: Repeat = 1
    """Attempts of each cell; `auto`: until each is decided for or against `min_pass_rate`."""
    min_pass_rate: Rate | None = None
    """Fail only where attempts show that a cell's true rate is below it (`--min-pass-rate`)."""
    include: tuple[Include, ...] = ()
    """Cells that are added, or made another number of times."""
    exclude: tuple[Exclude, ...] = ()
    """Cells that are left out; before `include` is looked at."""
    limits: dict[Text, Count] = Field(default_factory=dict)
    """Vendor or documentation host to how many attempts may use it at once (`--limit`)."""
    workers: Count | None = None
    """Attempts side by side (`--workers`)."""

    @field_validator("include")
    @classmethod
    def _one_way_to_repeat(
        cls, include: tuple[Include, ...], info: ValidationInfo
    ) -> tuple[Include, ...]:
        is_auto = isinstance(info.data.get("repeat"), str)
        if is_auto and any(one.repeat is not None for one in include):
            raise ValueError(
                "has a `repeat`, and the file's `repeat` is auto: attempts end where a rate is"
                " decided"
            )
        return include

    @model_validator(mode="after")
    def _has_cells(self) -> Self:
        if not self.agents and not self.include:
            raise ValueError("has no cells: give it `agents`, or cells under `include`")
        return self


@dataclass(frozen=True, slots=True)
class Matrix:
    """A matrix file that was read."""

    file: MatrixFile
    source: TaskSource
    """Where it stands, and where everything stands in it."""


_FORMAT = FileFormat(
    model=MatrixFile,
    invalid=FileInvalid,
    shape="a matrix is a map with `tasks:` and `agents:`",
    size="a matrix file is a page of text",
)


def load_matrix(path: Path) -> Matrix:
    """
    Read and check a matrix file.

    Raises:
        FileInvalid: With all that is wrong with it.

    """
    return Matrix(*_FORMAT.parse(_FORMAT.read(path), path))


def matrix_schema() -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of a matrix file, descriptions and defaults included."""
    return schema_of(MatrixFile, "quickstarted matrix")
