"""A sidecar that dies, or no longer does what it must, ends the attempt at once."""

from __future__ import annotations

import json
import threading
import time
from contextlib import contextmanager

import pytest

from fakes import lanes
from fakes.far_side import attempt, far_side
from fakes.program import write_task
from quickstarted.sandbox.images.resolve import sidecar_image
from quickstarted.sandbox.labels import labels
from quickstarted.trace import read_trace
from quickstarted.verdict import StopReason

pytestmark = pytest.mark.docker

PYTHON = "/opt/sidecar/bin/python"
UNDER_WAY_S = 0.7
"""From the record of a command to the moment when it surely runs."""
SLOW = """\
    replay: [echo begun, sleep 50]
    success: {script: 'true'}
    """
LENIENT = """
from quickstarted_proxy import trimmed; trimmed.install()
from quickstarted_proxy import __main__, gate, policy
judged, rounds = gate.decide, []
def lenient(rules, host, *more):
    if host.endswith('watch.invalid'):
        rounds.append(host)
        if len(rounds) > ROUNDS:
            return policy.Decision(allowed=True, host=host)
    return judged(rules, host, *more)
gate.decide = lenient
__main__.main()
"""


@contextmanager
def sidecar_that_runs(engine, program):
    """An image of the sidecar in which *program* is what runs."""
    api = engine.api
    made = api.create_container(
        sidecar_image(engine, None), labels=labels(lanes.new_run_id(), "test")
    )
    entrypoint = json.dumps([PYTHON, "-c", f"exec({json.dumps(program)})"])
    try:
        image = api.commit(made["Id"], changes=[f"ENTRYPOINT {entrypoint}", "CMD []"])["Id"]
    finally:
        api.remove_container(made["Id"])
    try:
        yield image
    finally:
        api.remove_image(image, force=True)


class Thinking:
    """An agent that waits for its model and does nothing else."""

    name = "thinking"
    model = None
    is_replay = False

    def lacks(self, _assignment):
        return None

    def prepare(self):
        pass

    def prompt(self, _assignment):
        return None

    def run(self, _assignment, tools):
        tools.bash("echo begun")
        for _ in range(1000):
            assert not tools.cancelled()
            time.sleep(0.05)
        return StopReason.COMPLETED


def ending(folder):
    """The fault and the end; nothing of the watch itself is on record."""
    events = list(read_trace(folder / "trace.jsonl"))
    (fault,) = [event for event in events if event.type == "fault"]
    assert [] == [e for e in events if "watch.invalid" in str(getattr(e, "host", ""))]
    return fault, events[-1]


@pytest.mark.parametrize("agent", [None, Thinking()], ids=["command", "model"])
def test_a_killed_sidecar_interrupts_whatever_is_under_way(engine, tmp_path, agent):
    with far_side(engine) as backend:

        def kill(event):
            under_way = (
                getattr(event, "command", None) == "sleep 50"
                if agent is None
                else event.type == "tool_result"
            )
            if under_way:
                (sidecar,) = backend.sidecars()
                threading.Timer(UNDER_WAY_S, engine.api.kill, (sidecar, "SIGKILL")).start()

        task = write_task(tmp_path, SLOW)
        attempt(backend, task, tmp_path / "r", observer=kill, agent=agent)
        fault, end = ending(tmp_path / "r")

    assert ("sidecar", "infra_error") == (fault.component, end.classification.value)
    assert "ended unexpectedly" in fault.error
    assert end.duration < 40


@pytest.mark.parametrize("rounds", [0, 6], ids=["at the start", "later"])
def test_a_sidecar_that_lets_through_what_it_must_refuse_is_caught(engine, tmp_path, rounds):
    program = LENIENT.replace("ROUNDS", str(rounds))
    with (
        sidecar_that_runs(engine, program) as image,
        far_side(engine, sidecar_image=image, watch_interval_s=0.3) as backend,
    ):
        attempt(backend, write_task(tmp_path, SLOW), tmp_path / "r")
    fault, end = ending(tmp_path / "r")

    assert ("sidecar", "infra_error") == (fault.component, end.classification.value)
    assert "was to be refused: {'status': 502" in fault.error
    assert end.duration < 40


def test_while_all_is_well_the_watch_leaves_nothing(engine, tmp_path):
    task = write_task(tmp_path, "replay: [sleep 1]\nsuccess: {script: 'true'}\n")
    with far_side(engine, watch_interval_s=0.05) as backend:
        attempt(backend, task, tmp_path / "r")
        attempt(backend, task, tmp_path / "s")

    for folder in ("r", "s"):
        events = list(read_trace(tmp_path / folder / "trace.jsonl"))
        assert "passed" == events[-1].classification.value
        assert [] == [event for event in events if event.type.startswith("egress_")]
