"""
What checkers say: rules with stable codes, and problems by line.

A rule is written once, and the tables of the documentation are made from it. How many problems are
kept is bounded: a file of a gigabyte in which every line is wrong fills no memory.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

Severity = Literal["error", "finding"]
"""`error`: the file breaks a rule of its format. `finding`: it keeps them, and wants a look."""

KEPT_PER_CODE = 20


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule: its code never changes its meaning; `says` is the rule, in a sentence."""

    code: str
    severity: Severity
    says: str


@dataclass(frozen=True, slots=True)
class Problem:
    """
    One place where a file and a rule do not agree.

    Attributes:
        line: From 1; 0 where it is about the file as a whole.
        message: What stands there and what should. It may quote the file.

    """

    code: str
    severity: Severity
    line: int
    message: str

    @property
    def where(self) -> str:
        """`line 4`, or `file`."""
        return f"line {self.line}" if self.line else "file"

    def as_json(self) -> dict[str, Any]:
        """For machines."""
        return {
            "severity": self.severity,
            "code": self.code,
            "line": self.line or None,
            "message": self.message,
        }


class Problems:
    """Collects problems of *rules*; of each code the first 20, and the number of all."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self._severities = {rule.code: rule.severity for rule in rules}
        self._kept: list[Problem] = []
        self._counts: Counter[str] = Counter()

    def add(self, code: str, line: int, message: str) -> None:
        """Note that line *line* is not as rule *code* wants it."""
        self._counts[code] += 1
        if self._counts[code] <= KEPT_PER_CODE:
            self._kept.append(Problem(code, self._severities[code], line, message))

    @property
    def kept(self) -> tuple[Problem, ...]:
        """Those that are kept, by line, and then those of the whole file."""
        return tuple(sorted(self._kept, key=lambda one: one.line or sys.maxsize))

    @property
    def counts(self) -> dict[str, int]:
        """How often each code occurs, kept or not."""
        return dict(self._counts)
