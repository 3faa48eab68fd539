"""Entries as rich draws them: columns, wrapping and colours; no text is taken for markup."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console
from rich.text import Text

from quickstarted.console.entries import Entry, Tone
from quickstarted.console.lines import LABEL_COLUMNS, TIME_COLUMNS
from quickstarted.console.text import visible

LEFT_COLUMNS = TIME_COLUMNS + LABEL_COLUMNS + 2
MIN_STORY_COLUMNS = 20
STYLES = {
    Tone.PLAIN: "",
    Tone.GOOD: "green",
    Tone.BAD: "bold red",
    Tone.WARN: "yellow",
    Tone.QUIET: "dim",
    Tone.TITLE: "bold",
}


def print_entry(entry: Entry, console: Console) -> None:
    """Print *entry* in three columns: time, what, and the story, wrapped with a hanging indent."""
    width = max(MIN_STORY_COLUMNS, console.width - LEFT_COLUMNS)
    left = _left(entry)
    for line in [*_story(entry).wrap(console, width), *_output(entry, console, width)]:
        row = Text.assemble(left, line)
        row.rstrip()
        console.print(row, soft_wrap=True)
        left = Text(" " * LEFT_COLUMNS)


def _left(entry: Entry) -> Text:
    at = "" if entry.at_s is None else f"{entry.at_s:.1f}s"
    label = visible(entry.label)
    return Text.assemble(
        (f"{at:>{TIME_COLUMNS}} ", "dim"), (f"{label:<{LABEL_COLUMNS}} ", _label_style(entry))
    )


def _label_style(entry: Entry) -> str:
    return STYLES[entry.tone] if entry.tone in (Tone.BAD, Tone.WARN, Tone.QUIET) else "cyan"


def _story(entry: Entry) -> Text:
    lines = "\n".join(visible(line) for line in entry.text.split("\n"))
    whole = entry.tone in (Tone.TITLE, Tone.QUIET)
    story = Text(lines, style=STYLES[entry.tone] if whole else "", overflow="fold")
    if entry.said:
        story.append("  ")
        story.append(visible(entry.said), style=STYLES[entry.tone])
    return story


def _output(entry: Entry, console: Console, width: int) -> Iterator[Text]:
    for line in entry.output:
        text = Text(line, style="dim", overflow="fold")
        for piece in text.wrap(console, width - 2):
            yield Text.assemble(("| ", "dim"), piece)
