"""
What an agent tells of itself before it is made.

Each agent has one `AgentKind`, in its own module; the registry, the command line and `doctor` know
of an agent what is in it and nothing else, so that adding one changes none of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from quickstarted.agents.address import ServiceAddress
from quickstarted.agents.protocol import Agent
from quickstarted.errors import ModelRejected

DISTRIBUTION = "quickstarted-harness"


@dataclass(frozen=True, slots=True, kw_only=True)
class Package:
    """A package that an agent speaks through, and the extra that brings it."""

    module: str
    """What is imported, `google.genai`."""
    name: str
    """Distribution, `google-genai`."""
    extra: str = ""
    """Of this project; empty for one that is always installed with it."""

    @property
    def remedy(self) -> str:
        """The command that installs it."""
        if self.extra:
            return f"pip install '{DISTRIBUTION}[{self.extra}]'"
        return f"pip install --upgrade {self.name}"

    def missing(self, agent: str, error: ImportError) -> ModelRejected:
        """What is said where *agent* cannot import it."""
        return ModelRejected(
            f"--agent {agent} speaks through the package {self.name}, which is not there: {error}",
            hint=self.remedy,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentKind:
    """One kind of agent: how it is named, made, and what it needs of the machine."""

    make: Callable[[str | None], Agent]
    """Gets what followed the colon, or None. Raises UsageError where that cannot be."""
    argument: str = ""
    """What may follow the colon, `MODEL`; empty for an agent that takes nothing."""
    needs_argument: bool = False
    """Whether it cannot be made without."""
    packages: tuple[Package, ...] = ()
    """That it cannot act without."""
    vendor: str = ""
    """Whose service it asks; agents of one vendor share key and address."""
    key_variables: tuple[str, ...] = ()
    address: ServiceAddress | None = None
