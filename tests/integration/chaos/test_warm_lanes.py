"""Attempts of different tasks that take turns on the same lanes have nothing of each other."""

from __future__ import annotations

import itertools
import re
import threading
from collections import Counter
from contextlib import contextmanager
from pathlib import Path

import pytest
from docker.types import IPAMConfig, IPAMPool

from egress.origins import origins as origin_servers
from fakes import lanes
from fakes.far_side import FarSideBackend
from fakes.program import write_task
from fakes.suites import make_suite
from quickstarted.agents.replay import ReplayAgent
from quickstarted.plan import AttemptPlan
from quickstarted.sandbox.labels import labels
from quickstarted.sandbox.lanes.networks import closed_options
from quickstarted.sandbox.removal import remove_network
from quickstarted.suite import SuiteOptions
from quickstarted.task import load_task
from quickstarted.trace import read_trace
from quickstarted.verdict import PASSED

pytestmark = pytest.mark.docker

REPEAT = 4
HOSTS = {"red": "ok.test", "green": "other.test", "blue": "a.wild.test"}
VALUES = {name: f"sk-{name}-{name.encode().hex() * 4}" for name in ("red", "green")}
ASK = """
import os, socket, sys, urllib.error, urllib.request
for url in sys.argv[1:]:
    try:
        with urllib.request.urlopen(url.replace("KEY", os.environ.get("KEY", "")), timeout=20) as a:
            print(a.status, url)
    except urllib.error.HTTPError as error:
        print(error.code, url)
    except OSError as error:
        print("failed", url)
"""
LOOK_UP = """
import socket, sys
for name in sys.argv[1:]:
    try:
        print("found", name, socket.gethostbyname(name))
    except OSError:
        print("unknown", name)
"""
LATE = "(while :; do python3 ask.py https://{host}/late-$(cat /tmp/token); done) >/dev/null 2>&1 &"
LOOK = (
    "ls -a /tmp /workspace ~ /var/tmp /dev/shm; cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline"
    " 2>/dev/null | tr '\\0' '\\n'"
)


class Turns(FarSideBackend):
    """Joins sidecars to the origins one at a time, as attempts come side by side."""

    def __init__(self, engine, origins, run_id, network_id):
        super().__init__(engine, origins, run_id)
        self._network_id = network_id
        self._joining = threading.Lock()

    @contextmanager
    def open(self, spec, on_egress):
        with super(FarSideBackend, self).open(spec, on_egress) as sandbox:
            with self._joining:
                for sidecar in {*self.sidecars()} - self._joined:
                    self.engine.api.connect_container_to_network(sidecar, self._network_id)
                    self._joined.add(sidecar)
            yield sandbox


@pytest.fixture(name="origins")
def _origins(engine):
    """Origins, and a network on which more sidecars reach them than on their own."""
    run_id = lanes.new_run_id()
    with origin_servers(engine, run_id) as started:
        pool = IPAMPool(subnet="198.18.240.0/24")
        network = engine.api.create_network(
            f"quickstarted-{run_id}-wide",
            internal=True,
            options=closed_options(engine.major),
            ipam=IPAMConfig(pool_configs=[pool]),
            labels=labels(run_id, "origins"),
        )["Id"]
        engine.api.connect_container_to_network(
            started.container_id, network, aliases=list(HOSTS.values())
        )
        yield started, network
        engine.api.disconnect_container_from_network(started.container_id, network)
        remove_network(engine, network)


def task_of(folder: Path, name: str, foreign: list[str]):
    """A task that asks its own host and the others', looks around, and leaves all that it can."""
    host = HOSTS[name]
    others = " ".join(f"https://{one}/not-{name}" for one in HOSTS.values() if one != host)
    strange = " ".join(f"https://{host}/try-{placeholder}" for placeholder in foreign)
    secrets = f"secrets: {{KEY: {{hosts: [{host}]}}}}\n" if name in VALUES else ""
    commands = [
        LOOK,
        f"echo {name}-$(cat /proc/sys/kernel/random/uuid) | tee /tmp/token",
        f"python3 ask.py https://{host}/own-KEY {strange}",
        f"python3 ask.py {others}",
        f"python3 look_up.py {' '.join(HOSTS.values())}",
        f"touch ~/left-{name} /workspace/left-{name} /var/tmp/left-{name} /dev/shm/left-{name}",
        f"{LATE.format(host=host)} sleep 0.5",
    ]
    listed = "".join(f"  - {one!r}\n" for one in commands)
    body = (
        f"network: {{allow: [{host}]}}\nworkspace: start\n{secrets}replay:\n{listed}"
        "success: {script: 'test -s /tmp/token', leftovers: keep}\n"
    )
    return load_task(write_task(folder, body, name=name))


@pytest.fixture(name="plans")
def _plans(tmp_path, engine):
    (tmp_path / "start").mkdir()
    (tmp_path / "start" / "ask.py").write_text(ASK)
    (tmp_path / "start" / "look_up.py").write_text(LOOK_UP)

    def planned(name, foreign):
        task = task_of(tmp_path, name, foreign)
        return [
            AttemptPlan(
                task=task,
                agent=ReplayAgent(),
                attempt=number,
                run_id="test-warm-lanes",
                default_image=lanes.test_image(engine),
                environ={"KEY": VALUES.get(name, "")},
            )
            for number in range(1, REPEAT + 1)
        ]

    with_keys = [planned(name, []) for name in VALUES]
    placeholders = [plan.secrets[0].placeholder for cell in with_keys for plan in cell]
    cells = [*with_keys, planned("blue", placeholders)]
    return [*itertools.chain.from_iterable(zip(*cells, strict=True))], placeholders


def test_tasks_that_take_turns_on_three_lanes_have_nothing_of_each_other(
    engine, origins, plans, tmp_path
):
    attempts, placeholders = plans
    servers, network = origins
    backend = Turns(engine, servers, lanes.new_run_id(), network)
    made = make_suite(attempts, tmp_path, SuiteOptions(workers=3), backend=backend)
    reached = servers.take().requests

    assert [] == lanes.labelled(engine, backend.run_id)
    assert [PASSED] * 3 * REPEAT == [run.classification for run in made.suite.runs]
    tokens, kinds = [], Counter()
    for run in made.suite.runs:
        host = HOSTS[run.task]
        others = [one for one in HOSTS.values() if one != host]
        events = list(read_trace(made.folder / run.trace))
        (ready,) = [event for event in events if event.type == "sandbox_ready"]
        kinds[ready.lane] += 1
        outputs = [event.output for event in events if event.type == "tool_result"]
        looked, token, asked, refused, known = outputs[:5]
        tokens.append(token.strip())

        assert "left-" not in looked
        assert "late-" not in looked
        assert [] == [value for value in VALUES.values() if value in looked]
        assert [] == [one for one in placeholders if one in looked and f"KEY={one}" not in looked]
        assert len({one for one in placeholders if one in looked}) == (run.task in VALUES)
        assert {"200"} == {line.split()[0] for line in asked.splitlines()}, asked
        assert {"200"}.isdisjoint(line.split()[0] for line in refused.splitlines()), refused
        assert [("found" if one == host else "unknown", one) for one in HOSTS.values()] == [
            tuple(line.split()[:2]) for line in known.splitlines()
        ]
        blocked = [event for event in events if event.type == "egress_blocked"]
        # The fourth command asks the others' hosts, the fifth for their names.
        assert {(scope, one) for scope in (4, 5) for one in others} == {
            (event.scope, event.host) for event in blocked
        }
        allowed = [event for event in events if event.type == "egress_allowed"]
        assert {host} == {event.host for event in allowed}
        late = {event.path for event in allowed if "late-" in event.path}
        assert late == {f"/late-{token.strip()}"}

    assert 3 * REPEAT == len(set(tokens))
    assert kinds["warm"] >= kinds["cold"] >= 3, kinds
    with_values = {line for line in reached if any(one in line for one in VALUES.values())}
    assert with_values == {f"GET {HOSTS[name]}/own-{value}" for name, value in VALUES.items()}
    tried = {match[1] for line in reached if (match := re.search("/try-(.*)", line))}
    assert set(placeholders) == tried
