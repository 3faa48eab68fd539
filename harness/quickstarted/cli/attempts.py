"""
The attempts of one call of `run`: planned, run, shown.

Apart from the command itself, which is loaded first and has the engine at work by the time that
this file and all below it are loaded.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import click

from quickstarted.cli.ci_flags import log_guarded, tell_ci
from quickstarted.cli.cost_flags import meter_for
from quickstarted.cli.docs_flags import library_for
from quickstarted.cli.gate_flags import exit_code_for, judged_by
from quickstarted.cli.notes import say
from quickstarted.cli.run_options import RunCall, RunOptions
from quickstarted.cli.schedule_flags import room_for, suite_options
from quickstarted.cli.screen import watcher_for, write_report
from quickstarted.console.gate_words import gate_lines
from quickstarted.console.money import max_spend_reached
from quickstarted.console.tables import suite_markdown
from quickstarted.console.text import visible
from quickstarted.console.words import endings_said
from quickstarted.docs import DocsLibrary
from quickstarted.errors import Interrupted
from quickstarted.plan import AttemptPlan
from quickstarted.prices import SpendMeter
from quickstarted.records import Opening, open_folder
from quickstarted.results import SuiteResult
from quickstarted.sandbox.protocol import Backend
from quickstarted.suite import Attempts, Call, LocalMaker, Maker, Scheduler
from quickstarted.task_contents import TaskContents


def run_here(call: RunCall, backend: Backend, cancelled: Callable[[], bool]) -> int:
    """Run the attempts of *call* on this machine; see `run`."""
    return run(call, LocalMaker(backend), cancelled)


def run(call: RunCall, maker: Maker, cancelled: Callable[[], bool]) -> int:
    """Run the attempts of *call* and return the exit code of what they show."""
    options = call.options
    meter = meter_for(options)
    # Left last: it may wait for a terminal that somebody has stopped.
    with watcher_for(options) as watcher, library_for(options, note=watcher.note) as library:
        whole = plans(call, library, meter)
        own = {cell.key.attempt(number) for cell, number in call.attempts}
        planned = [plan for plan in whole if plan.key in own]
        how = suite_options(options, whole)
        with open_folder(_opening(call, planned, whole, maker)) as folder:
            for line in folder.notes:
                # What was moved or left out concerns also those who want no other notes.
                tell_note = _aloud if options.quiet else watcher.note
                tell_note(f"note: {line}")
            attempts = Attempts(
                planned,
                folder,
                report=lambda one: write_report(one, watcher.note),
                tables=suite_markdown,
                judged=judged_by(options.gate, call.shard),
                max_spend_usd=options.max_spend,
            )
            watcher.planned(planned, folder.done)
            room = room_for(options, maker.disk)
            scheduler = Scheduler(
                folder.missing,
                attempts,
                Call(maker=maker, watcher=watcher, cancelled=cancelled, meter=meter, room=room),
                how,
            )
            try:
                with log_guarded(watcher.flush):
                    scheduler.run()
            finally:
                try:
                    suite = attempts.write(scheduler.stopped)
                finally:
                    # Of what was made, also where a full disk has not taken the tables.
                    # What was asked for and cannot be had is said also to those who want no notes.
                    note = say if options.quiet else watcher.note
                    tell_ci(options, attempts.suite(scheduler.stopped), note)
            watcher.made(suite)
            if planned and not folder.missing and _says_verdicts_only(options, len(planned)):
                # Else a call could be red and say nothing at all.
                _aloud(f"note: nothing was left to make: {endings_said(folder.done)}")
    if not planned:
        click.echo("note: this shard has no attempt: there are more shards than attempts", err=True)
        return 0
    return _exit_code(suite, call)


def _says_verdicts_only(options: RunOptions, attempts: int) -> bool:
    """Whether a call that makes nothing shows nothing."""
    return not options.as_json and (options.quiet or attempts == 1)


def _aloud(line: str) -> None:
    click.echo(visible(line), err=True)


def _opening(
    call: RunCall,
    planned: Sequence[AttemptPlan],
    whole: Sequence[AttemptPlan],
    maker: Maker,
) -> Opening[AttemptPlan]:
    options = call.options
    return Opening(
        out=options.out,
        plans=planned,
        whole=whole,
        shard=call.shard,
        run_id=call.run_id,
        backend=maker.name,
        nested=call.nested,
        resume=options.resume,
        retries=options.retries,
        gate=options.gate,
        may_stop_early=options.gate is not None and options.gate.auto is not None,
        image_of=lambda plan: maker.resolve(plan.image, plan.task.platform),
    )


def _exit_code(suite: SuiteResult, call: RunCall) -> int:
    """Say why a call ended early, and what its attempts amount to."""
    if suite.stopped == "max_spend":
        click.echo(max_spend_reached(suite), err=True)
    if suite.stopped is not None:
        return Interrupted.exit_code
    for line in gate_lines(suite):
        click.echo(visible(line), err=True)
    return exit_code_for(suite, call.shard, strict_inconclusive=call.options.strict_inconclusive)


def plans(
    call: RunCall, library: DocsLibrary | None = None, meter: SpendMeter | None = None
) -> list[AttemptPlan]:
    """Every attempt of all shards of *call*, in the order in which they are begun."""
    options = call.options
    tasks = {cell.task.name: cell.task for cell, _ in call.whole}
    contents = {name: TaskContents(task) for name, task in tasks.items()}
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
            contents=contents[cell.task.name],
        )
        for cell, number in call.whole
    ]
