"""
`quickstarted gc`: remove what dead runs left behind, and say what and why.

Every start sweeps too; this command is for looking, for disk space, and for the impatient.
"""

from __future__ import annotations

import dataclasses
import json
import os
import time
from collections.abc import Iterable

import click

from quickstarted.errors import EngineFault
from quickstarted.sandbox import engine as engines
from quickstarted.sandbox.gc import Swept, sweep
from quickstarted.sandbox.local.folders import base_folder
from quickstarted.sandbox.local.sweep import sweep_folders

REMOVAL_FAILED = 2

EPILOG = """\
\b
Exit codes: 0 all that was to go is gone, 2 something could not be removed.

\b
Examples:
  quickstarted gc --dry-run
  quickstarted gc --dry-run --all
  quickstarted gc --kept
"""


@click.command("gc", short_help="remove what dead runs left behind", epilog=EPILOG)
@click.option("--dry-run", is_flag=True, help="Remove nothing; say what would go.")
@click.option("--all", "show_all", is_flag=True, help="Also list what stays, and why it stays.")
@click.option("--kept", is_flag=True, help="Also remove kept sandboxes before their time.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document for machines.")
def command(*, dry_run: bool, show_all: bool, kept: bool, as_json: bool) -> int:
    """
    Remove containers, networks, volumes, images and local folders that dead runs left behind.

    Only what carries quickstarted's own labels is looked at. What a running process owns stays;
    sandboxes kept with --keep-sandbox stay until their time is over.
    """
    now = time.time()
    swept = sweep_folders(base_folder(os.environ), now=now, dry_run=dry_run, kept=kept)
    silent: EngineFault | None = None
    try:
        swept += _sweep_engine(now, dry_run=dry_run, kept=kept)
    except EngineFault as fault:
        silent = fault
    shown = [one for one in swept if show_all or one.removed or one.error]
    if silent is not None and not shown:
        raise silent
    if as_json:
        document = {"dry_run": dry_run, "objects": [dataclasses.asdict(one) for one in shown]}
        click.echo(json.dumps(document, indent=2))
    else:
        _print(shown, dry_run=dry_run)
    if silent is not None:
        raise silent
    return REMOVAL_FAILED if any(one.error for one in swept) else 0


def _sweep_engine(now: float, *, dry_run: bool, kept: bool) -> list[Swept]:
    engine = engines.connect()
    try:
        return sweep(engine, now=now, dry_run=dry_run, kept_images=kept)
    finally:
        engine.close()


def _print(shown: Iterable[Swept], *, dry_run: bool) -> None:
    removed = 0
    for one in shown:
        removed += one.removed
        click.echo(describe(one, dry_run=dry_run))
    verb = "to remove" if dry_run else "removed"
    click.echo(f"{removed} {verb}" if removed else f"nothing {verb}")


def describe(one: Swept, *, dry_run: bool) -> str:
    """One object as a line."""
    short = one.id if one.kind == "folder" else one.id.removeprefix("sha256:")[:12]
    label = f"{one.kind} {short}"
    about = ", ".join(
        part for part in (one.role, f"run {one.run_id}" if one.run_id else "") if part
    )
    subject = f"{label} ({about})" if about else label
    if one.error:
        return f"could not remove {subject}: {one.error}"
    if one.removed:
        return f"{'would remove' if dry_run else 'removed'} {subject}: {one.why}"
    return f"left {subject}: {one.why}"
