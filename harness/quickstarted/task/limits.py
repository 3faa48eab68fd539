"""The parts of a task that bound an attempt: budgets of the agent, resources of the sandbox."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    Strict,
    WithJsonSchema,
    model_validator,
)

from quickstarted.task.scalars import BYTE_SIZE_SCHEMA, ByteSize, Count, Limit, Seconds


class Part(BaseModel):
    """What all parts of a file have in common: frozen, no unknown keys, documented fields."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        validate_by_name=False,
        validate_by_alias=True,
    )

    @model_validator(mode="before")
    @classmethod
    def _nothing_is_the_default(cls, data: Any) -> Any:
        """A key with nothing after it, such as a list whose items are commented out."""
        if not isinstance(data, dict):
            return data
        optional = {
            field.alias or name
            for name, field in cls.model_fields.items()
            if not field.is_required()
        }
        return {
            key: value for key, value in data.items() if value is not None or key not in optional
        }


class Budgets(Part):
    """
    Limits of the agent's phase. Waiting for throttles and rate limits does not count; exceeding a
    limit ends the attempt as `budget_exhausted`.
    """

    max_turns: Count = 20
    """Calls of the model."""
    max_seconds: Seconds = 480.0
    """Wall time of the agent's phase: a number of seconds, or text such as `8m`."""
    max_command_seconds: Seconds = 300.0
    """Wall time of one command; then its processes are ended and it counts as exit code 124."""
    max_output_chars: Count = 20_000
    """Characters of a command's output that the agent sees, head and tail."""
    max_tokens: Limit = 0
    """Tokens of all model calls together; 0 is no limit."""
    max_cost_usd: Annotated[float, Strict(), Field(ge=0, allow_inf_nan=False)] = 0.0
    """Estimated cost in US dollars; 0 is no limit."""


def none_for(word: str) -> BeforeValidator:
    """Let *word* stand for no limit."""
    return BeforeValidator(lambda value: None if value == word else value)


_Cpus = Annotated[
    Annotated[float, Strict(), Field(gt=0, allow_inf_nan=False)] | None,
    none_for("all"),
    WithJsonSchema({"anyOf": [{"type": "number", "exclusiveMinimum": 0}, {"const": "all"}]}),
]
_Disk = Annotated[
    ByteSize | None,
    none_for("none"),
    WithJsonSchema({"anyOf": [*BYTE_SIZE_SCHEMA["anyOf"], {"const": "none"}]}),
]


def _gpus(value: Any) -> Any:
    if value in (None, "none"):
        return None
    is_count = isinstance(value, int) and not isinstance(value, bool) and value >= 1
    if value != "all" and not is_count:
        raise ValueError("expected a number of GPUs, `all` or `none`")
    return value


_Gpus = Annotated[
    int | Literal["all"] | None,
    BeforeValidator(_gpus),
    WithJsonSchema({"anyOf": [{"type": "integer", "minimum": 1}, {"enum": ["all", "none"]}]}),
]


class Resources(Part):
    """What the sandbox may use at most; the engine enforces it."""

    memory_bytes: ByteSize = Field(default=4 * 1024**3, alias="memory")
    """Memory: a size such as `512m` or `4g`. There is no swap beyond it."""
    cpus: _Cpus = None
    """Processors, fractions allowed; `all` is no limit."""
    pids: Count = 1000
    """Processes and threads at a time."""
    disk_bytes: _Disk = Field(default=None, alias="disk")
    """What the sandbox may write, as a size; `none` is no limit."""
    gpus: _Gpus = None
    """Number of GPUs, `all` or `none`."""
