"""`quickstarted agent-log`: logs of community games, checked for moderators and made public."""

from __future__ import annotations

import json
import math
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

import click

from quickstarted.cli.problem_words import plural, problem_lines
from quickstarted.console.text import visible
from quickstarted.errors import QuickstartedError, UsageError
from quickstarted.formats.agent_log import (
    LogReport,
    Video,
    check_log,
    find_logs,
    probe_seconds,
    withhold,
)
from quickstarted.formats.agent_log.reply import reply_text
from quickstarted.formats.lines import open_buffered
from quickstarted.results.files import replacing

REJECTED = 1
MAX_NOTES = 20

EPILOG = """\
\b
Examples:
  quickstarted agent-log check agent-log.jsonl
  quickstarted agent-log withhold agent-log.jsonl --out public.jsonl
"""
CHECK_EPILOG = """\
\b
Exit codes: 0 no error (findings do not count), 1 a log breaks a rule, 3 the call is not valid or a
file cannot be read.

\b
Examples:
  quickstarted agent-log check agent-log.jsonl
  quickstarted agent-log check agent-log.jsonl --video run.mp4 --video-offset 12.5
  quickstarted agent-log check agent-log.jsonl --video-seconds 250
  quickstarted agent-log check first.jsonl second.jsonl
  quickstarted agent-log check submissions/
  quickstarted agent-log check submissions/ --json
"""
WITHHOLD_EPILOG = """\
\b
Exit codes: 0 it is written, 1 the log has a line that cannot be taken apart, and nothing is
written, 2 the disk is full, 3 the call is not valid or the file cannot be read.

\b
Examples:
  quickstarted agent-log withhold agent-log.jsonl > public.jsonl
  quickstarted agent-log withhold agent-log.jsonl --out public.jsonl
"""


@click.group(name="agent-log", epilog=EPILOG)
def command() -> None:
    """Check the agent log of a community game, or take its prompts out before it is published."""


@command.command(epilog=CHECK_EPILOG)
@click.argument(
    "logs",
    metavar="FILE|DIR...",
    nargs=-1,
    required=True,
    type=click.Path(path_type=Path, exists=True),
)
@click.option(
    "--video",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="The run's video; ffprobe says how long it is.",
)
@click.option("--video-seconds", type=float, metavar="N", help="How long the video is, instead.")
@click.option(
    "--video-offset",
    type=float,
    metavar="S",
    help="Where in the video the run starts, in seconds; negative where the video starts later."
    " Without it only the lengths are compared.",
)
@click.option(
    "--allow-changed-args",
    is_flag=True,
    help="Args that differ from those the model asked for are a finding and no error.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON document for machines.")
def check(
    *,
    logs: tuple[Path, ...],
    video: Path | None,
    video_seconds: float | None,
    video_offset: float | None,
    allow_changed_args: bool,
    as_json: bool,
) -> int:
    """
    Say whether a log keeps every rule of the format, and what a moderator should look at.

    Of several logs, and of a folder (all its `*.jsonl`, at any depth): a table, and for each log
    that is rejected the text to send. docs/agent-log.md has the rules.
    """
    log = logs[0]
    if len(logs) > 1 or log.is_dir():
        if video is not None or video_seconds is not None or video_offset is not None:
            raise UsageError("a video belongs to one log", hint="Name that log and nothing else.")
        return _check_all(logs, allow_changed_args=allow_changed_args, as_json=as_json)
    chosen = _video(video, video_seconds, video_offset)
    report = check_log(log, video=chosen, allow_changed_args=allow_changed_args)
    if as_json:
        click.echo(json.dumps(_as_json(log, report, chosen), indent=2))
    else:
        click.echo(f"{visible(str(log))}: {report.verdict} ({_size(report)})")
        for line in problem_lines(report.problems, report.counts):
            click.echo(line)
        if chosen is None:
            click.echo("  note: no video was compared (--video, --video-seconds)")
    return _exit_code(report)


@command.command("withhold", epilog=WITHHOLD_EPILOG)
@click.argument("log", metavar="FILE", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Where to write it; standard output otherwise.",
)
def withhold_(log: Path, out: Path | None) -> int:
    """
    Write the log without its prompts and texts; every other byte stays as it is.

    Data of `model_request` becomes `{"withheld":true}`; of `model_response` stay `id`, `model`,
    `usage` and `actions`. Doing it again changes nothing. What stays public and repeats a prompt is
    named on standard error.
    """
    if out is None and sys.stdout.isatty():
        raise UsageError(
            "the strings of a log stay as they are, and would drive the terminal",
            hint="Give --out FILE, or send the output to a file or a program.",
        )
    if out is not None:
        with replacing(out) as target:
            _withhold(log, target)
    else:
        # Nothing is to be printed of a log that turns out to have a line nobody can read.
        with tempfile.TemporaryFile() as whole:
            _withhold(log, whole)
            whole.seek(0)
            shutil.copyfileobj(whole, sys.stdout.buffer)
    return 0


def _withhold(log: Path, target: IO[bytes]) -> None:
    notes: list[str] = []
    left = 0

    def note(line: int, words: str) -> None:
        nonlocal left
        if len(notes) < MAX_NOTES:
            notes.append(f"note: line {line}: {words}")
        else:
            left += 1

    try:
        source = open_buffered(log)
    except OSError as exc:
        raise UsageError(f"cannot read {log}: {exc.strerror or exc}") from exc
    with source:
        changed = withhold(source, target, note)
    for line in notes:
        click.echo(visible(line), err=True)
    if left:
        click.echo(f"note: and {left:,} more lines like these", err=True)
    click.echo(f"withheld prompts and texts in {plural(changed, 'line')}", err=True)


def _check_all(named: Sequence[Path], *, allow_changed_args: bool, as_json: bool) -> int:
    logs = [log for one in named for log in (find_logs(one) if one.is_dir() else (one,))]
    checked: list[tuple[Path, LogReport]] = []
    unread = False
    for path in logs:
        try:
            checked.append((path, check_log(path, allow_changed_args=allow_changed_args)))
        except QuickstartedError as exc:
            unread = True
            click.echo(visible(f"error: {exc}"), err=True)
    if as_json:
        documents = [_as_json(path, report, None) for path, report in checked]
        click.echo(json.dumps({"logs": documents}, indent=2))
    else:
        _print_table(checked)
        _print_replies(checked)
    if unread:
        return UsageError.exit_code
    return max((_exit_code(report) for _, report in checked), default=0)


def _print_table(checked: list[tuple[Path, LogReport]]) -> None:
    head = ("verdict", "errors", "findings", "actions", "seconds", "log")
    rows = [head, *(_row(path, report) for path, report in checked)]
    widths = [max(len(row[at]) for row in rows) for at in range(len(head))]
    for row in rows:
        cells = [
            cell.ljust(width) if at in {0, len(head) - 1} else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        click.echo("  ".join(cells).rstrip())


def _row(path: Path, report: LogReport) -> tuple[str, ...]:
    seconds = "-" if report.run_seconds is None else f"{report.run_seconds:,.0f}"
    return (
        report.verdict,
        f"{report.errors:,}",
        f"{report.findings:,}",
        f"{report.actions:,}",
        seconds,
        visible(str(path)),
    )


def _print_replies(checked: list[tuple[Path, LogReport]]) -> None:
    for path, report in checked:
        text = reply_text(report)
        if text:
            click.echo(f"\nTo send for {visible(str(path))}:\n")
            for line in text.split("\n"):
                click.echo(f"  {visible(line)}")


def _video(file: Path | None, seconds: float | None, offset: float | None) -> Video | None:
    if file is not None and seconds is not None:
        raise UsageError("--video and --video-seconds both say how long the video is")
    for name, value in (("--video-seconds", seconds), ("--video-offset", offset)):
        if value is not None and not math.isfinite(value):
            raise UsageError(f"{name} is {value}, and must be a number of seconds")
    if file is not None:
        return Video(probe_seconds(file), offset)
    if seconds is None:
        if offset is not None:
            raise UsageError("--video-offset goes with --video or --video-seconds")
        return None
    if seconds < 0:
        raise UsageError(f"--video-seconds is {seconds}, and no video is shorter than 0 s")
    return Video(seconds, offset)


def _exit_code(report: LogReport) -> int:
    return REJECTED if report.verdict == "reject" else 0


def _size(report: LogReport) -> str:
    return ", ".join(
        [
            plural(report.lines, "line"),
            plural(report.responses, "response"),
            plural(report.actions, "action"),
        ]
    )


def _as_json(path: Path, report: LogReport, video: Video | None) -> dict[str, Any]:
    return {
        "path": str(path),
        "verdict": report.verdict,
        "lines": report.lines,
        "responses": report.responses,
        "actions": report.actions,
        "run_seconds": report.run_seconds,
        "video": None
        if video is None
        else {"seconds": video.seconds, "offset_seconds": video.offset_s},
        "counts": report.counts,
        "problems": [one.as_json() for one in report.problems],
        "reply": reply_text(report) or None,
    }
