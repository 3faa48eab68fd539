"""What a probe is: a promise, a script that asks inside the sandbox, and a judgement."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

from quickstarted.events import EgressBlocked, EgressEvent
from quickstarted.sandbox.protocol import Resources
from quickstarted_proxy.policy import EgressPolicy, HostRule

DOCS_HOST = "docs.example.com"
"""Documentation in the policy of probes: refused inside, so it answers without any upstream."""
REFUSED_HOST = "refused.example.net"
"""On no list."""


class State(StrEnum):
    """How a probe ended."""

    HOLDS = "holds"
    BROKEN = "broken"
    NOT_APPLICABLE = "not_applicable"
    """The image lacks what the promise is about."""
    UNCLEAR = "unclear"
    """What was asked could not answer, for a reason outside the sandbox."""


Kind = Literal["enforcement", "passage", "trust", "limit", "workspace"]
"""`enforcement`: without it a record means nothing; `limit`: what an engine may not be able to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a probe found."""

    state: State
    detail: str = ""


def holds(detail: str = "") -> Outcome:
    """The promise is kept."""
    return Outcome(state=State.HOLDS, detail=detail)


def broken(detail: str) -> Outcome:
    """The promise is not kept."""
    return Outcome(state=State.BROKEN, detail=detail)


def not_applicable(detail: str) -> Outcome:
    """There is nothing that the promise could be about."""
    return Outcome(state=State.NOT_APPLICABLE, detail=detail)


def unclear(detail: str) -> Outcome:
    """It cannot be told."""
    return Outcome(state=State.UNCLEAR, detail=detail)


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """What probes are told of the world outside."""

    nonce: str
    """Of this call, so that nothing of another one is taken for ours."""
    allowed_host: str
    allowed_path: str
    """A page of it that answers 200."""
    host_addresses: tuple[str, ...] = ()
    """IPv4 addresses of this machine and of the engine's bridges."""
    host_port: int = 0
    """Where this machine listens on all addresses."""
    outside: tuple[tuple[str, int], ...] = ()
    """Addresses and ports that answer whoever has a way out."""
    name_servers: tuple[str, ...] = ()
    resources: Resources = field(default_factory=Resources)
    """What the sandbox was made with."""
    user: str | None = None
    """As in `SandboxSpec.user`."""
    secret_names: tuple[str, ...] = ()
    """Variables of this machine whose values are nobody's business in a sandbox."""
    min_disk_bytes: int = 1_000_000_000

    @property
    def foreign_name(self) -> str:
        """A name that nobody has, below a domain that somebody has."""
        return f"{self.nonce}.example.com"

    def policy(self) -> EgressPolicy:
        """What the sandbox of these probes may reach."""
        return EgressPolicy(allow=(HostRule(host=self.allowed_host),), docs_hosts=(DOCS_HOST,))

    def environment(self) -> dict[str, str]:
        """The situation as the scripts know it."""
        return {
            "QP_NONCE": self.nonce,
            "QP_HOST_ADDRESSES": " ".join(self.host_addresses),
            "QP_HOST_PORT": str(self.host_port),
            "QP_OUTSIDE": " ".join(f"{address}:{port}" for address, port in self.outside),
            "QP_NAME_SERVERS": " ".join(self.name_servers),
            "QP_FOREIGN_NAME": self.foreign_name,
            "QP_ALLOWED_URL": f"https://{self.allowed_host}{self.allowed_path}",
            "QP_DOCS_HOST": DOCS_HOST,
            "QP_REFUSED_HOST": REFUSED_HOST,
            "QP_SECRET_NAMES": " ".join(self.secret_names),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What a probe's script printed, and what it caused outside."""

    output: str
    events: Sequence[EgressEvent]
    """Of this script alone."""
    situation: Situation
    heard: Sequence[str] = ()
    """Addresses of this machine under which something came from the sandbox."""

    @property
    def lines(self) -> list[str]:
        """Lines of the output that say something."""
        return [line.strip() for line in self.output.splitlines() if line.strip()]

    @property
    def pairs(self) -> dict[str, str]:
        """Lines as first word to the rest."""
        return {line.partition(" ")[0]: line.partition(" ")[2] for line in self.lines}

    def blocked(self, host: str) -> list[EgressBlocked]:
        """Refusals of that host."""
        return [
            event
            for event in self.events
            if isinstance(event, EgressBlocked) and event.host == host
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """One promise, and how to find out whether it is kept."""

    name: str
    promise: str
    """A sentence, true where the probe holds."""
    kind: Kind
    script: str
    """POSIX sh, run after `tools.PRELUDE`, with the situation in its environment."""
    judge: Callable[[Seen], Outcome]
    needs_user: bool = False
    """Whether it is about a sandbox whose `user` is set."""
    timeout_s: float = 60.0
