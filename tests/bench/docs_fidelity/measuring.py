"""
How much of a page is in a converter's output.

A code block is kept where a block of the output has the same lines: every space, tab and blank line
counts; only blank lines at its very start and end do not. Each block of the output stands for one
block of the page. Words are kept where they come in the page's order (longest common subsequence),
each as often as it stands there.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from rapidfuzz.distance import LCSseq

from bench.docs_fidelity.markdown import read_markdown
from bench.docs_fidelity.page import Page


@dataclass
class Score:
    """Counts of one page, or of many."""

    pages: int = 0
    blocks: int = 0
    blocks_kept: int = 0
    words: int = 0
    words_kept: int = 0
    output_words: int = 0
    around_words: int = 0
    """Words of the output that come from what stands around the content."""
    html_chars: int = 0
    output_chars: int = 0
    lost_blocks: list[str] = field(default_factory=list)

    def add(self, other: Score) -> None:
        """Count the pages of *other* too."""
        for name, value in vars(other).items():
            setattr(self, name, getattr(self, name) + value)


def score(page: Page, html: str, output: str) -> Score:
    """Compare *output* with the *page* that was read from *html*."""
    text = read_markdown(output)
    lost = lost_blocks(page.code_blocks, text.code_blocks)
    extra = Counter(text.words) - Counter(page.main_words)
    return Score(
        pages=1,
        blocks=len(page.code_blocks),
        blocks_kept=len(page.code_blocks) - len(lost),
        words=len(page.main_words),
        words_kept=words_kept(page.main_words, text.words),
        output_words=len(text.words),
        around_words=(extra & Counter(page.around_words)).total(),
        html_chars=len(html),
        output_chars=len(output),
        lost_blocks=lost,
    )


def lost_blocks(wanted: list[str], found: list[str]) -> list[str]:
    """Those of *wanted* that are not in *found*, each of which is used once."""
    left = Counter(map(inner_lines, found))
    lost = []
    for block in wanted:
        lines = inner_lines(block)
        if left[lines]:
            left[lines] -= 1
        else:
            lost.append(block)
    return lost


def inner_lines(block: str) -> str:
    """*block* without the blank lines at its start and end."""
    lines = block.split("\n")
    while lines and not lines[0].strip():
        lines.pop(0)
    while lines and not lines[-1].strip():
        lines.pop()
    return "\n".join(lines)


def words_kept(wanted: list[str], found: list[str]) -> int:
    """How many of *wanted* are in *found*, in order."""
    return int(LCSseq.similarity(wanted, found))
