"""Words that a reader has to put something in the place of."""

from __future__ import annotations

import re

_PLACEHOLDERS = (
    re.compile(r"<[A-Za-z][\w./:-]*(?:[ -][\w./:-]+)*>"),
    re.compile(r"\bYOUR[_-][A-Z0-9_-]+\b"),
    re.compile(
        r"\byour[_-](?:\w+[_-])*(?:key|token|name|id|secret|password|host|domain|user|username"
        r"|account|project|org|repo|email|region|bucket|url|app|file|package|server|path)\b"
    ),
    re.compile(r"(?<![\w.])/?path/to/\S*"),
    re.compile(r"(?<=[\s=\"'])(?:\.\.\.|…)(?=$|[\s\"'])"),
    re.compile(r"\b[xX]{4,}\b"),
    re.compile(r"\{\{ ?\w+ ?\}\}"),
    re.compile(r"(?<=\s)\[[a-z][\w .|=-]*\](?=$|\s)"),
    re.compile(r"\bpackage[_-]name\b|\b(?:REPLACE|CHANGE|INSERT)[_-]?(?:ME|THIS)\b"),
)
_QUOTED = re.compile(r"'[^']*'")


def placeholder_in(command: str) -> str:
    """
    The first placeholder of *command*; empty where there is none.

    Here documents are left alone: they are the text of a file, and `<p>` is HTML there.
    """
    shown = _QUOTED.sub("''", command.partition("<<")[0])
    found = [match for pattern in _PLACEHOLDERS if (match := pattern.search(shown))]
    return min(found, key=lambda match: match.start())[0] if found else ""
