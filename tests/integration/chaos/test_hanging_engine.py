"""An engine that never answers one call: that attempt is lost, the others and the call go on."""

from __future__ import annotations

import os
import re
import threading
from concurrent.futures import ThreadPoolExecutor

import docker
import pytest

from fakes import lanes
from fakes.engine_relay import SILENCE, EngineRelay
from fakes.program import write_task
from fakes.suites import Notes, make_suite
from quickstarted.agents.replay import ReplayAgent
from quickstarted.errors import EngineFault
from quickstarted.plan import AttemptPlan
from quickstarted.sandbox.backend import BackendOptions, DockerBackend
from quickstarted.sandbox.engine import Engine
from quickstarted.sandbox.lanes.upstream import upstream_of_host
from quickstarted.sandbox.removal import remove_container, remove_network
from quickstarted.suite import SuiteOptions
from quickstarted.task import load_task
from quickstarted.verdict import INFRA_ERROR, PASSED

pytestmark = pytest.mark.docker

CALL_LIMIT_S = 6
"""The product waits for a minute."""
END_LIMIT_S = 120
BODY = "replay: [echo hello]\nsuccess: {expect_output: {contains: hello}}\n"


class Hang:
    """Is silent to the calls of one kind for one container, the first that it is asked of."""

    def __init__(self, pattern, *, after=0):
        self._pattern = re.compile(pattern)
        self._lock = threading.Lock()
        self._left = after
        self.victim = None

    def __call__(self, request):
        found = self._pattern.search(request)
        if found is None:
            return None
        with self._lock:
            if self.victim is None and self._left:
                self._left -= 1
                return None
            self.victim = self.victim or found[1]
            return SILENCE if found[1] == self.victim else None


@pytest.fixture(name="run")
def _run(tmp_path, engine):
    """`run(hang)`: a call of five attempts, its results and how its end went."""
    run_id = lanes.new_run_id()
    task = load_task(write_task(tmp_path, f"image: {lanes.test_image(engine)}\n{BODY}"))
    plans = [
        AttemptPlan(
            task=task,
            agent=ReplayAgent(),
            attempt=number,
            run_id=run_id,
        )
        for number in range(1, 6)
    ]

    def go(hang):
        with EngineRelay(tmp_path / "engine.sock", instead=hang) as relay:
            client = docker.DockerClient(
                relay.docker_host, version="1.41", timeout=CALL_LIMIT_S, max_pool_size=64
            )
            options = BackendOptions(run_id=run_id, upstream=upstream_of_host(os.environ))
            backend = DockerBackend(Engine(client), options)
            watcher = Notes()
            ended = None
            with ThreadPoolExecutor(1) as pool:
                made = pool.submit(
                    make_suite,
                    plans,
                    tmp_path,
                    SuiteOptions(workers=2),
                    watcher=watcher,
                    backend=backend,
                )
                try:
                    made.result(END_LIMIT_S)
                except EngineFault as fault:
                    ended = fault
        return watcher.results, ended

    yield go
    for one in lanes.labelled(engine, run_id):
        if one in {network["Id"] for network in engine.api.networks()}:
            remove_network(engine, one)
        else:
            remove_container(engine, one)


@pytest.mark.parametrize(
    "call",
    [
        pytest.param(r"POST \S*/containers/(\w+)/exec", id="a command is made"),
        pytest.param(r"PUT \S*/containers/(\w+)/archive", id="files are put there"),
    ],
)
def test_a_call_that_is_never_answered_costs_its_attempt_and_no_other(run, call):
    results, ended = run(Hang(call))

    kinds = [result.classification for result in results]
    assert (1, 4) == (kinds.count(INFRA_ERROR), kinds.count(PASSED))
    (lost,) = [result for result in results if result.classification is INFRA_ERROR]
    assert "did not answer" in lost.fault.error
    assert ended is None


def test_a_start_that_is_never_answered_costs_its_attempt_at_most(run):
    results, ended = run(Hang(r"POST \S*/containers/(\w+)/start", after=3))

    kinds = [result.classification for result in results]
    assert 5 == len(kinds)
    assert 4 <= kinds.count(PASSED)
    assert ended is None


def test_a_removal_that_is_never_answered_costs_the_next_one_there_and_is_told_of_at_the_end(run):
    results, ended = run(Hang(r"DELETE \S*/containers/(\w+)"))

    kinds = [result.classification for result in results]
    assert 5 == len(kinds)
    assert 4 <= kinds.count(PASSED)
    assert "did not answer" in ended.message
    assert "quickstarted gc" in ended.hint


def test_a_removal_that_another_one_is_busy_with_is_not_waited_for_without_end(engine, tmp_path):
    head = b"HTTP/1.1 409 Conflict\r\nContent-Type: application/json\r\nContent-Length: 16\r\n\r\n"
    busy = head + b'{"message": "b"}'

    def answer(request):
        return busy if request.startswith("DELETE") else SILENCE if "/wait" in request else None

    with EngineRelay(tmp_path / "engine.sock", instead=answer) as relay:
        client = docker.DockerClient(relay.docker_host, version="1.41", timeout=1)
        with pytest.raises(EngineFault, match="did not answer"):
            remove_container(Engine(client), "0" * 64)
        client.close()
