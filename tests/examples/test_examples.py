"""The examples by replay: each passes, and fails when its documentation is not followed."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from examples.cases import case_names, case_of, task_of, task_path
from examples.changing import copy_with_replay, with_fault
from examples.fetching import docs_flags
from fakes.program import Done, finish, start
from fakes.wheels import build_wheel

pytestmark = pytest.mark.docker


def marks(name: str) -> list[pytest.MarkDecorator]:
    return [pytest.mark.slow] if case_of(name).slow else []


NAMES = [pytest.param(name, marks=marks(name)) for name in case_names()]
FAULTS = [
    pytest.param(name, fault, id=f"{name} {fault.label}", marks=marks(name))
    for name in case_names()
    for fault in case_of(name).faults
]
REFUSALS = {"egress_blocked", "fetch_blocked", "fetch_error", "egress_error"}


@pytest.fixture(scope="session", name="wheel")
def _wheel(tmp_path_factory):
    return build_wheel(tmp_path_factory.mktemp("wheel"))


@pytest.fixture(name="copied")
def _copied(request, tmp_path):
    """Copies an example with another `replay`, and with the wheel when it needs that."""

    def copy(name: str, commands: list[str] | str) -> Path:
        task = copy_with_replay(name, commands, tmp_path / "tasks")
        if case_of(name).wheel:
            start = task_of(name).workspace.relative_to(task_path(name).parent)
            shutil.copy(request.getfixturevalue("wheel"), task.parent / start)
        return task

    return copy


def call(command: str, task, name: str, out, *flags: str) -> Done:
    """`quickstarted COMMAND TASK`, reading the documentation that the table names."""
    docs = docs_flags(case_of(name))
    return finish(start([command, task, *flags, "--out", out, *docs]), out)


def said(done: Done, folder: str) -> str:
    return "".join(event.output for event in done.of_type("success_check", folder))


@pytest.mark.parametrize("name", NAMES)
def test_an_example_passes_by_replay_and_its_check_fails_on_the_untouched_workspace(
    name, copied, tmp_path
):
    ready = copied(name, [*task_of(name).replay]) if case_of(name).wheel else task_path(name)

    done = call("validate", ready, name, tmp_path / "results", "--prove")

    assert 0 == done.code, done.out + done.err
    untouched, replayed = f"{name}/untouched/1", f"{name}/replay/1"
    assert "check failed: " in said(done, untouched)
    assert ("completed", "passed") == done.ending(replayed)
    read = [event.url for event in done.of_type("docs_fetch", replayed)]
    assert list(task_of(name).docs.route) == read
    events = [*done.events(untouched), *done.events(replayed)]
    assert [] == [event for event in events if event.type in REFUSALS]


@pytest.mark.parametrize(("name", "fault"), FAULTS)
def test_a_fault_in_the_documented_steps_is_a_gap_that_the_check_explains(
    name, fault, copied, tmp_path
):
    task = copied(name, with_fault(task_of(name).replay, fault))

    done = call("run", task, name, tmp_path / "results", "--agent", "replay")

    assert 1 == done.code, done.out + done.err
    assert "docs_gap" == done.ending(name)[1]
    assert "check failed: " in said(done, name)
    assert fault.says in said(done, name)


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=marks(name)) for name in case_names() if case_of(name).from_docs],
)
def test_the_pages_of_an_example_can_be_replayed_themselves(name, copied, tmp_path):
    task = copied(name, "from_docs")

    done = call("run", task, name, tmp_path / "results", "--agent", "replay")

    assert 0 == done.code, done.out + done.err
    assert ("completed", "passed") == done.ending(name)
