"""Rules about secrets: a host that never gets one, and a name that nothing uses."""

from __future__ import annotations

import re
from collections.abc import Iterator

from quickstarted.registries import DEFAULT_HOSTS
from quickstarted.task.findings.model import Finding, Rule
from quickstarted.task.model import FROM_DOCS, Task

_UNREACHABLE = Rule(
    severity="warning",
    code="secret-host-not-allowed",
    advice="Add the host to network.allow, or take it out of the secret's hosts.",
)


def _unreachable_hosts(task: Task) -> Iterator[Finding]:
    for name, secret in task.secrets.items():
        for index, host in enumerate(secret.hosts):
            if _is_allowed(task, host):
                continue
            docs = any(_is_below(host, known) for known in task.docs.hosts)
            why = "is documentation, which the shell" if docs else "is not allowed, so the shell"
            message = f"{host} {why} may not reach: no request there gets {name}"
            yield _UNREACHABLE.finding(task.source, ("secrets", name, "hosts", index), message)


_UNUSED = Rule(
    severity="note",
    code="secret-unused",
    advice="Keep it only if a program reads that variable by itself.",
)


def _unused_secrets(task: Task) -> Iterator[Finding]:
    if not task.replay or task.replay == FROM_DOCS:
        return
    check = task.success
    texts = [*task.setup, *task.services, *task.replay, *task.teardown, task.goal]
    texts += [check.script_text or "", check.serve or "", *task.env.values()]
    for name in task.secrets:
        if not any(re.search(rf"\b{re.escape(name)}\b", text) for text in texts):
            message = "no command of the task names it"
            yield _UNUSED.finding(task.source, ("secrets", name), message)


RULES = (_unreachable_hosts, _unused_secrets)


def _is_allowed(task: Task, host: str) -> bool:
    if any(_is_below(host, allowed.host) for allowed in task.network.allow):
        return True
    if any(_is_below(host, known) for known in task.docs.hosts):
        return False
    only = task.network.only
    return host in DEFAULT_HOSTS if only is None else any(_is_below(host, name) for name in only)


def _is_below(host: str, parent: str) -> bool:
    return host == parent or host.endswith("." + parent)
