"""What the local sandbox says of itself, and what becomes of its keeper."""

from __future__ import annotations

import os
import signal
import sys

import pytest

from quickstarted.errors import SandboxFault
from quickstarted.sandbox.local.backend import LocalBackend
from quickstarted.sandbox.local.folders import BASE_VARIABLE
from quickstarted.sandbox.local.sandbox import notes_for
from quickstarted.sandbox.protocol import Limits, Resources, SandboxSpec
from quickstarted_proxy.policy import EgressPolicy

AMPLE = Limits(timeout_s=30)


def spec(**fields):
    return SandboxSpec(run_id="test-local", image="x:1", policy=EgressPolicy(), **fields)


@pytest.fixture(name="backend")
def _backend(tmp_path):
    return LocalBackend("test-local", {**os.environ, BASE_VARIABLE: str(tmp_path / "it's $here")})


def test_everything_that_is_ignored_is_said():
    said = "\n".join(notes_for(spec(user="joe", platform="linux/arm64"), 7))

    for part in ("x:1", "joe", "linux/arm64", "uid 7", "nothing is enforced"):
        assert part in said


def test_every_limit_that_was_asked_for_is_said_not_to_be_enforced(backend):
    resources = Resources(memory_bytes=1, cpus=2.0, pids=None, disk_bytes=4)
    with backend.open(spec(resources=resources), lambda _: None) as sandbox:
        limits = sandbox.facts["limits"]

    assert {"memory_bytes": 1, "cpus": 2.0, "disk_bytes": 4} == {
        name: one["asked"] for name, one in limits.items()
    }


def test_odd_characters_in_the_path_do_no_harm(backend):
    with backend.open(spec(), lambda _: None) as sandbox:
        sandbox.bash("export X=1; mkdir 'a b'; cd 'a b'", AMPLE)
        result = sandbox.bash('echo "$X"; pwd', AMPLE)
        expected = f"1\n{sandbox.workspace}/a b\n"

    assert expected == result.output
    assert [] == list(backend.base.iterdir())


def test_home_and_temporary_files_are_beside_the_workspace_whatever_the_task_says(backend):
    env = {"HOME": "/root", "TMPDIR": "/tmp"}
    with backend.open(spec(env=env), lambda _: None) as sandbox:
        result = sandbox.run_clean('cd ..; ls -d "$HOME" "$TMPDIR"; pwd', AMPLE)
        root = sandbox.workspace.rpartition("/")[0]

    assert f"{root}/home\n{root}/tmp\n{root}\n" == result.output


def test_standard_input_of_the_harness_and_its_descriptors_are_not_the_commands(backend):
    with backend.open(spec(), lambda _: None) as sandbox:
        result = sandbox.run_clean("ls -l /proc/self/fd | grep -c socket; true", AMPLE)

    assert "0\n" == result.output


def test_signals_reach_commands_as_they_do_in_a_shell(backend):
    names = ("TERM", "HUP", "INT", "PIPE")
    with backend.open(spec(), lambda _: None) as sandbox:
        codes = [
            sandbox.run_clean(f"kill -{name} $$; echo survived", AMPLE).exit_code for name in names
        ]

    assert [128 + getattr(signal, f"SIG{name}") for name in names] == codes


def test_what_is_raised_inside_the_block_comes_out_and_nothing_is_left(backend):
    with pytest.raises(ZeroDivisionError), backend.open(spec(), lambda _: None):
        _ = 1 / 0

    assert [] == list(backend.base.iterdir())


def test_a_keeper_that_is_stopped_is_replaced_where_a_command_needs_one(backend):
    with backend.open(spec(), lambda _: None) as sandbox:
        sandbox.bash("cd /tmp; sleep 300 &", AMPLE)
        sandbox.start_service("web", "sleep 301")
        os.kill(sandbox._machine._line.pid, signal.SIGKILL)
        after = sandbox.bash("pwd", AMPLE)
        state = sandbox.service_state("web")[0]
        left = sandbox.foreign_processes()

    assert ("/tmp\n", 0) == (after.output, after.exit_code)
    assert "ended between two commands" in after.restarted
    assert (137, []) == (state, left)


def test_a_keeper_that_does_not_start_is_a_fault_with_its_words(backend, tmp_path, monkeypatch):
    broken = tmp_path / "python"
    broken.write_text("#!/bin/sh\necho No module named psutil >&2; exit 1\n")
    broken.chmod(0o755)
    for interpreter, words in ((broken, "is gone: No module named psutil"), ("/nowhere", "start")):
        monkeypatch.setattr(sys, "executable", str(interpreter))
        with pytest.raises(SandboxFault, match=words), backend.open(spec(), lambda _: None):
            pass

        assert [] == list(backend.base.iterdir())


def test_a_program_that_the_system_does_not_start_is_a_fault_with_its_words(backend):
    env = {"LONG": "x" * 200_000}
    with (
        pytest.raises(SandboxFault, match=r"does not start commands any more: .*too long"),
        backend.open(spec(env=env), lambda _: None) as sandbox,
    ):
        sandbox.run_clean("true", AMPLE)


def test_after_the_block_everything_is_a_fault(backend):
    with backend.open(spec(), lambda _: None) as sandbox:
        pass

    with pytest.raises(SandboxFault, match="is gone"):
        sandbox.run_clean("true", AMPLE)
