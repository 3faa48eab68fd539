"""`quickstarted merge`: one results folder out of those of shards."""

from __future__ import annotations

import os
import time
from pathlib import Path

import click

from quickstarted.cli.typed_paths import TypedPath
from quickstarted.console.tables import suite_markdown
from quickstarted.console.words import count
from quickstarted.figures import gate_exit_code
from quickstarted.records.merge import Merge, merge

EPILOG = """\
\b
Exit codes:
  0  every attempt that gave evidence passed; with --min-pass-rate in the shards: no cell is below
  1  a documentation gap; or a cell is shown to be below
  2  no evidence at all, or the results cannot be written
  3  the folders are not the parts of one plan, or not all of them

\b
Examples:
  quickstarted run --agent claude --repeat 5 --shard 1/3 --out shards/1
  quickstarted merge shards/1 shards/2 shards/3 --out results
  quickstarted merge shards/* --out results --allow-missing
"""


@click.command("merge", short_help="join the results of shards", epilog=EPILOG)
@click.argument(
    "folder", nargs=-1, required=True, type=TypedPath(path_type=Path, exists=True, file_okay=False)
)
@click.option(
    "--out",
    required=True,
    type=TypedPath(path_type=Path, file_okay=False),
    help="Folder for all of them; an older result is kept aside, never overwritten.",
)
@click.option(
    "--allow-missing",
    is_flag=True,
    help="Join what is there, though shards or attempts are missing; the results say which.",
)
@click.option("--strict-inconclusive", is_flag=True, help="Exit with 1 where there is no evidence.")
@click.option("--quiet", is_flag=True, help="Print nothing but errors.")
def command(
    *,
    folder: tuple[Path, ...],
    out: Path,
    allow_missing: bool,
    strict_inconclusive: bool,
    quiet: bool,
) -> int:
    """
    Join what `run --shard` has left in each FOLDER, as if one call had made all attempts.

    Attempts are copied whole (as hard links where that is possible), and results.json and suite.md
    are made of all of them. The same attempt in two folders is refused, and so are folders of
    different plans: other tasks, flags or versions.
    """
    run_id = f"{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}"
    wanted = Merge(folders=folder, out=out, run_id=run_id, allow_missing=allow_missing)
    merged = merge(wanted, suite_markdown)
    if not quiet:
        for note in merged.notes:
            click.echo(f"note: {note}", err=True)
        attempts, folders = count(len(merged.suite.runs), "attempt"), count(len(folder), "folder")
        click.echo(f"{out}: {attempts} of {folders}")
    if not merged.planned:
        # As each shard has said: nothing has changed, or nothing failed.
        return 0
    return gate_exit_code(merged.suite, strict_inconclusive=strict_inconclusive)
