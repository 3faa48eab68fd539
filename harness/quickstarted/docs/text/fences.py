"""Markdown that somebody else has written: what stands in fences is code, and left as it is."""

from __future__ import annotations

import re
from collections.abc import Callable

_FENCED = re.compile(r"^ {0,3}(`{3,}|~{3,}).*?(?:^ {0,3}\1[`~]*\s*$|\Z)", re.MULTILINE | re.DOTALL)


def changed_outside(markdown: str, change: Callable[[str], str]) -> str:
    """*markdown* with *change* made to what stands between its fences."""
    parts: list[str] = []
    position = 0
    for fenced in _FENCED.finditer(markdown):
        parts += [change(markdown[position : fenced.start()]), fenced[0]]
        position = fenced.end()
    return "".join([*parts, change(markdown[position:])])
