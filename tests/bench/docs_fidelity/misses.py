"""What is missing on a page, shown so that it can be put right: block by block, with a diff."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from pathlib import Path

from bench.docs_fidelity.markdown import read_markdown
from bench.docs_fidelity.measuring import Score, inner_lines
from bench.docs_fidelity.page import Page

MAX_LINES = 12
MAX_WORDS = 8
WORDS_WANTED = 0.995
NEAR_CHARS = 20_000


def misses(path: Path, page: Page, output: str, found: Score) -> Iterator[str]:
    """One paragraph for each code block that is lost, one for words where there are too few."""
    text = read_markdown(output)
    for block in found.lost_blocks:
        yield f"{path}\n  code block lost:\n{_diff(block, text.code_blocks)}"
    if found.words_kept < WORDS_WANTED * found.words:
        share = f"{found.words_kept} of {found.words} words"
        yield f"{path}\n  {share}:\n{_gaps(page.main_words, text.words)}"


def _diff(block: str, candidates: list[str]) -> str:
    wanted = inner_lines(block)
    nearest = max(candidates, key=lambda each: _likeness(wanted, inner_lines(each)), default="")
    lines = difflib.unified_diff(
        wanted.split("\n"), inner_lines(nearest).split("\n"), "page", "output", lineterm="", n=1
    )
    return "\n".join(f"    {line!r}" for line, _ in zip(lines, range(MAX_LINES), strict=False))


def _likeness(one: str, other: str) -> float:
    matcher = difflib.SequenceMatcher(None, one[:NEAR_CHARS], other[:NEAR_CHARS])
    return matcher.quick_ratio()


def _gaps(wanted: list[str], found: list[str]) -> str:
    matcher = difflib.SequenceMatcher(None, wanted[:NEAR_CHARS], found[:NEAR_CHARS], autojunk=True)
    lines = []
    for kind, start, end, found_start, found_end in matcher.get_opcodes():
        if kind in {"delete", "replace"} and len(lines) < MAX_LINES:
            before = " ".join(wanted[max(0, start - 3) : start])
            lost = " ".join(wanted[start : min(end, start + MAX_WORDS)])
            instead = " ".join(found[found_start : min(found_end, found_start + MAX_WORDS)])
            lines.append(f"    {before} [{lost}] -> [{instead}]")
    return "\n".join(lines)
