"""`quickstarted validate --prove`: real attempts that show whether a task's check can tell."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import click

from quickstarted.cli.backends import backend_for
from quickstarted.cli.interrupts import interruptible
from quickstarted.cli.task_args import refuse_doubles, with_docs_sites
from quickstarted.console.report import report_markdown
from quickstarted.console.text import visible
from quickstarted.docs import DocsLibrary
from quickstarted.errors import Interrupted, StorageFault, TraceInvalid
from quickstarted.proving import Proof, ProvingHooks, ProvingOptions, Standing, Step, prove
from quickstarted.results import AttemptDir, ResultsDir
from quickstarted.sandbox.images.standins import DEFAULT_IMAGE
from quickstarted.task import Task, not_yet_supported
from quickstarted.trace import read_trace

EXIT_CODES = {Standing.NOT_PROVED: 1, Standing.NO_EVIDENCE: 2, Standing.PROVED: 0}
STEPS = {"untouched": "the check on the untouched workspace", "replay": "replay, then the check"}


@dataclass(frozen=True, kw_only=True)
class ProveFlags:
    """Flags that go with `--prove`."""

    docs_site: tuple[str, ...]
    out: Path | None
    image: str | None
    upstream_ca: Path | None
    library: DocsLibrary | None = None
    """What the attempts share of documentation."""


@dataclass(kw_only=True)
class Proofs:
    """What all tasks of one call amount to."""

    proofs: list[Proof] = field(default_factory=list)
    refused: list[Task] = field(default_factory=list)
    """Tasks that need what this version cannot do."""
    interrupted: bool = False
    kept: Path | None = None
    """Where the traces are; None when they were removed."""

    @property
    def exit_code(self) -> int:
        """0 all proved, 1 one is not, 2 one gave no evidence, 130 interrupted."""
        if self.interrupted:
            return Interrupted.exit_code
        found = {proof.standing for proof in self.proofs}
        if self.refused:
            found.add(Standing.NO_EVIDENCE)
        heaviest = next((one for one in Standing if one in found), Standing.PROVED)
        return EXIT_CODES[heaviest]


def prove_all(tasks: Sequence[Task], flags: ProveFlags, proved: Callable[[Proof], None]) -> Proofs:
    """
    Prove *tasks* one after the other, progress on standard error; *proved* is told of each.

    Without `--out`, traces are in a temporary folder that stays only where something does not hold.

    Raises:
        UsageError: Two tasks of one name, or a `--docs-site` that is not one.
        StorageFault: Traces cannot be written.

    """
    tasks = [with_docs_sites(task, flags.docs_site) for task in tasks]
    refuse_doubles(tasks)
    done = Proofs(refused=[task for task in tasks if not_yet_supported(task)])
    runnable = [task for task in tasks if task not in done.refused]
    out = flags.out or Path(tempfile.mkdtemp(prefix="quickstarted-prove-"))
    try:
        _prove_each(runnable, flags, ResultsDir(out, nested=True), done, proved)
        if flags.out or any(proof.standing is not Standing.PROVED for proof in done.proofs):
            done.kept = out
    finally:
        if flags.out is None and done.kept is None:
            shutil.rmtree(out, ignore_errors=True)
    return done


def _prove_each(
    tasks: Sequence[Task],
    flags: ProveFlags,
    results: ResultsDir,
    done: Proofs,
    proved: Callable[[Proof], None],
) -> None:
    image = flags.image or DEFAULT_IMAGE
    run_id = f"prove-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}"
    options = ProvingOptions(
        run_id=run_id,
        default_image=image,
        extra_ca_files=(flags.upstream_ca,) if flags.upstream_ca else (),
        library=flags.library,
    )
    for moved in results.set_aside(task.name for task in tasks):
        _say(f"note: earlier results are kept as {moved.kept_as}")
    with (
        interruptible() as cancelled,
        backend_for(
            run_id, upstream_ca=flags.upstream_ca, note=_say, cancelled=cancelled.is_set
        ) as backend,
    ):
        backend.prepare(dict.fromkeys(task.image or image for task in tasks))
        hooks = ProvingHooks(
            started=_started, finished=_finished, note=_say, cancelled=cancelled.is_set
        )
        try:
            for task in tasks:
                if not cancelled.is_set():
                    done.proofs.append(prove(task, backend, results, options, hooks))
                    proved(done.proofs[-1])
        except Interrupted:
            pass
        done.interrupted = cancelled.is_set()


def _started(task: Task, step: str) -> None:
    _say(f"{task.name}: {STEPS[step]} ...")


def _finished(step: Step) -> None:
    """Write the report beside the trace."""
    folder = AttemptDir(step.folder)
    try:
        folder.write_report(report_markdown(read_trace(folder.trace)))
    except (StorageFault, TraceInvalid) as problem:
        _say(f"note: {problem}")


def _say(line: str) -> None:
    click.echo(visible(line), err=True)
