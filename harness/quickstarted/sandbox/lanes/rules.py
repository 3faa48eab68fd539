"""What the sidecar is told for one attempt: the policy, and the secrets that only it may hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from quickstarted_proxy.policy import EgressPolicy
from quickstarted_proxy.secrets_table import Secret


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """Crosses the control stream, and is in no record."""

    policy: EgressPolicy
    secrets: tuple[Secret, ...] = ()

    def secrets_json(self) -> list[dict[str, Any]]:
        """The secrets as an order carries them, with their values."""
        return [secret.to_json() for secret in self.secrets]
