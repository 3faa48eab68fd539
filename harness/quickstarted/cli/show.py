"""`quickstarted show`: a run as a person reads it, now or while it goes on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from quickstarted.console.follow import follow_trace
from quickstarted.console.output import open_console
from quickstarted.console.show import show_events
from quickstarted.errors import TraceInvalid
from quickstarted.events import TraceEvent
from quickstarted.trace import find_trace, read_trace

EXAMPLES = """\b
Examples:
  quickstarted show results/flask
  quickstarted show results/flask/claude/3/trace.jsonl --verbose
  quickstarted show results/flask --follow
  quickstarted show results/flask --verbose | less
"""


@click.command("show", short_help="show a run as a person reads it", epilog=EXAMPLES)
@click.argument("trace_or_dir", type=click.Path(path_type=Path))
@click.option("--verbose", is_flag=True, help="Everything: all outputs, requests and model calls.")
@click.option("--follow", is_flag=True, help="Go on until the run ends, while it is written.")
def command(*, trace_or_dir: Path, verbose: bool, follow: bool) -> int:
    """
    Show a run: pages read, commands and how they ended, refusals, the check and the verdict.

    TRACE_OR_DIR is a trace, the folder of an attempt, or a folder with one attempt in it. The exit
    code is 0 whatever the verdict, and 3 when the trace cannot be read.
    """
    trace = find_trace(trace_or_dir)
    console = open_console()
    torn: list[TraceInvalid] = []
    events: Iterator[TraceEvent]
    events = follow_trace(trace) if follow else read_trace(trace, on_torn=torn.append)
    result = show_events(events, console, trace, verbose=verbose)
    for problem in torn:
        click.echo(f"note: {problem}", err=True)
    if result is None:
        click.echo(
            f"note: {trace} has no run_end: the run goes on (see --follow) or was killed", err=True
        )
    return 0
