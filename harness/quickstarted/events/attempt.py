"""Events of an attempt as a whole: how it begins, is prepared, judged and ended."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from quickstarted.events.base import EventBase
from quickstarted.verdict import Classification, StopReason


class RunStart(EventBase):
    """The first line."""

    type: Literal["run_start"] = "run_start"
    task: str
    agent: str
    backend: str
    enforced: bool
    """Whether the allowlist was enforced from outside the sandbox."""
    attempt: int
    """Counts from 1."""
    affordance_policy: str
    arm: str = "docs"
    """What else the attempt is made under: `docs`, `no-docs`, or the name of a folder (`--arm`)."""
    arm_hash: str | None = None
    """`sha256:` and the digest of what the arm put into the workspace."""
    prices: dict[str, str | None] | None = None
    """`source` and `date` of the prices that costs are estimated with; None where none are."""
    run_id: str | None = None
    model: str | None = None
    image: str | None = None
    """The image as it was asked for."""
    harness_version: str | None = None
    prompt_hash: str | None = None
    tags: list[str] = Field(default_factory=list)
    metadata: dict[str, Any] = Field(default_factory=dict)
    """Of the task; travels into the results untouched."""


class SandboxReady(EventBase):
    """Sandbox and sidecar are up and the policy is in force."""

    type: Literal["sandbox_ready"] = "sandbox_ready"
    image: str
    image_id: str
    image_digest: str | None
    architecture: str
    sidecar_image_id: str | None = None
    engine_version: str | None = None
    user: str = ""
    shell: str = ""
    duration: float
    """Seconds from nothing to ready."""
    limits: dict[str, Any] = Field(default_factory=dict)
    """Limits in force; a limit that the engine cannot enforce is named with the reason."""
    stand_in: str | None = None
    """The image of our own that stood in for the one that was asked for."""
    program: dict[str, str] | None = None
    """The agent's own program in the sandbox: name, version, integrity of its archive, and the
    image that has it on top of the task's."""
    lane: Literal["cold", "warm"] | None = None
    """Whether network and sidecar were there from the attempt before."""
    phases: dict[str, float] | None = None
    """Seconds that the parts of setting up took; some overlap."""
    notes: list[str] = Field(default_factory=list)
    """What of the task the place does not do, e.g. why no request is on record."""


class Setup(EventBase):
    """One setup command of the task has run."""

    type: Literal["setup"] = "setup"
    command: str
    exit_code: int
    output: str
    duration: float | None = None
    timed_out: bool = False


class Service(EventBase):
    """A service of the task was started or has ended."""

    type: Literal["service"] = "service"
    command: str
    state: Literal["started", "exited"]
    exit_code: int | None = None
    output: str = ""
    """The end of its log, when it has ended."""


class LeftProcesses(EventBase):
    """The agent left processes behind as it stopped."""

    type: Literal["left_processes"] = "left_processes"
    processes: list[str]
    """Command lines."""
    action: Literal["reaped", "kept"]
    """Reaped by a restart of the sandbox before the check, or kept (`success.leftovers: keep`)."""
    detail: str | None = None


class SandboxRestarted(EventBase):
    """The harness restarted the sandbox while the agent was at work."""

    type: Literal["sandbox_restarted"] = "sandbox_restarted"
    reason: str


class Fault(EventBase):
    """A component failed and the attempt gives no evidence."""

    type: Literal["fault"] = "fault"
    component: str
    error: str
    hint: str = ""


class SuccessCheck(EventBase):
    """The only event that determines the verdict."""

    type: Literal["success_check"] = "success_check"
    exit_code: int
    passed: bool
    output: str
    duration: float | None = None
    timed_out: bool = False


class Teardown(EventBase):
    """One teardown command of the task has run; never part of the verdict."""

    type: Literal["teardown"] = "teardown"
    command: str
    exit_code: int
    output: str


class SandboxSaved(EventBase):
    """`--keep-sandbox` kept the sandbox: as an image, or as a folder where the backend has none."""

    type: Literal["sandbox_saved"] = "sandbox_saved"
    image: str
    """Its name, for another sandbox like it."""
    expires: float
    """Epoch seconds after which `quickstarted gc` removes it."""


class RunEnd(EventBase):
    """The last line."""

    type: Literal["run_end"] = "run_end"
    stop_reason: StopReason
    passed: bool | None
    """None when no check ran."""
    classification: Classification
    duration: float | None = None
    """Seconds from `run_start`, waiting included."""
    waited: float | None = None
    """Seconds spent on throttles and rate limits, which no budget counts."""
