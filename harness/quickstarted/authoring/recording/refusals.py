"""Hosts that the sandbox refused while a quickstart was recorded: told once, and kept."""

from __future__ import annotations

import threading
from collections.abc import Callable

from quickstarted.events import EgressBlocked, EgressEvent
from quickstarted.task.hosts import domain_name


class Refusals:
    """
    Takes egress events, from another thread.

    Args:
        tell: Called once for each host, with one line for the person.

    """

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell
        self._hosts: dict[str, None] = {}
        self._docs: set[str] = set()
        self._paths: set[tuple[str, str]] = set()
        self._lock = threading.Lock()

    @property
    def hosts(self) -> tuple[str, ...]:
        """Hosts that are on no list, in the order in which they were asked for."""
        with self._lock:
            return tuple(self._hosts)

    def take(self, event: EgressEvent) -> None:
        """Look at one event."""
        if not isinstance(event, EgressBlocked):
            return
        if event.reason == "docs_host_requires_read_docs":
            self._take_docs(event.host)
        elif event.detail == "path":
            self._take_path(event.host, event.path or "/")
        elif host := _nameable(event.host):
            self._take_host(host)

    def _take_docs(self, host: str) -> None:
        with self._lock:
            known = host in self._docs
            self._docs.add(host)
        if not known:
            self._tell(f"refused: {host} is documentation: read it in your browser")

    def _take_path(self, host: str, path: str) -> None:
        """The host is on the list; allowing it as a whole would open its pages too."""
        with self._lock:
            known = (host, path) in self._paths
            self._paths.add((host, path))
        if not known:
            self._tell(f"refused: {path} of {host} is not open; network.paths of the task opens it")

    def _take_host(self, host: str) -> None:
        with self._lock:
            known = host in self._hosts
            self._hosts[host] = None
        if not known:
            self._tell(f"refused: {host} is not on the allowlist; --allow {host} lets it through")


def _nameable(host: str) -> str:
    """*host* as `network.allow` could name it; empty where it could not."""
    try:
        name = domain_name(host)
    except ValueError:
        return ""
    # Single labels and service names (`_http._tcp`) are asked for by resolvers, not by people.
    return name if "." in name and "_" not in name else ""
