"""`quickstarted run --plan`: what a call would do. Nothing is run, and no engine is asked."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import click

from quickstarted.cli.choosing import Chosen, past_documents
from quickstarted.cli.run_options import RunCall, RunOptions
from quickstarted.console.output import open_console
from quickstarted.console.plan_table import print_plan
from quickstarted.errors import UsageError
from quickstarted.matrix.forecast import planned_cells, total_cost, total_minutes
from quickstarted.matrix.past import PastAttempt, read_past
from quickstarted.results import AttemptKey
from quickstarted.results.planned import Defaults, LeftOut, PlannedCall


def show_plan(
    chosen: Chosen, options: RunOptions, defaults: Defaults | None, *, as_json: bool
) -> int:
    """
    Print what the call would do; the exit code.

    Args:
        chosen: The attempts that it would make.
        options: Of the call.
        defaults: What it has from a `quickstarted.yaml`.
        as_json: One JSON document for machines.

    Raises:
        UsageError: With `--resume`: it would be refused. `--durations` cannot be read.

    """
    done = _done(chosen, options)
    past, documents = _past(options)
    cells = planned_cells(chosen.attempts, done, past)
    plan = PlannedCall(
        cells=cells,
        attempts=sum(cell.attempts for cell in cells),
        done=sum(cell.done for cell in cells),
        may_stop_early=options.gate is not None and options.gate.auto is not None,
        shard="{}/{}".format(*chosen.shard) if chosen.shard else None,
        left_out=[LeftOut(flag=one.flag, cells=one.cells) for one in chosen.left_out],
        workers=options.workers,
        cost_usd=total_cost(cells),
        minutes=total_minutes(cells, options.workers),
        max_spend_usd=options.max_spend,
        estimated_from=[str(path) for path in documents],
        defaults=defaults,
    )
    if as_json:
        click.echo(plan.model_dump_json(indent=2))
    else:
        print_plan(plan, open_console())
    return 0


def _past(options: RunOptions) -> tuple[list[PastAttempt], list[Path]]:
    """
    Earlier attempts, and the documents that tell of them.

    Raises:
        UsageError: The document that `--durations` names cannot be read.

    """
    past, read = [], []
    for path in past_documents(options):
        try:
            past += read_past(path)
        except UsageError as unreadable:
            if path == options.durations:
                raise
            click.echo(f"note: no estimates from it: {unreadable.message}", err=True)
        else:
            read.append(path)
    return past, read


def _done(chosen: Chosen, options: RunOptions) -> Collection[AttemptKey]:
    """What would not be made again; without `--resume` everything would."""
    # Finding attempts on disk is loaded only where it is asked for.
    from quickstarted.records import index_of  # noqa: PLC0415

    if options.resume:
        return _counted(chosen, options)
    there = index_of(options.out).found
    if number := sum(cell.key.attempt(attempt) in there for cell, attempt in chosen.attempts):
        click.echo(
            f"note: {options.out} has {number} of these attempts already: with --resume they"
            " would count, without it they are kept aside",
            err=True,
        )
    return ()


def _counted(chosen: Chosen, options: RunOptions) -> Collection[AttemptKey]:
    """
    What counts of what is there.

    Raises:
        UsageError: It was made of something else.

    """
    from quickstarted.cli.attempts import plans  # noqa: PLC0415
    from quickstarted.records import read_call  # noqa: PLC0415
    from quickstarted.records.planned import identities_of  # noqa: PLC0415
    from quickstarted.records.resuming import earlier_of  # noqa: PLC0415

    call = RunCall(
        run_id="plan",
        attempts=chosen.attempts,
        whole=chosen.whole,
        shard=chosen.shard,
        nested=chosen.nested,
        prices=None,
        options=options,
    )
    own = {cell.key.attempt(number) for cell, number in chosen.attempts}
    planned = [plan for plan in plans(call) if plan.key in own]
    earlier = read_call(options.out)
    # Which engine answers is not asked; the one that was used answers still.
    backend = options.backend
    if backend == "auto":
        backend = "docker" if earlier is None else earlier.backend
    found = earlier_of(options.out, planned, identities_of(planned, backend), options.retries)
    for line in found.notes:
        click.echo(f"note: {line}", err=True)
    return found.done.keys()
