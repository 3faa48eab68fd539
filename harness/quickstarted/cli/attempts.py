"""
The attempts of one call of `run`: planned, run, shown.

Apart from the command itself, which is loaded first and has the engine at work by the time that
this file and all below it are loaded.
"""

from __future__ import annotations

from collections.abc import Callable

import click

from quickstarted.cli.cost_flags import meter_for
from quickstarted.cli.docs_flags import library_for
from quickstarted.cli.run_options import RunCall
from quickstarted.cli.schedule_flags import room_for, suite_options
from quickstarted.cli.screen import watcher_for, write_report
from quickstarted.console.money import max_spend_reached
from quickstarted.console.tables import suite_markdown
from quickstarted.docs import DocsLibrary
from quickstarted.errors import Interrupted
from quickstarted.plan import AttemptPlan
from quickstarted.prices import SpendMeter
from quickstarted.results import ResultsDir, exit_code
from quickstarted.sandbox.protocol import Backend
from quickstarted.suite import Attempts, Call, Scheduler


def run(call: RunCall, backend: Backend, cancelled: Callable[[], bool]) -> int:
    """Run the attempts of *call* and return the exit code of what they show."""
    options = call.options
    results = ResultsDir(options.out, nested=call.nested)
    moved = results.set_aside(call.task_names)
    if moved:
        names = ", ".join(str(one.kept_as) for one in moved)
        click.echo(f"note: earlier results are kept as {names}", err=True)
    meter = meter_for(options)
    watcher = watcher_for(options)
    with library_for(options, note=watcher.note) as library:
        planned = plans(call, library, meter)
        suite_settings = suite_options(options, planned)
        watcher.planned(planned)
        attempts = Attempts(
            planned,
            results,
            report=lambda folder: write_report(folder, watcher.note),
            tables=suite_markdown,
            max_spend_usd=options.max_spend,
        )
        scheduler = Scheduler(
            planned,
            attempts,
            Call(
                backend=backend,
                watcher=watcher,
                cancelled=cancelled,
                meter=meter,
                room=room_for(options, backend.disk),
            ),
            suite_settings,
        )
        try:
            scheduler.run()
        finally:
            suite = attempts.write(scheduler.stopped)
    if suite.stopped == "max_spend":
        click.echo(max_spend_reached(suite), err=True)
    if suite.stopped is not None:
        return Interrupted.exit_code
    return exit_code(suite.runs)


def plans(
    call: RunCall, library: DocsLibrary | None = None, meter: SpendMeter | None = None
) -> list[AttemptPlan]:
    """Every attempt of *call*, in the order in which they are begun."""
    options = call.options
    return [
        AttemptPlan(
            task=cell.task,
            agent=cell.agent,
            attempt=number,
            run_id=call.run_id,
            default_image=options.image,
            extra_ca_files=(options.upstream_ca,) if options.upstream_ca else (),
            condition=cell.condition,
            arm=cell.arm,
            prices=call.prices,
            meter=meter,
            probe_affordances=options.probe_affordances,
            keep_sandbox=options.keep_sandbox,
            library=library,
        )
        for cell, number in call.attempts
    ]
