"""
Every probe over every backend, and over a container without any of our measures.

A table says what each owes. It is held in both directions: a probe that cannot fail where nothing
is enforced says nothing where it holds.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest

from fakes import lanes
from fakes.containers import open_sandbox
from quickstarted.probes import PROBES, ProbeResult, Situation, State, run_probes
from quickstarted.probes.host import HostListener, host_addresses, name_servers
from quickstarted.probes.running import Witnesses
from quickstarted.sandbox.local.backend import LocalBackend
from quickstarted.sandbox.protocol import Resources, SandboxSpec

pytestmark = pytest.mark.docker

ASKED = Resources(memory_bytes=512 * 1024**2, cpus=1.0, pids=256)
NO_LIMITS = Resources(memory_bytes=None, pids=None)
SECRET = "ANTHROPIC_API_KEY"
PLAIN_USER = "65532:65532"
MORE_THAN_ANY_DISK = 10**18
UNGUARDED = {
    "Binds": ["/var/run/docker.sock:/var/run/docker.sock"],
    "CapAdd": ["SYS_ADMIN"],
    "CapDrop": [],
    "NetworkMode": "bridge",
    "SecurityOpt": [],
    "Sysctls": {"net.ipv6.conf.all.disable_ipv6": "0"},
    "Ulimits": [{"Name": "nofile", "Soft": 512, "Hard": 512}],
}
NEEDS_A_PROGRAM = {"trust-curl", "trust-python", "trust-node", "trust-java"}
KEPT_BY_LOCAL = {
    "open-files": "each command limits them itself",
    "disk-room": "it is this machine's disk",
    "no-keys": "variables with keys are left out",
    "plain-user": "it is this process's own user",
}
DEPENDS_ON_THE_MACHINE = {
    "ipv6-off": "this machine may have none",
    "nothing-mounted": "this machine may have no such mount",
    "no-new-privileges": "this process may have been started so",
    "capabilities": "this process may have been started so",
    "memory-limit": "this process may have limits",
    "pids-limit": "this process may have limits",
    "cpu-limit": "this process may have limits",
}


@pytest.fixture(scope="module")
def engine():
    with lanes.connected() as connected:
        yield connected


@pytest.fixture(scope="module")
def listener():
    with HostListener(lanes.new_run_id()) as listening:
        yield listening


@pytest.fixture(scope="module")
def situation(listener):
    addresses = tuple(one for one in host_addresses() if listener.check(one))
    assert addresses
    return Situation(
        nonce=listener.nonce,
        allowed_host="pypi.org",
        allowed_path="/simple/six/",
        host_addresses=addresses,
        host_port=listener.port,
        outside=tuple((address, listener.port) for address in addresses),
        name_servers=name_servers(),
        resources=ASKED,
        secret_names=(SECRET,),
    )


def asked(sandbox, situation: Situation, witnesses: Witnesses) -> dict[str, ProbeResult]:
    return {
        result.probe.name: result for result in run_probes(sandbox, PROBES, situation, witnesses)
    }


def states(results: dict[str, ProbeResult]) -> dict[str, str]:
    return {name: result.outcome.state for name, result in results.items()}


@contextmanager
def on_a_lane(engine, situation, listener, **fields) -> Iterator[dict[str, ProbeResult]]:
    events = []
    wanted = lanes.spec(engine, situation.policy(), resources=ASKED, user=situation.user, **fields)
    witnesses = Witnesses(events=events, heard=listener.heard)
    with lanes.docker_backend(engine) as backend, backend.open(wanted, events.append) as sandbox:
        yield asked(sandbox, situation, witnesses)


@pytest.mark.parametrize("user", [None, PLAIN_USER], ids=["image-user", "plain-user"])
def test_every_promise_holds_in_a_sandbox_on_a_lane(engine, situation, listener, user):
    mine = replace(situation, user=user)
    image = lanes.node_image(engine)
    with on_a_lane(engine, mine, listener, image=image) as results:
        not_kept = {
            name: result.outcome
            for name, result in results.items()
            if result.outcome.state is not State.HOLDS
        }

    lacking = NEEDS_A_PROGRAM | (set() if user else {"plain-user"})
    wrong = {
        name: outcome
        for name, outcome in not_kept.items()
        if outcome.state is not State.NOT_APPLICABLE or name not in lacking
    }
    assert {} == wrong
    assert "trust-node" not in not_kept


def test_no_promise_holds_in_a_container_without_our_measures(engine, situation, tmp_path):
    listener_of_its_own = HostListener(f"{situation.nonce}-unguarded")
    mine = replace(
        situation,
        nonce=listener_of_its_own.nonce,
        host_port=listener_of_its_own.port,
        user=PLAIN_USER,
        min_disk_bytes=MORE_THAN_ANY_DISK,
    )
    with (
        listener_of_its_own as listening,
        open_sandbox(
            engine,
            lanes.node_image(engine),
            env={SECRET: "not-a-key"},
            host_config=UNGUARDED,
            resources=NO_LIMITS,
        ) as sandbox,
    ):
        sandbox.put_file("/workspace/left", b"")
        found = states(asked(sandbox, mine, Witnesses(heard=listening.heard)))

    kept = {name for name, state in found.items() if state != State.BROKEN}
    assert set() == kept - NEEDS_A_PROGRAM
    assert State.HOLDS not in {found[name] for name in NEEDS_A_PROGRAM}
    assert State.BROKEN == found["trust-node"]


def test_the_local_backend_keeps_what_its_table_says_and_nothing_else(situation):
    with HostListener(f"{situation.nonce}-local") as listening:
        mine = replace(
            situation,
            nonce=listening.nonce,
            host_port=listening.port,
            outside=tuple((address, listening.port) for address in situation.host_addresses),
            user=f"{os.getuid()}:{os.getgid()}",
            min_disk_bytes=1,
        )
        backend = LocalBackend(lanes.new_run_id(), {**os.environ, SECRET: "not-a-key"})
        wanted = SandboxSpec(
            run_id=backend.run_id, image="none", policy=mine.policy(), resources=ASKED
        )
        try:
            with backend.open(wanted, lambda _: None) as sandbox:
                found = states(asked(sandbox, mine, Witnesses(heard=listening.heard)))
        finally:
            backend.close()

    kept = {name for name, state in found.items() if state == State.HOLDS}
    assert set(KEPT_BY_LOCAL) == kept - set(DEPENDS_ON_THE_MACHINE)


def test_every_probe_has_a_name_and_a_promise_of_its_own():
    assert len(PROBES) == len({probe.name for probe in PROBES})
    assert len(PROBES) == len({probe.promise for probe in PROBES})
    assert all(probe.promise.endswith(".") for probe in PROBES)
    names = {probe.name for probe in PROBES}
    assert names >= NEEDS_A_PROGRAM | set(KEPT_BY_LOCAL) | set(DEPENDS_ON_THE_MACHINE)
