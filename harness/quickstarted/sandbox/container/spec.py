"""What a sandbox's container is made from, and what it needs from the lane around it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from quickstarted.sandbox.protocol import ImageIdentity, Resources
from quickstarted_proxy.substitution import Replacer

HOSTNAME = "sandbox"
"""Of every sandbox, so that outputs of different runs compare."""


@dataclass(frozen=True, kw_only=True)
class ContainerSpec:
    """One sandbox container."""

    run_id: str
    image: ImageIdentity
    labels: Mapping[str, str]
    network_id: str | None = None
    """The lane's network; None: no network at all."""
    ipv4: str | None = None
    """Static address on the lane."""
    dns_ip: str | None = None
    """The sidecar, written into /etc/resolv.conf after every start; None: left as it is."""
    env: Mapping[str, str] = field(default_factory=dict)
    """Added to the image's own variables, for every process."""
    user: str | None = None
    """As in `docker run --user`; None: the image's user."""
    platform: str | None = None
    resources: Resources = field(default_factory=Resources)
    host_config: Mapping[str, Any] = field(default_factory=dict)
    """Further keys of the Engine API's HostConfig; they win over the hardening's."""
    record_dir: Path | None = None
    """Host folder for full outputs; None: a temporary folder that lives as long as the sandbox."""
    scrubber: Replacer = field(default_factory=lambda: Replacer(()))
    """Takes secrets out of what commands print."""

    @property
    def agent_user(self) -> str:
        """Who the agent's commands run as, in the form that an exec takes."""
        return self.user or self.image.user or "0"


class EgressControl(Protocol):
    """What the sandbox asks of the lane it stands in."""

    def begin_scope(self, scope: int) -> None:
        """Say that egress from now on belongs to command *scope*."""

    def drain(self) -> None:
        """Return once every egress event known to the sidecar has been delivered."""

    def check(self) -> None:
        """
        Return when the sidecar is well.

        Raises:
            SidecarFault: It is gone or said that it cannot be relied on.
            EventStreamFault: Its events have a gap.

        """
