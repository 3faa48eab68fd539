"""What the sidecar is told for one attempt: the policy, and the secrets that only it may hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from quickstarted.sandbox.protocol import Doorkeeper, ModelCallSink, SandboxSpec
from quickstarted_proxy.model_apis import ModelApi
from quickstarted_proxy.policy import EgressPolicy
from quickstarted_proxy.secrets_table import Secret


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """Crosses the control stream, and is in no record."""

    policy: EgressPolicy
    secrets: tuple[Secret, ...] = ()
    door_host: str = ""
    """Whose requests are the harness's to answer; empty where nobody asks."""
    doorkeeper: Doorkeeper | None = None
    models: tuple[ModelApi, ...] = ()
    on_model_call: ModelCallSink | None = None

    def order(self) -> dict[str, Any]:
        """What the orders `start` and `attempt` have in common."""
        return {
            "policy": self.policy.to_json(),
            "secrets": self.secrets_json(),
            "docs_door": self.door_host,
            "models": [api.to_json() for api in self.models],
        }

    def secrets_json(self) -> list[dict[str, Any]]:
        """The secrets as an order carries them, with their values."""
        return [secret.to_json() for secret in self.secrets]


def rules_of(spec: SandboxSpec) -> Rules:
    """What of a sandbox's spec concerns its sidecar."""
    return Rules(
        policy=spec.policy,
        secrets=spec.secrets,
        door_host=spec.door_host,
        doorkeeper=spec.doorkeeper,
        models=spec.models,
        on_model_call=spec.on_model_call,
    )
