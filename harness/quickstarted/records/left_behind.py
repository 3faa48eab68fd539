"""
Results of a call that did not live to write its tables.

`results.json` is written every few seconds and at the end of a call; attempts are on disk one by
one. After a kill, a power cut or a full disk the attempts know more than the tables do.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from quickstarted.records.call import CallRecord, read_call
from quickstarted.records.documents import Unreadable
from quickstarted.records.index import index_of
from quickstarted.records.lock import LOCK_NAME
from quickstarted.results import CallFacts, RunResult, SuiteResult, suite_result


class LeftBehind(NamedTuple):
    """What attempts on disk amount to."""

    suite: SuiteResult
    problems: Sequence[str]
    """What could not be read of them: one line for each."""


def left_behind(out: Path, document: SuiteResult | None) -> LeftBehind | None:
    """
    The results of the last call in *out*, where its attempts know more than *document*.

    Args:
        out: A results folder.
        document: Its `results.json`; None where there is none.

    Returns:
        None where the document has all, and where there are no attempts.

    """
    call = _call(out)
    if document is not None and (call is None or _is_closed(out, call, document)):
        return None
    index = index_of(out)
    wanted = sorted(index.found) if call is None else call.own_plan
    runs = [index.found[key].result for key in wanted if key in index.found]
    if not runs or (document is not None and not _knows_more(runs, document)):
        return None
    # How many a sequential test would have taken is not known.
    planned = None if call is None or call.may_stop_early else len(wanted)
    suite = suite_result(runs, created=time.time(), call=CallFacts(planned=planned))
    return LeftBehind(_judged(suite, call), index.problems)


def _call(out: Path) -> CallRecord | None:
    try:
        return read_call(out)
    except Unreadable:
        return None


def _is_closed(out: Path, call: CallRecord, document: SuiteResult) -> bool:
    """Whether the call has let go of its folder, and every attempt of it is in the document."""
    try:
        is_held = (out / LOCK_NAME).stat().st_size > 0
    except OSError:
        is_held = False
    return not is_held and {run.key for run in document.runs}.issuperset(call.own_plan)


def _knows_more(runs: Sequence[RunResult], document: SuiteResult) -> bool:
    known = {run.key: run for run in document.runs}
    return any(known.get(run.key) != run for run in runs)


def _judged(suite: SuiteResult, call: CallRecord | None) -> SuiteResult:
    """With what the call holds its cells to; a shard judges nothing."""
    if call is None or call.gate is None:
        return suite
    if call.shard is not None:
        return suite.model_copy(update={"gate": call.gate})
    from quickstarted.figures import gated  # noqa: PLC0415 - few folders need scipy

    return gated(suite, call.gate)
