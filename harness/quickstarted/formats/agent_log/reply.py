"""What to write to somebody whose log was rejected: every error once, in words, with its line."""

from __future__ import annotations

from collections import Counter

from quickstarted.formats.agent_log.checker import LogReport

_MAX_NAMED = 10


def reply_text(report: LogReport) -> str:
    """
    The text to send; empty where the log is not rejected.

    It quotes the log, so it is to be made visible before it reaches a terminal.
    """
    errors = [one for one in report.problems if one.severity == "error"]
    if not errors:
        return ""
    named = Counter(one.code for one in errors[:_MAX_NAMED])
    left = sum(report.counts[code] for code in {one.code for one in errors}) - named.total()
    lines = [
        "Your agent log cannot be accepted as it is:",
        *(f"- {one.where}: {one.message} ({one.code})" for one in errors[:_MAX_NAMED]),
    ]
    if left:
        lines.append(f"- and {left:,} more like these")
    lines.append(
        "The numbers are those of the lines in your file. Every line has to keep the rules of"
    )
    lines.append("the agent log format; please submit the run again when they hold.")
    return "\n".join(lines)
