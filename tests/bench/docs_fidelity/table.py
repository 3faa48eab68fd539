"""The figures as tables of Markdown, and their place in the documentation."""

from __future__ import annotations

import datetime as dt
import os
import platform
from collections.abc import Mapping
from pathlib import Path

from bench.docs_fidelity.converters import OURS, Converter
from bench.docs_fidelity.corpus import DocumentationSet
from bench.docs_fidelity.running import Outcome

PAGE = Path(__file__).parents[3] / "docs" / "fidelity.md"
START = "<!-- figures: start -->"
END = "<!-- figures: end -->"


def sets_table(outcomes: Mapping[DocumentationSet, Outcome]) -> str:
    """Ours, a row for each set and one for all."""
    head = "pages", "code blocks kept", "", "words kept", "navigation", "size", "pages/s"
    rows = [("set", "made with", *head)]
    rows += [(f"{each.name}", each.made_with, *_cells(found)) for each, found in outcomes.items()]
    rows.append(("all", "", *_cells(total(outcomes))))
    return _markdown(rows)


def total(outcomes: Mapping[DocumentationSet, Outcome]) -> Outcome:
    """All sets as one."""
    everything = Outcome()
    for outcome in outcomes.values():
        everything.add(outcome)
    return everything


def converters_table(outcomes: Mapping[Converter, Outcome]) -> str:
    """Every converter on the same pages."""
    head = "code blocks kept", "", "words kept", "navigation", "size", "pages/s", "speed: x ours"
    rows = [("converter", "core", *head)]
    ours_s = outcomes[OURS].cpu_s
    for converter, found in outcomes.items():
        name = f"{converter.name} {converter.version}"
        ratio = "" if converter is OURS else f"{ours_s / found.cpu_s:.2f}"
        rows.append((name, converter.core, *_cells(found)[1:], ratio))
    return _markdown(rows)


def _cells(outcome: Outcome) -> tuple[str, ...]:
    score = outcome.score
    return (
        f"{score.pages:,}",
        _percent(score.blocks_kept, score.blocks),
        f"{score.blocks_kept:,} of {score.blocks:,}",
        _percent(score.words_kept, score.words),
        _percent(score.around_words, score.output_words),
        _percent(score.output_chars, score.html_chars),
        f"{score.pages / outcome.cpu_s:.0f}" if outcome.cpu_s else "",
    )


def _percent(part: int, whole: int) -> str:
    """Rounded down: what is not whole never reads 100."""
    return f"{part * 10_000 // whole / 100:.2f}%" if whole else ""


def _markdown(rows: list[tuple[str, ...]]) -> str:
    head, *rest = ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join([head, "|" + " --- |" * len(rows[0]), *rest])


def machine() -> str:
    """When and on what this was measured."""
    today = dt.datetime.now(tz=dt.UTC).date()
    return (
        f"Measured on {today} in one process of {_processor()} ({os.cpu_count()} cores), "
        f"{platform.system()}, Python {platform.python_version()}."
    )


def _processor() -> str:
    lines = Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def write(text: str) -> None:
    """Put *text* between the markers of the page."""
    before, _, rest = PAGE.read_text().partition(START)
    _, _, after = rest.partition(END)
    PAGE.write_text(f"{before}{START}\n\n{text}\n\n{END}{after}")
