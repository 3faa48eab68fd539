"""`quickstarted convert`: runs in the formats of other programs."""

from __future__ import annotations

import re
import shutil
import sys
import tempfile
from pathlib import Path
from typing import IO

import click

from quickstarted.cli.problem_words import plural
from quickstarted.console.text import visible
from quickstarted.errors import UsageError
from quickstarted.formats.export import TARGETS, convert
from quickstarted.results.files import make_folder, replacing
from quickstarted.trace import find_traces

STDOUT = Path("-")
_BUFFER_BYTES = 1024 * 1024
_NOT_ASCII = re.compile(r"[^\x00-\x7e]")

EPILOG = """\
\b
Exit codes: 0 it is written, 2 the disk is full, 3 the call is not valid, a trace cannot be read, or
the format cannot hold an attempt like this one; of several, the others are written.

\b
Examples:
  quickstarted convert results/flask --to atif --out flask.atif.json
  quickstarted convert results/flask/claude/3/trace.jsonl --to otlp | gzip > spans.json.gz
  quickstarted convert results --to trajectory --out trajectories/
"""


@click.command("convert", short_help="write runs in other formats", epilog=EPILOG)
@click.argument("run", type=click.Path(path_type=Path))
@click.option(
    "--to",
    "target",
    type=click.Choice(list(TARGETS)),
    required=True,
    help="The format; docs/convert.md says what each holds.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="FILE|DIR|-",
    default=STDOUT,
    show_default=True,
    help="Where to write it; for several attempts a folder, in which each gets a file.",
)
@click.option("--force", is_flag=True, help="Write over files that are there.")
def command(*, run: Path, target: str, out: Path, force: bool) -> int:
    """
    Write RUN, one attempt or many, in the format of another program.

    RUN is a trace, the folder of an attempt, or a folder of results. A trace that was cut is
    converted as far as it goes. Nothing is made up: what a trace does not hold is left out.
    """
    traces = find_traces(run)
    places = _places(run, traces, target, out)
    failed = 0
    for trace, path in zip(traces, places, strict=True):
        try:
            _one(trace, target, path, force=force)
        except UsageError as exc:
            failed += 1
            click.echo(f"error: {_shown(str(exc))}", err=True)
    if len(traces) > 1:
        written = plural(len(traces) - failed, "file")
        click.echo(f"{visible(str(out))}: {written} in the format {target}", err=True)
    return UsageError.exit_code if failed else 0


def _places(run: Path, traces: list[Path], target: str, out: Path) -> list[Path]:
    """Where the document of each of *traces* goes."""
    if len(traces) == 1 and not (out.is_dir() and out != STDOUT):
        return [out]
    several = f"{run} holds {len(traces)} attempts"
    if out == STDOUT:
        raise UsageError(
            f"{several}, and standard output takes one",
            hint="Name a folder with --out, or one attempt.",
        )
    if out.exists() and not out.is_dir():
        raise UsageError(
            f"{several}, and {out} is one file", hint="Name a folder with --out, or one attempt."
        )
    return [out / _name(trace, run, TARGETS[target].suffix) for trace in traces]


def _one(trace: Path, target: str, path: Path, *, force: bool) -> None:
    if path == STDOUT:
        notes = _to_stdout(trace, target)
    else:
        notes = _to_file(trace, target, path, force=force)
    for note in notes:
        click.echo(f"note: {visible(f'{trace}: {note}')}", err=True)


def _to_file(trace: Path, target: str, path: Path, *, force: bool) -> list[str]:
    if path.exists() and (not force or path.samefile(trace)):
        raise UsageError(
            f"{path}: is there already, and is not written over",
            hint="Give another name with --out, or --force; the trace itself always stays.",
        )
    make_folder(path.parent)
    with replacing(path) as stream:
        return convert(trace, target, stream)


def _to_stdout(trace: Path, target: str) -> list[str]:
    # Nothing is to be printed of a trace that turns out to have a line nobody can read.
    with tempfile.TemporaryFile("w+b", _BUFFER_BYTES) as whole:
        notes = convert(trace, target, whole)
        whole.seek(0)
        if sys.stdout.isatty():
            _to_terminal(whole)
        else:
            shutil.copyfileobj(whole, sys.stdout.buffer, _BUFFER_BYTES)
    return notes


def _to_terminal(document: IO[bytes]) -> None:
    """All of it is JSON, in which what could drive a terminal can be an escape."""
    for line in document:
        click.echo(_NOT_ASCII.sub(_escape, line.decode("utf-8")), nl=False)


def _escape(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))


def _shown(text: str) -> str:
    return "\n".join(visible(line) for line in text.split("\n"))


def _name(trace: Path, run: Path, suffix: str) -> Path:
    """Where the file of *trace* goes below the folder: as its attempt's folder below *run*."""
    if trace == run:
        return Path(f"{trace.stem}{suffix}")
    folder = trace.parent.relative_to(run)
    named = folder if folder.name else Path(run.resolve().name or "run")
    return named.with_name(f"{named.name}{suffix}")
