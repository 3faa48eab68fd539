"""From a task to what its sandbox may reach: the policy that the sidecar obeys."""

from __future__ import annotations

from quickstarted.registries import DEFAULT_HOSTS, DEFAULT_PATHS
from quickstarted.task import Task
from quickstarted_proxy.policy import DEFAULT_PORTS, EgressPolicy, HostRule, PathRule


def docs_hosts(task: Task) -> tuple[str, ...]:
    """
    Hosts that `read_docs` may read and the shell may not: those of the route and of `allow`.

    Those of previews are closed to the shell too; `read_docs` asks them under public names only.
    """
    return task.docs.hosts


def egress_policy(task: Task) -> EgressPolicy:
    """
    Work out the policy of one task.

    Args:
        task: Its own hosts (`network.allow`) mean themselves and their subdomains and beat the
            documentation rule; `network.only` stands in for the default registries, which keep
            their path rules wherever the task does not name them under `allow` or `paths`.

    """
    return EgressPolicy(
        allow=(*_base_rules(task), *_own_rules(task)),
        docs_hosts=tuple(dict.fromkeys([*docs_hosts(task), *task.docs.preview_hosts])),
        private_hosts=task.network.private,
        paths=(*_own_paths(task), *_registry_paths(task)),
        websocket_hosts=task.network.websocket,
        max_upload_bytes=task.network.max_upload_bytes,
        max_download_bytes=task.network.max_download_bytes,
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


def _own_paths(task: Task) -> tuple[PathRule, ...]:
    return tuple(
        PathRule(host=host, patterns=patterns, subdomains=True)
        for host, patterns in task.network.paths.items()
    )


def _registry_paths(task: Task) -> tuple[PathRule, ...]:
    return tuple(
        PathRule(host=host, patterns=patterns, default=True)
        for host, patterns in DEFAULT_PATHS.items()
        if host not in task.network.paths
    )
