"""Whatever dies or runs wild: the trace ends in `run_end`, the classification says whose fault."""

from __future__ import annotations

import signal
import subprocess

import pytest

from fakes.engine_relay import EngineRelay
from fakes.program import (
    COMMAND,
    finish,
    has_event,
    run_task,
    start,
    trace_lines,
    wait_until,
)
from quickstarted.sandbox.labels import ROLE, RUN

pytestmark = pytest.mark.docker

SLOW = """\
    replay: [echo begun, sleep 50]
    success: {script: 'true'}
    """
PROBE = """\
    replay: [echo hello]
    success: {expect_output: {contains: hello}}
    """


@pytest.fixture(name="slow_run")
def _slow_run(task):
    """A run in the middle of a command, and its results folder."""
    path = task(SLOW)
    results = path.parent / "results"

    def go(**options):
        process = start(["run", path, "--out", results], **options)
        wait_until(
            lambda: has_event(results, "tool_call", command="sleep 50"),
            "the slow command",
            program=process,
        )
        return process, results

    return go


def containers_of(engine, results, role):
    """Ids of the containers of the run in *results*."""
    run_id = trace_lines(results)[0]["run_id"]
    filters = {"label": [f"{RUN}={run_id}", f"{ROLE}={role}"]}
    return [found["Id"] for found in engine.api.containers(filters=filters)]


def sweep():
    """What `quickstarted gc` prints; what others left may be stuck, and is theirs."""
    done = subprocess.run([*COMMAND, "gc"], capture_output=True, text=True, check=False)
    return done.stdout


def test_an_image_that_does_not_exist_is_named(task):
    done = run_task(task("image: quickstarted/no-such-image:1\n" + PROBE.replace("    ", "")))

    assert 2 == done.code
    assert done.ending()[0] == "fault"
    assert done.ending()[1] in {"harness_error", "infra_error"}
    assert "quickstarted/no-such-image:1" in done.out


def test_an_engine_that_is_not_there_is_infrastructure(task, tmp_path):
    done = run_task(task(PROBE), env={"DOCKER_HOST": f"unix://{tmp_path}/no-engine.sock"})

    assert 2 == done.code
    assert ("fault", "infra_error") == done.ending()
    assert "no container engine answers" in done.out


def test_an_engine_that_dies_in_the_middle_is_infrastructure(slow_run, left_by, tmp_path):
    with EngineRelay(tmp_path / "engine.sock") as relay:
        process, results = slow_run(env={"DOCKER_HOST": relay.docker_host})
        relay.die()
        done = finish(process, results)

    assert 2 == done.code
    assert ("fault", "infra_error") == done.ending()
    sweep()
    assert [] == left_by(process.pid)


def test_a_killed_sandbox_is_infrastructure(slow_run, engine, left_by):
    process, results = slow_run()

    (sandbox,) = containers_of(engine, results, "sandbox")
    engine.api.remove_container(sandbox, force=True)
    done = finish(process, results)

    assert 2 == done.code
    assert ("fault", "infra_error") == done.ending()
    assert [] == left_by(process.pid)


def test_a_killed_sidecar_is_infrastructure_at_once(slow_run, engine, left_by):
    process, results = slow_run()

    (sidecar,) = containers_of(engine, results, "sidecar")
    engine.api.kill(sidecar)
    done = finish(process, results, timeout_s=30)

    assert 2 == done.code
    assert ("fault", "infra_error") == done.ending()
    assert "sidecar" in done.out
    assert [] == left_by(process.pid)


def test_ctrl_c_ends_cleanly_with_130(slow_run, left_by):
    process, results = slow_run()

    process.send_signal(signal.SIGINT)
    done = finish(process, results, timeout_s=30)

    assert 130 == done.code
    assert ("interrupted", "skipped") == done.ending()
    assert [] == left_by(process.pid)


def test_ctrl_c_twice_leaves_at_once_and_gc_finds_the_rest(slow_run, left_by):
    process, results = slow_run()

    process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGINT)
    done = finish(process, results, timeout_s=5)

    assert 130 == done.code
    assert "removed" in sweep()
    assert [] == left_by(process.pid)


def test_a_killed_harness_leaves_a_trace_so_far_and_the_next_start_cleans_up(
    slow_run, left_by, task
):
    process, results = slow_run()

    process.kill()
    process.communicate()

    assert ["run_start", "sandbox_ready"] == [line["type"] for line in trace_lines(results)][:2]
    assert has_event(results, "tool_result", output="begun\n")
    run_task(task(PROBE))
    wait_until(lambda: not left_by(process.pid), "the next start's sweep")


def test_the_results_folder_on_a_full_disk_is_infrastructure(task):
    path = task(
        "replay: ['seq 1 200000']\nbudgets: {max_output_chars: 2000000}\nsuccess: {script: 'true'}"
    )
    results = path.parent / "results"
    results.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", results], check=True)
    try:
        done = run_task(path, "--min-free-disk", "0")
        assert 2 == done.code
        assert "infra_error" in done.out
        assert "Free some disk space" in done.out + done.err
        lines = [line["type"] for line in trace_lines(results)]
        assert ["run_start", "sandbox_ready"] == lines[:2]
    finally:
        subprocess.run(["umount", results], check=True)


def test_memory_that_runs_out_is_said_and_the_attempt_goes_on(task):
    body = """\
        replay: ['python3 -c "b = bytearray(400 * 1024 * 1024)" || echo survived']
        resources: {memory: 128m}
        success: {expect_output: {contains: survived}}
        """

    done = run_task(task(body))

    assert ("completed", "passed") == done.ending()
    assert "memory" in (done.of_type("tool_result")[0].note or "")


@pytest.mark.parametrize(
    ("command", "limit_s", "exit_code"),
    [
        pytest.param("yes | head -c 1000000000", 60, 0, id="1 GB of output"),
        pytest.param(":(){ :|:& };:; sleep 30", 3, 124, id="fork bomb"),
        pytest.param("kill -9 -1", 60, 137, id="kills all it can"),
        pytest.param("rm -rf /workspace", 60, 0, id="removes the workspace"),
    ],
)
def test_a_command_that_runs_wild_is_a_result_and_the_sandbox_goes_on(
    task, command, limit_s, exit_code
):
    body = f"""\
        replay:
          - {command!r}
          - echo still here
        budgets: {{max_command_seconds: {limit_s}}}
        success: {{script: 'test -d /workspace'}}
        """

    done = run_task(task(body))

    assert exit_code == done.of_type("tool_result")[0].exit_code
    assert done.ending()[1] == "passed", done.out + done.err


@pytest.mark.parametrize("image", ["busybox", "non_root", "entrypoint"])
def test_images_of_all_kinds_run(task, request, image):
    name = request.getfixturevalue(image)

    done = run_task(task(f"image: {name}\n" + PROBE.replace("    ", "")))

    assert ("completed", "passed") == done.ending(), done.out


def test_an_image_without_a_shell_is_told_clearly(task, no_shell):
    done = run_task(task(f"image: {no_shell}\n" + PROBE.replace("    ", "")))

    assert 2 == done.code
    assert ("fault", "harness_error") == done.ending()
    assert "shell" in done.out
