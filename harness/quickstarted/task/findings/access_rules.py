"""Rules about hosts: what is documentation, what is a registry, and what is both."""

from __future__ import annotations

from collections.abc import Iterator

from quickstarted.registries import DEFAULT_HOSTS, registry_of
from quickstarted.task.findings.model import Finding, Rule
from quickstarted.task.hosts import url_host
from quickstarted.task.model import Task
from quickstarted.task.source import KeyPath

_REGISTRY_AS_DOCS = Rule(
    severity="warning",
    code="registry-as-docs",
    advice="Name another host for the page, or list the registry under network.allow as well.",
)


def _registry_as_docs(task: Task) -> Iterator[Finding]:
    usable = DEFAULT_HOSTS if task.network.only is None else task.network.only
    explicit = [allowed.host for allowed in task.network.allow]
    for key, host in _docs_hosts(task):
        refused = [
            name
            for name in usable
            if _is_below(name, host) and not any(_is_below(name, own) for own in explicit)
        ]
        if refused:
            of = f"{registry}'s " if (registry := registry_of(host)) else ""
            message = f"{host} is documentation here, so {of}installs from it would be refused"
            yield _REGISTRY_AS_DOCS.finding(task.source, key, message)


_BOTH = Rule(
    severity="note",
    code="docs-and-network",
    advice="Keep it only if the product needs it: pages read by the shell are not in the record.",
)


def _docs_and_network(task: Task) -> Iterator[Finding]:
    docs = [host for _, host in _docs_hosts(task)]
    for index, allowed in enumerate(task.network.allow):
        if any(_is_below(host, allowed.host) or _is_below(allowed.host, host) for host in docs):
            message = f"{allowed.host} is documentation too: the shell may read it past `read_docs`"
            yield _BOTH.finding(task.source, ("network", "allow", index), message)


RULES = (_registry_as_docs, _docs_and_network)


def _docs_hosts(task: Task) -> Iterator[tuple[KeyPath, str]]:
    """Documentation hosts, each once, with the key that names it first."""
    places: list[tuple[KeyPath, str]]
    if task.docs.path is None:
        places = [(("docs", "entrypoint"), url_host(task.route[0]))]
    else:
        places = [(("docs", "path", i), url_host(url)) for i, url in enumerate(task.docs.path)]
    places += [(("docs", "allow", i), host) for i, host in enumerate(task.docs.allow)]
    seen = set()
    for key, host in places:
        if host not in seen:
            seen.add(host)
            yield key, host


def _is_below(host: str, parent: str) -> bool:
    return host == parent or host.endswith("." + parent)
