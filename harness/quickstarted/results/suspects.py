"""Which pages a reader should look at first: those that failed attempts have in common."""

from __future__ import annotations

from collections.abc import Sequence

from quickstarted.results.models import RunResult
from quickstarted.verdict import DOCS_GAP, PASSED


def suspect_pages(runs: Sequence[RunResult]) -> list[str]:
    """
    Pages that every failed attempt has read, and a smaller share of those that passed.

    Ordered by the difference of the two shares, the largest first, and within that by how early the
    first failed attempt read them. A single failed attempt has nothing in common with others: it
    counts only beside one that passed. This is where to look, and no proof: with few attempts,
    pages differ by chance as well.
    """
    failed = [set(run.docs_pages) for run in runs if run.classification is DOCS_GAP]
    passed = [set(run.docs_pages) for run in runs if run.classification is PASSED]
    if len(failed) + bool(passed) < 2 or not failed:
        return []
    shared = set.intersection(*failed)
    readers = {page: sum(page in pages for pages in passed) for page in shared}
    first = next(run.docs_pages for run in runs if run.classification is DOCS_GAP)
    suspect = [
        page for page in first if page in shared and (readers[page] < len(passed) or not passed)
    ]
    return sorted(suspect, key=lambda page: readers[page])
