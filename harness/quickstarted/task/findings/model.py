"""One thing about a valid task that its author should know."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from quickstarted.task.source import KeyPath, Position, TaskSource, dotted

Severity = Literal["error", "warning", "note"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """
    An error is a page that is not there; a warning is about a number that would be wrong; a note
    says what a reader may overlook.
    """

    severity: Severity
    code: str
    """Stable name of the rule, for programs."""
    key: KeyPath
    message: str
    advice: str
    """What to do about it."""
    position: Position

    def line(self, source: TaskSource) -> str:
        """`FILE:LINE:COLUMN KEY: WHY`."""
        place = f"{source.path}:{self.position.line}:{self.position.column}"
        return (
            f"{place} {dotted(self.key)}: {self.message}"
            if self.key
            else (f"{place}: {self.message}")
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """What a rule says each time it applies."""

    severity: Severity
    code: str
    advice: str

    def finding(self, source: TaskSource, key: KeyPath, message: str) -> Finding:
        """Apply the rule to *key*."""
        return Finding(
            severity=self.severity,
            code=self.code,
            key=key,
            message=message,
            advice=self.advice,
            position=source.position(key),
        )
