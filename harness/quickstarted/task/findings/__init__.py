"""
What `validate` says about a task that is valid: warnings about numbers that would be wrong, notes.

Heuristics over the check and the documented commands. A rule stays silent where it cannot tell:
a false alarm costs more trust than it saves.
"""

from quickstarted.task.findings.model import Finding, Rule, Severity
from quickstarted.task.findings.rules import warnings_for

__all__ = ["Finding", "Rule", "Severity", "warnings_for"]
