"""A call that has nothing to do: nothing has changed, or nothing failed."""

from __future__ import annotations

import os
import time

from quickstarted.cli.ci_flags import tell_ci
from quickstarted.cli.notes import say
from quickstarted.cli.run_options import RunOptions
from quickstarted.cli.screen import watcher_for
from quickstarted.console.tables import suite_markdown
from quickstarted.matrix.shards import read_shard
from quickstarted.plan import AttemptPlan
from quickstarted.records import Opening, open_folder
from quickstarted.results import CallFacts, SuiteResult, suite_result
from quickstarted.results.layout import CALL_NAME, RESULTS_NAME


def nothing_to_do(why: str, options: RunOptions) -> int:
    """
    Say *why*, and leave reports and results that are there and empty: the call is green.

    Results of an earlier call stay as they are.

    Raises:
        StorageFault: The results cannot be written.

    """
    say(f"note: {why}")
    suite = suite_result([], created=time.time(), call=CallFacts(planned=0))
    if not any((options.out / name).exists() for name in (CALL_NAME, RESULTS_NAME)):
        _leave(suite, options)
    with watcher_for(options) as watcher:
        # For programs that read its lines: of no attempt, and the end.
        watcher.planned([], [])
        watcher.made(suite)
    tell_ci(options, suite, say)
    return 0


def _leave(suite: SuiteResult, options: RunOptions) -> None:
    """So that shards can be merged, and a comment on an earlier call is written anew."""
    shard = None if options.shard is None else read_shard(options.shard)
    opening = Opening[AttemptPlan](
        out=options.out,
        plans=[],
        run_id=f"{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}",
        backend=options.backend,
        shard=None if shard is None else (shard.index, shard.count),
        gate=options.gate,
    )
    with open_folder(opening) as folder:
        folder.results.write_suite(suite, suite_markdown(suite))
