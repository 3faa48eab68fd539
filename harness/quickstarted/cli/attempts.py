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
from quickstarted.cli.screen import Screen
from quickstarted.console.money import max_spend_reached
from quickstarted.console.tables import suite_markdown
from quickstarted.docs import DocsLibrary
from quickstarted.errors import Interrupted
from quickstarted.plan import AttemptPlan
from quickstarted.prices import SpendMeter
from quickstarted.results import ResultsDir, exit_code
from quickstarted.sandbox.protocol import Backend
from quickstarted.suite import SuiteHooks, run_suite


def run(call: RunCall, backend: Backend, cancelled: Callable[[], bool]) -> int:
    """Run the attempts of *call* and return the exit code of what they show."""
    options = call.options
    results = ResultsDir(options.out, nested=_is_nested(call))
    moved = results.set_aside(task.name for task in call.tasks)
    if moved:
        names = ", ".join(str(one.kept_as) for one in moved)
        click.echo(f"note: earlier results are kept as {names}", err=True)
    screen = Screen(verbose=options.verbose, quiet=options.quiet)
    meter = meter_for(options)
    hooks = SuiteHooks(
        started=screen.started,
        observer=screen.observe,
        note=screen.note,
        finished=screen.finished,
        tables=suite_markdown,
        cancelled=cancelled,
        meter=meter,
    )
    with library_for(options, note=screen.note) as library:
        suite = run_suite(plans(call, library, meter), backend, results, hooks)
    if suite.stopped == "max_spend":
        click.echo(max_spend_reached(suite), err=True)
        return Interrupted.exit_code
    return exit_code(suite.runs)


def plans(
    call: RunCall, library: DocsLibrary | None = None, meter: SpendMeter | None = None
) -> list[AttemptPlan]:
    """
    Every attempt of *call*, in order.

    Conditions change fastest: what drifts while a long call runs (a service, a site) then drifts
    for all of them.
    """
    options = call.options
    arms = {arm.name: arm for arm in call.arms}
    return [
        AttemptPlan(
            task=task,
            agent=agent,
            attempt=number,
            run_id=call.run_id,
            default_image=options.image,
            extra_ca_files=(options.upstream_ca,) if options.upstream_ca else (),
            condition=condition,
            arm=arms[condition.arm],
            prices=call.prices,
            meter=meter,
            probe_affordances=options.probe_affordances,
            keep_sandbox=options.keep_sandbox,
            library=library,
        )
        for task in call.tasks
        for agent in call.agents
        for number in range(1, options.repeat + 1)
        for condition in call.conditions
    ]


def _is_nested(call: RunCall) -> bool:
    return call.options.repeat > 1 or len(call.agents) > 1 or len(call.conditions) > 1
