"""A whole run in the terminal."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from rich.console import Console
from rich.text import Text

from quickstarted.console.closing import Highlights
from quickstarted.console.entries import Tone
from quickstarted.console.lines import shown
from quickstarted.console.local_docs import local_docs_lines
from quickstarted.console.narrate import Narrator
from quickstarted.console.render import STYLES, print_entry
from quickstarted.events import EventBase
from quickstarted.results import RunResult, Summary
from quickstarted.verdict import Classification

TONES = {Classification.PASSED: Tone.GOOD, Classification.DOCS_GAP: Tone.BAD}


def show_events(
    events: Iterable[EventBase], console: Console, trace_path: Path, *, verbose: bool
) -> RunResult | None:
    """
    Print the story of *events* as they come, then the verdict and what to look at.

    Returns:
        What the attempt amounts to; None when it is not over.

    """
    summary, highlights, narrator = Summary(), Highlights(), Narrator(verbose=verbose)
    for event in events:
        summary.add(event)
        highlights.add(event)
        for entry in shown(narrator.hear(event), verbose=verbose):
            print_entry(entry, console)
    if not summary.is_over:
        for entry in narrator.unanswered():
            print_entry(entry, console)
        return None
    result = summary.result()
    for line in local_docs_lines(result, verbose=verbose):
        console.print(Text(line), soft_wrap=True)
    console.print()
    print_closing(highlights.lines(result, trace_path), result, console)
    return result


def print_closing(lines: list[str], result: RunResult, console: Console) -> None:
    """Print the lines of `closing_lines`."""
    for line in closing_texts(lines, result):
        console.print(line, soft_wrap=True)


def closing_texts(lines: list[str], result: RunResult) -> list[Text]:
    """The lines of `closing_lines`, the headline in the colour of the verdict."""
    tone = TONES.get(result.classification, Tone.WARN)
    head, *rest = lines
    return [Text(head, style=f"bold {STYLES[tone]}"), *map(Text, rest)]
