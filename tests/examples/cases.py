"""
The table of the example tasks: where their documentation comes from and how each is seen to fail.

One file a task in `cases/`, so that a task and what is known about it change together.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Self

import yaml
from pydantic import BaseModel, ConfigDict, Field, model_validator

from quickstarted.resources import tasks_dir
from quickstarted.task import Task, load_task

CASES = Path(__file__).parent / "cases"

Text = Annotated[str, Field(min_length=1)]


class _Row(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Source(_Row):
    """A package with documentation, and the public URL below which its pages are."""

    prefix: Text
    debian: Text | None = None
    """Name of the package in the archive of the distribution that the tests run on."""
    npm: Text | None = None
    """Name of the package in the npm registry, whose archive has its documentation with it."""
    folder: Text
    """Of the pages, within the package; `.` for the whole of it."""

    @model_validator(mode="after")
    def _one_package(self) -> Self:
        if (self.debian is None) == (self.npm is None):
            raise ValueError("one of debian and npm is needed")
        return self

    @property
    def package(self) -> str:
        """The package's name."""
        return self.debian or self.npm or ""


class Fault(_Row):
    """One change of the task's `replay`, and what the check then says."""

    leave_out: Text | None = None
    """Text of the one command that is left out."""
    change: Text | None = None
    """Text that stands once in `replay`, `into` takes its place."""
    into: str = ""
    says: Text
    """A part of what the failed check prints."""

    @model_validator(mode="after")
    def _one_change(self) -> Self:
        if (self.leave_out is None) == (self.change is None):
            raise ValueError("one of leave_out and change is needed")
        return self

    @property
    def label(self) -> str:
        return (self.leave_out or self.change or "").splitlines()[0].strip()


class Case(_Row):
    """What the tests know of one example."""

    docs: tuple[Source, ...]
    """Empty when the task brings its own pages along (`docs.sites`)."""
    wheel: bool = False
    """Its starting project needs the wheel of this checkout, as `make dist` puts it there."""
    slow: bool = False
    """Whether it takes ten seconds and more; `make slow` runs it."""
    from_docs: bool = False
    """Whether its pages can be walked along by themselves, and are, in the tests."""
    faults: Annotated[tuple[Fault, ...], Field(min_length=1)]
    known: dict[str, Text] = {}
    """Words and lines that the commands have and the pages do not, each with the reason why."""


def task_path(name: str) -> Path:
    """The task file of the example *name*."""
    return tasks_dir() / f"{name}.yaml"


def task_of(name: str) -> Task:
    """The example *name*, loaded."""
    return load_task(task_path(name))


def task_names() -> list[str]:
    """Every example there is."""
    return sorted(path.stem for path in tasks_dir().glob("*.yaml"))


def case_names() -> list[str]:
    """Every example that the table knows."""
    return sorted(path.stem for path in CASES.glob("*.yaml"))


def case_of(name: str) -> Case:
    """
    The row of the example *name*.

    Raises:
        pydantic.ValidationError: It has other keys or values than `Case`.

    """
    return Case.model_validate(yaml.safe_load((CASES / f"{name}.yaml").read_text("utf-8")))
