"""Rules about the documented commands: whether they end, and whether they are there."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from quickstarted.task.findings.endless import never_ends, starts_daemon, stops_something
from quickstarted.task.findings.model import Finding, Rule
from quickstarted.task.findings.shell import Call, calls
from quickstarted.task.model import FROM_DOCS, Task
from quickstarted.task.source import quoted

_ENDLESS = Rule(
    severity="warning",
    code="replay-never-ends",
    advice="Move it to `services`, to `success.serve`, or set `success.leftovers`.",
)
_DAEMON = Rule(
    severity="warning",
    code="replay-leaves-process",
    advice="Move it to `services`, or set `success.leftovers: keep`.",
)


def _endless_replay(task: Task) -> Iterator[Finding]:
    settled = bool(task.services) or "leftovers" in task.success.model_fields_set
    if settled or task.replay == FROM_DOCS:
        return
    parsed = [calls(command) for command in task.replay]
    for index, own in enumerate(parsed):
        key = ("replay", index)
        endless_calls = [call for call in own if never_ends(call)]
        if endless_calls:
            message = f"{quoted(_words(endless_calls[0]))} does not end by itself"
            yield _ENDLESS.finding(task.source, key, message)
            continue
        later = chain.from_iterable(parsed[index:])
        daemons = [call for call in own if starts_daemon(call)]
        if daemons and not any(stops_something(call) for call in later):
            message = f"{quoted(_words(daemons[0]))} leaves a process that ends before the check"
            yield _DAEMON.finding(task.source, key, message)


_NO_REPLAY = Rule(
    severity="note",
    code="no-replay",
    advice="Add the documented commands: replay tests the task itself, for free.",
)


def _no_replay(task: Task) -> Iterator[Finding]:
    if not task.replay:
        message = "no `replay` block: nothing shows that the check can pass"
        yield _NO_REPLAY.finding(task.source, ("name",), message)


RULES = (_endless_replay, _no_replay)


def _words(call: Call) -> str:
    return " ".join(call.words)
