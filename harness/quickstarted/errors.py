"""
Every way in which quickstarted can end without an answer, each with its exit code.

    QuickstartedError                 2
    ├── UsageError                    3   the call is wrong: no task, an unknown option value
    │   ├── FileInvalid               3   a file for this program does not say what it must
    │   │   └── TaskInvalid           3   and it is a task file
    │   ├── TraceInvalid              3   a trace cannot be read
    │   └── NotYetSupported           3   a key or flag whose work this version does not do
    ├── Interrupted                   130 Ctrl-C
    ├── CommentRefused                2   GitHub does not take a comment; only ever a note
    └── AttemptFault                  2   one attempt gives no evidence; `component` says why
        ├── EngineFault                   the container engine did not do what it was asked
        ├── SandboxFault                  the sandbox died or no longer answers
        ├── SidecarFault                  the proxy died or misbehaves
        ├── EventStreamFault              egress events are missing
        ├── StorageFault                  a record could not be written
        ├── NodeFault                     a node of a cluster was lost, or sent no results
        ├── ImageFault                    the image cannot be had or cannot be used
        ├── ProgramUnavailable            the agent's program cannot be had
        ├── ProgramFailed                 the agent's program broke while it was at work
        ├── CommandUnusable               the command that is to be the agent cannot be started
        ├── SetupFault                    a setup command of the task failed
        ├── ServiceFault                  a service of the task did not stay up
        ├── SecretFault                   a secret of the task is not set, or cannot be used
        ├── CheckFault                    the success check could not start or ran out of its time
        ├── PriceUnknown                  a limit on cost, and no price for the model
        ├── ArmFault                      the folder of an arm has changed since the call began
        ├── SourceFault                   so has the workspace or a local site of the task
        ├── ModelRejected                 no key, a wrong key, an unknown model, a quota used up
        └── ModelUnavailable              the model's service failed, after retries

An attempt turns an `AttemptFault` into its classification (`quickstarted.verdict`); anything else
reaches the command line, which prints the message and exits with the code.
"""

from __future__ import annotations

from typing import ClassVar, Literal

Component = Literal[
    "engine",
    "sandbox",
    "sidecar",
    "event_stream",
    "storage",
    "node",
    "image",
    "program",
    "command",
    "setup",
    "service",
    "secret",
    "check",
    "price",
    "arm",
    "source",
    "model_access",
    "model_service",
]


class QuickstartedError(Exception):
    """
    The base of all of them.

    Args:
        message: What happened, and where.
        hint: What to do about it, as one sentence or a command; empty where there is nothing.

    """

    exit_code: ClassVar[int] = 2

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}\n{self.hint}" if self.hint else self.message


class UsageError(QuickstartedError):
    """The call cannot be carried out as it was made."""

    exit_code = 3


class FileInvalid(UsageError):
    """A file is not valid; `problems` are lines of the form `FILE:LINE:COLUMN KEY: WHY`."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


class TaskInvalid(FileInvalid):
    """A task file is not valid."""


class TraceInvalid(UsageError):
    """A trace cannot be read; the message starts with `FILE:LINE`."""


class NotYetSupported(UsageError):
    """A key or flag is known, and this version does not do its work yet."""


class Interrupted(QuickstartedError):
    """The person at the terminal asked to stop."""

    exit_code = 130


class CommentRefused(QuickstartedError):
    """GitHub does not take a comment on a pull request."""


class AttemptFault(QuickstartedError):
    """One attempt cannot give evidence about the documentation."""

    component: ClassVar[Component]


class EngineFault(AttemptFault):
    """The container engine is not there, died, or refused what every attempt needs."""

    component = "engine"


class SandboxFault(AttemptFault):
    """The sandbox is gone or does not answer; what a command printed is not to be believed."""

    component = "sandbox"


class SidecarFault(AttemptFault):
    """The proxy is gone or does not do as it was told."""

    component = "sidecar"


class EventStreamFault(AttemptFault):
    """The sidecar's events have a gap or cannot be read."""

    component = "event_stream"


class StorageFault(AttemptFault):
    """A record could not be written to disk."""

    component = "storage"


class NodeFault(AttemptFault):
    """A node of a cluster was lost, or what it sent is not the attempt's results."""

    component = "node"


class ImageFault(AttemptFault):
    """The task's image does not exist, cannot be pulled, or has no POSIX shell."""

    component = "image"


class ProgramUnavailable(AttemptFault):
    """The agent's program could not be downloaded, or is not the one that was published."""

    component = "program"


class ProgramFailed(AttemptFault):
    """The agent's program ended without having come to an end of its work."""

    component = "program"


class CommandUnusable(AttemptFault):
    """There is no such command in the sandbox as `--agent exec:COMMAND` names."""

    component = "command"


class SetupFault(AttemptFault):
    """A setup command of the task failed."""

    component = "setup"


class ServiceFault(AttemptFault):
    """A service of the task ended when it should have kept running."""

    component = "service"


class SecretFault(AttemptFault):
    """A secret of the task is not set, or cannot be used here."""

    component = "secret"


class CheckFault(AttemptFault):
    """The success check could not start, or ran out of its time."""

    component = "check"


class PriceUnknown(AttemptFault):
    """There is a limit on cost, and no price for the model that it would be counted with."""

    component = "price"


class ArmFault(AttemptFault):
    """What an arm puts into workspaces is not what it was when the call began."""

    component = "arm"


class SourceFault(AttemptFault):
    """A workspace or a local site is not what it was when the call began."""

    component = "source"


class ModelRejected(AttemptFault):
    """The model's service does not take the key, the model or the account's quota."""

    component = "model_access"


class ModelUnavailable(AttemptFault):
    """The model's service failed, and went on failing for as long as it is asked again."""

    component = "model_service"
