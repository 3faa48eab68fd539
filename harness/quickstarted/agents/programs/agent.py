"""Any program as an agent; what one program is, its own module says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from quickstarted.agents.assignment import Assignment, Prompt
from quickstarted.agents.programs.program import Program
from quickstarted.agents.programs.resident import ProgramResident
from quickstarted.agents.programs.services import Access, access_to
from quickstarted.agents.prompt import prompt_for
from quickstarted_proxy.model_apis import Vendor


@dataclass(frozen=True, kw_only=True)
class ProgramAgent:
    """A program that works inside the sandbox; holds nothing of an attempt."""

    program: Program
    environ: Mapping[str, str] = field(repr=False)
    argument: str | None = None
    """What the command line gave after the colon, where that is no model."""
    is_replay: ClassVar[bool] = False

    @property
    def name(self) -> str:
        """As on the command line."""
        argument = self.argument or self.program.model
        return f"{self.program.name}:{argument}" if argument else self.program.name

    @property
    def model(self) -> str | None:
        """That is asked for; what the vendor reports is in each turn."""
        return self.program.model

    def lacks(self, assignment: Assignment) -> str | None:
        """Every task has a goal and documentation, which is all that it takes."""
        del assignment
        return None

    def prepare(self) -> None:
        """
        Look for keys and addresses.

        Raises:
            ModelRejected: One is missing, or cannot be used.

        """
        self._access()

    def prompt(self, assignment: Assignment) -> Prompt | None:
        """What the program is told."""
        return prompt_for(assignment)

    def move_in(self) -> ProgramResident:
        """See `protocol.SandboxAgent`."""
        return ProgramResident(self.program, self._access())

    def _access(self) -> dict[Vendor, Access]:
        return {
            vendor: access_to(vendor, self.environ) for vendor in self.program.vendors(self.environ)
        }
