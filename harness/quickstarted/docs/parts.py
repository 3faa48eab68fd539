"""
Long texts in parts that one read gives, cut at ends of lines and not within code if possible.

The parts put together are the text again, character by character.
"""

from __future__ import annotations

import re

_FENCE = re.compile(r"(`{3,})[^`\n]*\n")


def split(text: str, max_chars: int) -> list[str]:
    """
    Cut *text* into parts of at most *max_chars* characters.

    Returns:
        At least one part; a line that is longer than a part is cut within.

    """
    parts: list[str] = []
    inside = _code_spans(text)
    start = 0
    while len(text) - start > max_chars:
        end = _cut(text, start, start + max_chars, inside)
        parts.append(text[start:end])
        start = end
    parts.append(text[start:])
    return parts


def _cut(text: str, start: int, limit: int, code: list[tuple[int, int]]) -> int:
    """The best place to end a part that starts at *start*, not behind *limit*."""
    line_end = text.rfind("\n", start, limit) + 1
    for opens, closes in code:
        if opens < line_end < closes:
            is_far_enough = opens - start >= (limit - start) // 2
            line_end = opens if is_far_enough else line_end
    return line_end if line_end > start else limit


def _code_spans(text: str) -> list[tuple[int, int]]:
    """Where fenced blocks start and end."""
    spans: list[tuple[int, int]] = []
    never_closed: set[str] = set()
    position = 0
    while (opening := _FENCE.search(text, position)) is not None:
        fence = opening[1]
        position = opening.end()
        if text[max(0, opening.start() - 1)] not in "`\n" or fence in never_closed:
            continue
        closing = re.compile(rf"^{fence}$", re.MULTILINE).search(text, position)
        if closing is None:
            never_closed.add(fence)
        else:
            spans.append((opening.start(), closing.end()))
            position = closing.end()
    return spans
