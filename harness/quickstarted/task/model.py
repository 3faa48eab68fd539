"""
A task: one outcome that some documentation promises, and how to tell that it was reached.

The models of this package are the format; the reader, the JSON Schema and the messages are all
made from them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    BeforeValidator,
    Discriminator,
    Field,
    JsonValue,
    PlainValidator,
    PrivateAttr,
    Tag,
    ValidationInfo,
    WithJsonSchema,
    field_validator,
)

from quickstarted.task.access import DocsSpec, NetworkSpec, SecretSpec
from quickstarted.task.limits import Budgets, Part, Resources
from quickstarted.task.loading import existing_folder
from quickstarted.task.scalars import (
    Command,
    Slug,
    TaskName,
    Text,
    Variable,
    Word,
    Written,
    as_text,
)
from quickstarted.task.source import TaskSource, quoted
from quickstarted.task.success import Success

FROM_DOCS: Literal["from_docs"] = "from_docs"


def _workspace(value: Any, info: ValidationInfo) -> Path:
    text = as_text(value)
    return Path(text) if info.context is None else existing_folder(text, info.context.folder)


def _kind_of_replay(value: Any) -> str:
    return "word" if isinstance(value, str) else "commands"


def _from_docs(value: str) -> str:
    if value != FROM_DOCS:
        raise ValueError(f"expected a list of commands, or `{FROM_DOCS}`, got {quoted(value)}")
    return value


_Folder = Annotated[
    Path, PlainValidator(_workspace), WithJsonSchema({"type": "string", "pattern": r"\S"})
]
_Replay = Annotated[
    Annotated[tuple[Command, ...], Tag("commands")]
    | Annotated[Literal["from_docs"], BeforeValidator(_from_docs), Tag("word")],
    Discriminator(_kind_of_replay),
]


class Task(Part):
    """One task file."""

    _source: TaskSource = PrivateAttr(default=TaskSource(Path("task.yaml")))

    name: TaskName
    """Names the results folder: letters, digits, `.`, `_` and `-`."""
    goal: Text
    """The only instruction that the agent gets."""
    tags: tuple[Slug, ...] = ()
    """Words for choosing among tasks; they travel into the trace."""
    metadata: dict[str, JsonValue] = Field(default_factory=dict)
    """Anything; travels into the results untouched."""
    image: Word | None = None
    """Container image; beats `--image`."""
    platform: Word | None = None
    """Such as `linux/amd64`; without it the engine's own."""
    user: Word | None = None
    """User name or id that the agent's commands run as; without it the image's."""
    docs: DocsSpec
    """What the agent may read."""
    network: NetworkSpec = Field(default_factory=NetworkSpec)
    """What the sandbox's shell may reach beside the default registries."""
    secrets: dict[Variable, SecretSpec] = Field(default_factory=dict)
    """Variable to the hosts that get its real value."""
    env: dict[Variable, Written] = Field(default_factory=dict)
    """Variables of the sandbox."""
    workspace: _Folder | None = None
    """Folder copied into the empty workspace before `setup`, relative to this file."""
    setup: tuple[Command, ...] = ()
    """Commands run before the agent; a failing one ends the attempt as `harness_error`."""
    services: tuple[Command, ...] = ()
    """Long-running commands, started before the agent and again before the check."""
    replay: _Replay = ()
    """The documented commands for `--agent replay`, or `from_docs`: the pages' own code blocks."""
    success: Success
    """How to tell that the outcome was reached."""
    teardown: tuple[Command, ...] = ()
    """Commands run after the check whatever happened; never part of the verdict."""
    budgets: Budgets = Field(default_factory=Budgets)
    """Limits of the agent's phase."""
    resources: Resources = Field(default_factory=Resources)
    """Limits of the sandbox."""

    @field_validator("env")
    @classmethod
    def _set_once(cls, env: dict[str, str], info: ValidationInfo) -> dict[str, str]:
        if twice := sorted(set(env) & set(info.data.get("secrets") or ())):
            raise ValueError(f"{', '.join(twice)} is in `secrets` as well")
        return env

    @property
    def source(self) -> TaskSource:
        """The file that the task was read from."""
        return self._source

    @property
    def route(self) -> tuple[str, ...]:
        """The pages that the agent is pointed at, in order."""
        return self.docs.route

    @property
    def check_timeout_s(self) -> float:
        """Seconds that the success check may take."""
        return self.success.timeout or self.budgets.max_command_seconds
