"""The success check as a task writes it: the only thing that decides whether an attempt passed."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainValidator,
    Strict,
    ValidationInfo,
    WithJsonSchema,
    model_validator,
)

from quickstarted.task.limits import Part
from quickstarted.task.loading import file_inside, read_utf8
from quickstarted.task.scalars import Command, Pattern, Seconds, Text, as_text
from quickstarted.task.source import quoted

SHELLS = frozenset({"sh", "bash", "dash", "ash", "ksh", "mksh"})
"""Interpreters whose scripts bash and sh understand."""

_SHEBANG = re.compile(r"#!\s*(\S+)(?:[ \t]+(?:-S[ \t]+)?(\S+))?")


@dataclass(frozen=True, slots=True)
class CheckFile:
    """`success.file`, read when the task loads."""

    path: Path
    script: str


def _shell_script(script: str) -> str:
    if match := _SHEBANG.match(script):
        program = Path(match[1]).name
        if program in {"env", "busybox"} and match[2]:
            program = Path(match[2]).name
        if program not in SHELLS:
            raise ValueError(
                f"asks for {program}: the check runs in bash or sh, so call {program} from it"
            )
    lines = (line.strip() for line in script.splitlines())
    if not any(line and not line.startswith("#") for line in lines):
        raise ValueError("asserts nothing: it has no command, so everything would pass")
    return script


def _check_file(value: Any, info: ValidationInfo) -> CheckFile:
    text = as_text(value)
    if info.context is None:
        return CheckFile(Path(text), "")
    path = file_inside(text, info.context.folder)
    return CheckFile(path, _shell_script(read_utf8(path)))


def _http_url(value: str) -> str:
    if not re.fullmatch(r"https?://[^\s/]\S*", value):
        raise ValueError(f"{quoted(value)} is not an http:// or https:// URL")
    return value


def _http_path(value: str) -> str:
    if not re.fullmatch(r"/\S*", value):
        raise ValueError(f'expected a path that starts with "/", got {quoted(value)}')
    return value


def _as_list(value: Any) -> Any:
    return value if isinstance(value, list | tuple) else [value]


_PATTERN_SCHEMA = {"type": ["string", "number", "boolean"], "pattern": r"^[^\r\n]+$"}
_Patterns = Annotated[
    tuple[Pattern, ...],
    BeforeValidator(_as_list),
    Field(min_length=1),
    WithJsonSchema(
        {"anyOf": [_PATTERN_SCHEMA, {"type": "array", "minItems": 1, "items": _PATTERN_SCHEMA}]}
    ),
]


def _json_scalar(value: Any) -> Any:
    if not isinstance(value, str | int | float | None):
        raise ValueError("expected text, a number, true, false or null")  # noqa: TRY004
    return value


_JsonScalar = Annotated[bool | int | float | str | None, BeforeValidator(_json_scalar)]


class WaitHttp(Part):
    """A request that is made until it is answered as said; the last error is reported."""

    model_config = ConfigDict(
        json_schema_extra={"oneOf": [{"required": ["path"]}, {"required": ["url"]}]}
    )

    path: Annotated[str, AfterValidator(_http_path)] | None = Field(
        default=None, json_schema_extra={"pattern": r"^/\S*$"}
    )
    """Path on `http://127.0.0.1:$QS_PORT`."""
    url: Annotated[str, AfterValidator(_http_url)] | None = Field(
        default=None, json_schema_extra={"pattern": r"^https?://[^\s/]\S*$"}
    )
    """Whole URL, for a server whose port the documentation fixes."""
    status: Annotated[int, Strict(), Field(ge=100, le=599)] = 200
    """Status code that counts as an answer."""
    contains: Pattern | None = None
    """Text that the body must contain."""
    matches: Pattern | None = None
    """Extended regular expression (POSIX) that a line of the body must match."""
    json_values: dict[Text, _JsonScalar] = Field(default_factory=dict, alias="json")
    """Dotted key to the value that the JSON body must have there."""
    timeout: Seconds = 40.0
    """How long to try, in seconds."""

    @model_validator(mode="after")
    def _one_target(self) -> Self:
        if (self.path is None) == (self.url is None):
            raise ValueError("needs exactly one of `path` and `url`")
        return self


class ExpectOutput(Part):
    """
    What the agent's commands must have printed: all of their output, cut or not, of commands that
    exited 0 only; never the commands themselves, never `setup`.
    """

    model_config = ConfigDict(
        json_schema_extra={"anyOf": [{"required": ["contains"]}, {"required": ["matches"]}]}
    )

    contains: _Patterns = ()
    """One text or several; each must have been printed."""
    matches: Pattern | None = None
    """Extended regular expression (POSIX) that a printed line must match."""

    @model_validator(mode="after")
    def _asserts(self) -> Self:
        if not self.contains and self.matches is None:
            raise ValueError("needs `contains` or `matches`")
        return self


class Success(Part):
    """
    How the outcome that the documentation promises is checked, after the agent has stopped.

    At least one of `script`, `file`, `wait_http` and `expect_output` is required: `serve` alone
    asserts nothing, a server that answers 500 also boots.
    """

    model_config = ConfigDict(
        json_schema_extra={
            "anyOf": [
                {"required": [key]} for key in ("script", "file", "wait_http", "expect_output")
            ],
            "not": {"required": ["script", "file"]},
        }
    )

    script: Annotated[str, AfterValidator(_shell_script)] | None = None
    """Shell script; its exit code is the verdict. It never exists as a file in the sandbox."""
    file: (
        Annotated[
            CheckFile,
            PlainValidator(_check_file),
            WithJsonSchema({"type": "string", "pattern": r"\S"}),
        ]
        | None
    ) = None
    """The script in a file of the task's folder, read when the task loads."""
    serve: Command | None = None
    """Command started in the background before the check and ended after it; its log is kept."""
    wait_http: WaitHttp | None = None
    """Poll a server until it answers as said."""
    expect_output: ExpectOutput | None = None
    """Assert on what the agent's commands printed."""
    timeout: Seconds | None = None
    """Time for the check, in seconds; without it `budgets.max_command_seconds`."""
    leftovers: Literal["kill", "keep"] = "kill"
    """What becomes of processes that the agent left: ended before the check, or kept."""

    @property
    def script_text(self) -> str:
        """The check's shell code, inline or from its file; empty when there is none."""
        return self.script or (self.file.script if self.file else "")

    @model_validator(mode="after")
    def _asserts(self) -> Self:
        if self.script is not None and self.file is not None:
            raise ValueError("has both `script` and `file`: keep one")
        asserting = (self.script, self.file, self.wait_http, self.expect_output)
        if all(part is None for part in asserting):
            raise ValueError(
                "asserts nothing: add `script`, `file`, `wait_http` or `expect_output`"
            )
        return self
