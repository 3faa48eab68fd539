"""What all hooks share, and what the order `attempt` replaces as a whole."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from quickstarted_proxy.budgets import Budgets
from quickstarted_proxy.ledger import Ledger
from quickstarted_proxy.model_apis import ModelApi, model_apis_from_json
from quickstarted_proxy.placing import SecretTable
from quickstarted_proxy.policy import EgressPolicy
from quickstarted_proxy.resolver import Resolver
from quickstarted_proxy.secrets_table import secrets_from_json
from quickstarted_proxy.tunnels import RefusedTunnels
from quickstarted_proxy.upstream import UpstreamProxies


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptRules:
    """What an attempt brings with it."""

    policy: EgressPolicy
    secrets: SecretTable = field(default_factory=SecretTable, repr=False)
    docs_door: str = ""
    models: tuple[ModelApi, ...] = ()

    @classmethod
    def from_order(cls, order: dict[str, Any]) -> AttemptRules:
        """
        Read the orders `start` and `attempt`.

        Raises:
            ValueError, KeyError, TypeError: A part is missing or wrong; no secret is quoted.

        """
        return cls(
            policy=EgressPolicy.from_json(order["policy"]),
            secrets=SecretTable(secrets_from_json(order.get("secrets") or ())),
            docs_door=str(order.get("docs_door") or ""),
            models=model_apis_from_json(order.get("models") or ()),
        )


@dataclass(slots=True)
class Spent:
    """What an attempt has had of models."""

    calls: int = 0
    tokens: int = 0


@dataclass(slots=True, kw_only=True)
class State:
    """The policy in force and the record of what it did."""

    listen: str
    policy: EgressPolicy
    ledger: Ledger
    resolver: Resolver
    proxies: UpstreamProxies
    secrets: SecretTable = field(default_factory=SecretTable)
    docs_door: str = ""
    """The host that stands for the harness; empty where no program needs it."""
    models: tuple[ModelApi, ...] = ()
    """Services of models that programs may call."""
    spent: Spent = field(default_factory=Spent)
    attempt: int = 0
    """Counts attempts, so that work begun under an earlier policy is recognised."""
    permits: dict[str, set[tuple[str, int]]] = field(default_factory=dict)
    """Client connection to the destinations that it was allowed: no other is connected to."""
    own_clients: set[tuple[str, int]] = field(default_factory=set)
    """Addresses from which the sidecar asks itself; they take nobody's place."""
    failures: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Client connection to detail and text of its last failure upstream."""
    tunnels: RefusedTunnels = field(init=False)
    budgets: Budgets = field(init=False)

    def __post_init__(self) -> None:
        self.tunnels = RefusedTunnels(self.ledger)
        self.budgets = Budgets(self.policy)

    def permit(self, client_id: str, host: str, port: int) -> None:
        """Let a client's requests cause connections to *host* and *port*."""
        self.permits.setdefault(client_id, set()).add((host, port))

    def begin_attempt(self, rules: AttemptRules) -> None:
        """Put other rules in force; nothing of the earlier attempt remains."""
        self.attempt += 1
        self.policy = rules.policy
        self.secrets = rules.secrets
        self.docs_door = rules.docs_door
        self.models = rules.models
        self.spent = Spent()
        self.budgets = Budgets(rules.policy)
        self.permits.clear()
        self.failures.clear()
        self.resolver.forget()
        self.ledger.reset()
        self.tunnels.reset()
