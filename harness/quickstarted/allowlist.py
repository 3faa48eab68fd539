"""From a task to what its sandbox may reach: the policy that the sidecar obeys."""

from __future__ import annotations

from collections.abc import Iterable

from quickstarted.registries import DEFAULT_HOSTS
from quickstarted.task import Task
from quickstarted_proxy.policy import DEFAULT_PORTS, EgressPolicy, HostRule


def docs_hosts(task: Task) -> tuple[str, ...]:
    """Hosts that `read_docs` may read and the shell may not: those of the route and of `allow`."""
    return task.docs.hosts


def egress_policy(task: Task, *, extra_docs_hosts: Iterable[str] = ()) -> EgressPolicy:
    """
    Work out the policy of one task.

    Args:
        task: Its own hosts (`network.allow`) mean themselves and their subdomains and beat the
            documentation rule; `network.only` stands in for the default registries.
        extra_docs_hosts: Hosts that become documentation for one call (`--docs-site`).

    """
    return EgressPolicy(
        allow=(*_base_rules(task), *_own_rules(task)),
        docs_hosts=tuple(dict.fromkeys([*docs_hosts(task), *extra_docs_hosts])),
        private_hosts=task.network.private,
    )


def _base_rules(task: Task) -> tuple[HostRule, ...]:
    """The default registries are exact hosts: what else lives on their domains is not meant."""
    if task.network.only is None:
        return tuple(HostRule(host=host) for host in DEFAULT_HOSTS)
    return tuple(HostRule(host=host, subdomains=True) for host in task.network.only)


def _own_rules(task: Task) -> tuple[HostRule, ...]:
    return tuple(
        HostRule(
            host=allowed.host,
            subdomains=True,
            ports=DEFAULT_PORTS if allowed.port is None else (allowed.port,),
            explicit=True,
        )
        for allowed in task.network.allow
    )
