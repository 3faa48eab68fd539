"""All rules together: from a task to its findings."""

from __future__ import annotations

from itertools import chain

from quickstarted.task.findings import access_rules, check_rules, replay_rules, secret_rules
from quickstarted.task.findings.model import Finding
from quickstarted.task.model import Task

RULES = (
    *check_rules.RULES,
    *replay_rules.RULES,
    *access_rules.RULES,
    *secret_rules.RULES,
)
"""Each is a function from a task to its findings, silent where it cannot tell."""


def warnings_for(task: Task) -> list[Finding]:
    """All findings about *task*, in the order of the file, warnings before notes at one place."""
    found = chain.from_iterable(rule(task) for rule in RULES)
    return sorted(found, key=lambda one: (one.position, one.severity != "warning", one.code))
