"""What this project's converter has to reach, set by set."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from bench.docs_fidelity.converters import OURS, Converter
from bench.docs_fidelity.corpus import DocumentationSet
from bench.docs_fidelity.misses import WORDS_WANTED
from bench.docs_fidelity.running import Outcome

NAVIGATION_ALLOWED = 0.05


def missed(
    outcomes: Mapping[DocumentationSet, Outcome], compared: Mapping[Converter, Outcome]
) -> list[str]:
    """A line for every aim that is missed, with the pages that are to blame below it."""
    lines = []
    for each, outcome in outcomes.items():
        if reasons := list(_reasons(outcome)):
            lines += [f"{each.name}: {', '.join(reasons)}", *outcome.misses]
    lines += [
        f"{other.name} is as fast: {outcome.cpu_s:.1f} s against {compared[OURS].cpu_s:.1f} s"
        for other, outcome in compared.items()
        if other is not OURS and other.is_python and outcome.cpu_s <= compared[OURS].cpu_s
    ]
    return lines


def _reasons(outcome: Outcome) -> Iterator[str]:
    score = outcome.score
    if not score.pages:
        yield "there are no pages"
    if outcome.faults:
        yield f"{outcome.faults} pages could not be converted"
    if score.blocks_kept < score.blocks:
        yield f"{score.blocks - score.blocks_kept} of {score.blocks} code blocks lost"
    if score.words_kept < WORDS_WANTED * score.words:
        yield f"{score.words_kept} of {score.words} words kept"
    if score.around_words >= NAVIGATION_ALLOWED * max(score.output_words, 1):
        yield f"{score.around_words} of {score.output_words} words are navigation"
