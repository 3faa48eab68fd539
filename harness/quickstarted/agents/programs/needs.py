"""What an agent inside the sandbox needs of it, and who acts for it there; an attempt's own."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from quickstarted.agents.assignment import Assignment
from quickstarted.agents.programs.services import ModelService
from quickstarted.programs import Release
from quickstarted.sandbox.protocol import Doorkeeper, ModelCallSink
from quickstarted.verdict import StopReason
from quickstarted_proxy.secrets_table import Secret
from quickstarted_proxy.substitution import Replacer

if TYPE_CHECKING:
    from quickstarted.tools import Toolbelt


@dataclass(frozen=True, slots=True, kw_only=True)
class SandboxNeeds:
    """What is to be had in the sandbox, and who hears of what goes on there."""

    program: Release | None
    """That the sandbox does not have by itself."""
    secrets: tuple[Secret, ...]
    """Keys; the sandbox holds what stands for them."""
    services: tuple[ModelService, ...]
    """Of models, which only such an agent reaches."""
    door_host: str
    doorkeeper: Doorkeeper = field(repr=False)
    on_model_call: ModelCallSink = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Records:
    """Where what such an agent writes is kept."""

    folder: Path
    """On the host, beside the trace."""
    scrubber: Replacer
    """Takes out what no record may hold."""


class Resident(Protocol):
    """An agent in the sandbox of one attempt."""

    needs: SandboxNeeds

    def run(self, assignment: Assignment, tools: Toolbelt, records: Records) -> StopReason:
        """As `Agent.run`; raises the same, and ProgramFailed."""
