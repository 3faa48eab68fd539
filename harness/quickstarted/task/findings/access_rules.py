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


_UNREACHABLE = Rule(
    severity="warning",
    code="host-not-allowed",
    advice="List the host under network.allow, or take it away where it stands.",
)


def _host_not_allowed(task: Task) -> Iterator[Finding]:
    """What a task says about a host that its shell cannot reach has no effect."""
    for key, host, what in _conditions(task):
        if not _is_reachable(task, host):
            message = f"{what} {host} has no effect: the shell may not reach that host"
            yield _UNREACHABLE.finding(task.source, key, message)


def _conditions(task: Task) -> Iterator[tuple[KeyPath, str, str]]:
    """Hosts under keys that limit or widen what is allowed without allowing anything."""
    network = task.network
    for host in network.paths:
        yield _host_key(task, ("network", "paths"), host), host, "a limit on the paths of"
    for index, host in enumerate(network.websocket):
        yield ("network", "websocket", index), host, "WebSocket with"
    docs = [*(host for _, host in _docs_hosts(task)), *task.docs.preview_hosts]
    for index, host in enumerate(network.private):
        # It is for `read_docs` too.
        if not any(_is_below(one, host) or _is_below(host, one) for one in docs):
            yield ("network", "private", index), host, "a private address of"


def _host_key(task: Task, parent: KeyPath, host: str) -> KeyPath:
    """Where the host stands; in the file it may be written in another spelling."""
    key: KeyPath = (*parent, host)
    return key if key in task.source.positions else parent


def _is_reachable(task: Task, host: str) -> bool:
    """Whether the shell may reach *host*, or some host below it."""
    explicit = [allowed.host for allowed in task.network.allow]
    if any(_is_below(host, own) or _is_below(own, host) for own in explicit):
        return True
    if any(_is_below(host, docs) for _, docs in _docs_hosts(task)):
        return False
    if task.network.only is None:
        return any(_is_below(known, host) for known in DEFAULT_HOSTS)
    return any(_is_below(host, own) or _is_below(own, host) for own in task.network.only)


_NEVER_SENT = Rule(
    severity="warning",
    code="headers-never-sent",
    advice="Name the very host: a header goes to no host below it.",
)


def _headers_never_sent(task: Task) -> Iterator[Finding]:
    docs = [host for _, host in _docs_hosts(task)]
    for host in task.docs.headers:
        if host in task.docs.preview_hosts or any(_is_below(host, known) for known in docs):
            continue
        message = f"read_docs asks nothing of {host}: no page and no preview is there"
        yield _NEVER_SENT.finding(task.source, _host_key(task, ("docs", "headers"), host), message)


RULES = (_registry_as_docs, _docs_and_network, _host_not_allowed, _headers_never_sent)


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
