"""The examples by replay: each passes, and fails when its documentation is not followed."""

from __future__ import annotations

import pytest

from examples.cases import case_names, case_of, task_of, task_path
from examples.changing import copy_with_replay, with_fault
from examples.fetching import docs_flags
from fakes.program import Done, finish, start

pytestmark = pytest.mark.docker

FAULTS = [
    pytest.param(name, fault, id=f"{name} {fault.label}")
    for name in case_names()
    for fault in case_of(name).faults
]
REFUSALS = {"egress_blocked", "fetch_blocked", "fetch_error", "egress_error"}


def call(command: str, task, name: str, out, *flags: str) -> Done:
    """`quickstarted COMMAND TASK`, reading the documentation that the table names."""
    docs = docs_flags(case_of(name))
    return finish(start([command, task, *flags, "--out", out, *docs]), out)


def said(done: Done, folder: str) -> str:
    return "".join(event.output for event in done.of_type("success_check", folder))


@pytest.mark.parametrize("name", case_names())
def test_an_example_passes_by_replay_and_its_check_fails_on_the_untouched_workspace(name, tmp_path):
    done = call("validate", task_path(name), name, tmp_path / "results", "--prove")

    assert 0 == done.code, done.out + done.err
    untouched, replayed = f"{name}/untouched/1", f"{name}/replay/1"
    assert "check failed: " in said(done, untouched)
    assert ("completed", "passed") == done.ending(replayed)
    read = [event.url for event in done.of_type("docs_fetch", replayed)]
    assert list(task_of(name).docs.route) == read
    events = [*done.events(untouched), *done.events(replayed)]
    assert [] == [event for event in events if event.type in REFUSALS]


@pytest.mark.parametrize(("name", "fault"), FAULTS)
def test_a_fault_in_the_documented_steps_is_a_gap_that_the_check_explains(name, fault, tmp_path):
    task = copy_with_replay(name, with_fault(task_of(name).replay, fault), tmp_path)

    done = call("run", task, name, tmp_path / "results", "--agent", "replay")

    assert 1 == done.code, done.out + done.err
    assert "docs_gap" == done.ending(name)[1]
    assert "check failed: " in said(done, name)
    assert fault.says in said(done, name)
