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


def replay(name: str, task, results) -> Done:
    flags = docs_flags(case_of(name))
    call = ["run", task, "--agent", "replay", "--out", results, *flags]
    return finish(start(call), results)


def said(done: Done, name: str) -> str:
    return "".join(event.output for event in done.of_type("success_check", name))


@pytest.mark.parametrize("name", case_names())
def test_an_example_passes_by_replay(name, tmp_path):
    done = replay(name, task_path(name), tmp_path / "results")

    assert 0 == done.code, done.out + done.err
    assert ("completed", "passed") == done.ending(name)
    assert list(task_of(name).docs.route) == [
        event.url for event in done.of_type("docs_fetch", name)
    ]
    assert [] == [event for event in done.events(name) if event.type in REFUSALS]


@pytest.mark.parametrize("name", case_names())
def test_the_check_of_an_example_fails_on_the_untouched_workspace(name, tmp_path):
    task = copy_with_replay(name, ["true"], tmp_path)

    done = replay(name, task, tmp_path / "results")

    assert 1 == done.code, done.out + done.err
    assert ("completed", "docs_gap") == done.ending(name)
    assert "check failed: " in said(done, name)


@pytest.mark.parametrize(("name", "fault"), FAULTS)
def test_a_fault_in_the_documented_steps_is_a_gap_that_the_check_explains(name, fault, tmp_path):
    task = copy_with_replay(name, with_fault(task_of(name).replay, fault), tmp_path)

    done = replay(name, task, tmp_path / "results")

    assert 1 == done.code, done.out + done.err
    assert "docs_gap" == done.ending(name)[1]
    assert f"check failed: {fault.says}" in said(done, name)
