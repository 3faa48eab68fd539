"""What `doctor` says: one finding a fact that matters."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Literal

Group = Literal["engine", "room", "images", "sandbox", "agents", "machine", "tasks"]
GROUPS: tuple[Group, ...] = (
    "engine",
    "room",
    "images",
    "sandbox",
    "agents",
    "machine",
    "tasks",
)
"""In the order in which they are shown."""

NO_EVIDENCE = 2
"""Exit code where something is wrong that keeps runs from giving evidence."""


class Severity(StrEnum):
    """How much a finding matters."""

    OK = "ok"
    NOT_APPLICABLE = "not_applicable"
    WARNING = "warning"
    """Some runs are worse for it, or will be."""
    ERROR = "error"
    """Runs give no evidence until it is mended."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that was looked at."""

    group: Group
    severity: Severity
    code: str
    """Stable, for machines."""
    title: str
    detail: str = ""
    fix: str = ""
    """The command that mends it, as it is typed."""


def ok(group: Group, code: str, title: str, detail: str = "") -> Finding:
    """All is well."""
    return Finding(group=group, severity=Severity.OK, code=code, title=title, detail=detail)


def not_applicable(group: Group, code: str, title: str, detail: str = "") -> Finding:
    """There is nothing to look at."""
    severity = Severity.NOT_APPLICABLE
    return Finding(group=group, severity=severity, code=code, title=title, detail=detail)


def warning(group: Group, code: str, title: str, *, detail: str = "", fix: str) -> Finding:
    """Something could be better."""
    severity = Severity.WARNING
    return Finding(group=group, severity=severity, code=code, title=title, detail=detail, fix=fix)


def error(group: Group, code: str, title: str, *, detail: str = "", fix: str) -> Finding:
    """Something must be mended."""
    severity = Severity.ERROR
    return Finding(group=group, severity=severity, code=code, title=title, detail=detail, fix=fix)


def for_root(findings: Iterable[Finding]) -> list[Finding]:
    """With fixes as root types them: there may be no sudo. What runs elsewhere keeps it."""
    return [
        finding
        if finding.fix.startswith("ssh ")
        else replace(finding, fix=re.sub(r"\bsudo (?=\w)", "", finding.fix))
        for finding in findings
    ]


def exit_code(findings: Iterable[Finding]) -> int:
    """0 where nothing is wrong, warnings or not; else 2."""
    wrong = any(finding.severity is Severity.ERROR for finding in findings)
    return NO_EVIDENCE if wrong else 0
