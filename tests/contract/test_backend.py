"""
What `protocol.Backend` promises: by those that can open sandboxes, and by those whose engine does
not answer. What needs a sidecar or an image is asked of the engine's alone.

The engine that dies is the real one behind a relay; the backend that is not there is the
program's own.
"""

from __future__ import annotations

import inspect
import os
import socket
import threading
import time
from collections.abc import Callable
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

import docker
import pytest

from contract.places import eventually
from fakes import lanes
from fakes.engine_relay import EngineRelay
from quickstarted.errors import EngineFault, ImageFault, SandboxFault, SidecarFault
from quickstarted.sandbox.backend import BackendOptions, DockerBackend
from quickstarted.sandbox.engine import Engine
from quickstarted.sandbox.local.backend import LocalBackend
from quickstarted.sandbox.local.folders import BASE_VARIABLE
from quickstarted.sandbox.protocol import Backend, Limits, SandboxSpec
from quickstarted.sandbox.unreachable import UnreachableBackend
from quickstarted_proxy.policy import EgressPolicy

pytestmark = pytest.mark.docker

AMPLE = Limits(timeout_s=30)
LOOK_UP = "import socket\ntry: socket.gethostbyname({!r})\nexcept OSError: pass"


@pytest.fixture(scope="module", name="engine")
def _engine():
    with lanes.connected() as connected:
        yield connected


@pytest.fixture(scope="module", name="backend")
def _backend():
    with lanes.connected() as engine, lanes.docker_backend(engine) as backend:
        yield backend


@dataclass(frozen=True)
class House:
    """A backend that can open sandboxes, and how to see what it has made."""

    backend: Any
    spec: Callable[..., SandboxSpec]
    made: Callable[[], list[Any]]
    """All that is there of this invocation."""
    sandboxes: Callable[[], list[Any]]


@contextmanager
def docker_house(folder):
    """The engine's."""
    with lanes.connected() as own, lanes.connected() as looking:
        backend = DockerBackend(own, BackendOptions(run_id=(run_id := lanes.new_run_id())))
        yield House(
            backend,
            lambda **fields: lanes.spec(looking, **fields),
            lambda: lanes.labelled(looking, run_id),
            lambda: lanes.labelled(looking, run_id, "sandbox"),
        )
        backend.close()


@contextmanager
def local_house(folder):
    """This machine's."""
    backend = LocalBackend("test-backend", {**os.environ, BASE_VARIABLE: str(folder)})
    policy = EgressPolicy()

    def there():
        return list(backend.base.iterdir())

    yield House(
        backend,
        lambda **fields: SandboxSpec(
            **{"run_id": "test-backend", "image": "none", "policy": policy, **fields}
        ),
        there,
        there,
    )
    backend.close()


HOUSES = {"docker": docker_house, "local": local_house}
MADE = {
    "docker": 4,  # sandbox, sidecar and their networks
    "local": 1,  # a folder
}


@pytest.fixture(params=HOUSES, name="house")
def _house(request, tmp_path):
    with HOUSES[request.param](tmp_path) as house:
        yield house


@contextmanager
def relayed(relay):
    """The engine, as one finds it behind a relay."""
    engine = Engine(docker.DockerClient(base_url=relay.docker_host, version="auto"))
    yield engine
    engine.close()


@contextmanager
def never_there():
    """No engine answered when the program started."""
    yield UnreachableBackend("docker", EngineFault("no container engine answers", hint="Start it."))


@contextmanager
def gone_since():
    """The engine answered when the program started, and died."""
    with EngineRelay() as relay, relayed(relay) as engine:
        backend = DockerBackend(engine, BackendOptions(run_id=lanes.new_run_id()))
        relay.die()
        yield backend


ABSENT = {"never there": never_there, "gone since": gone_since}


@pytest.fixture(params=ABSENT, name="absent")
def _absent(request):
    with ABSENT[request.param]() as backend:
        yield backend


def ignore(event):
    """Take an event of no interest."""


def has_all_of_the_protocol(one):
    for name in ("open", "prepare", "close"):
        asked = list(inspect.signature(getattr(Backend, name)).parameters)[1:]
        given = list(inspect.signature(getattr(one, name)).parameters)
        assert len(asked) == len(given), name


def test_every_backend_has_all_of_the_protocol_and_says_whether_it_enforces(house):
    has_all_of_the_protocol(house.backend)

    assert (house.backend.name != "local") is house.backend.enforced
    assert house.backend.name in HOUSES


def test_a_backend_that_is_absent_has_all_of_the_protocol_too(absent):
    has_all_of_the_protocol(absent)

    assert ("docker", True) == (absent.name, absent.enforced)


def test_a_sandbox_is_there_inside_the_block_and_gone_after_it(house):
    spec = house.spec()
    house.backend.prepare([spec.image])
    with house.backend.open(spec, ignore) as sandbox:
        inside = sandbox.run_clean("echo here", AMPLE).output
        there = len(house.sandboxes())
    left = eventually(house.sandboxes, lambda found: not found)

    assert ("here\n", 1, []) == (inside, there, left)
    with pytest.raises(SandboxFault):
        sandbox.get_file("/etc/passwd", 10)


def test_sandboxes_side_by_side_have_nothing_of_each_other(house):
    with (
        house.backend.open(house.spec(), ignore) as one,
        house.backend.open(house.spec(), ignore) as other,
    ):
        one.bash("echo x >file; cp file $HOME; export X=1; sleep 300 &", AMPLE)
        seen = other.bash('ls -A; ls "$HOME"/file 2>&-; echo "${X-none}"', AMPLE).output
        other.restart()
        alive = [process.command for process in one.foreign_processes()]

    assert ("none\n", ["sleep 300"]) == (seen, alive)


def test_what_is_raised_inside_the_block_comes_out_as_it_is(house):
    with pytest.raises(ZeroDivisionError), house.backend.open(house.spec(), ignore):
        _ = 1 / 0


def test_each_attempt_hears_of_its_own_egress_from_another_thread_on_our_clock(engine, backend):
    def attempt(host):
        heard = []
        began = time.time()
        with backend.open(
            lanes.spec(engine, EgressPolicy()),
            lambda event: heard.append((event, threading.current_thread())),
        ) as sandbox:
            sandbox.begin_scope(1)
            lanes.python(sandbox, LOOK_UP.format(host))
            sandbox.drain_egress()
            return heard, began, time.time()

    for host in ("one.example.com", "two.example.com"):
        heard, began, ended = attempt(host)

        assert {(host, 1)} == {(event.host, event.scope) for event, _ in heard}
        assert threading.current_thread() not in {thread for _, thread in heard}
        assert all(began - 0.5 <= event.ts <= ended + 0.5 for event, _ in heard)


def test_an_image_that_is_not_there_is_a_fault_of_the_attempt_that_needs_it(engine, backend):
    missing = "quickstarted/never-made:1"

    backend.prepare([missing])
    with (
        pytest.raises(ImageFault, match=missing),
        backend.open(lanes.spec(engine, image=missing), ignore),
    ):
        pass


def test_closing_leaves_nothing_and_can_be_repeated(house):
    with house.backend.open(house.spec(), ignore):
        made = house.made()
    house.backend.close()
    house.backend.close()

    assert MADE[house.backend.name] == len(made)
    assert [] == house.made()


def test_without_an_engine_each_attempt_has_the_fault_in_its_own_block(engine, absent):
    spec = lanes.spec(engine)
    absent.prepare([spec.image])

    for _ in range(2):
        opening = absent.open(spec, ignore)
        with pytest.raises(EngineFault, match="no container engine answers") as caught:
            opening.__enter__()
        assert caught.value.hint


def test_without_an_engine_closing_fails_in_no_other_way(absent):
    with suppress(EngineFault):
        absent.close()
    absent.close()

    assert "docker" == absent.name


@pytest.mark.parametrize("address", ["file", "port"])
def test_behind_the_relay_the_engine_is_the_same_until_it_dies(engine, tmp_path, address):
    path = tmp_path / "engine.sock" if address == "file" else None
    with EngineRelay(path) as relay:
        with relayed(relay) as through:
            version = through.version
        relay.die()
        # Not by the SDK, which leaves the socket of a failed connection open.
        family = socket.AF_UNIX if path else socket.AF_INET
        place = str(path) if path else ("127.0.0.1", int(relay.docker_host.rpartition(":")[2]))
        with socket.socket(family) as client, pytest.raises(OSError, match=r"No such|refused"):
            client.connect(place)

    assert engine.version == version


def test_an_engine_that_dies_is_a_fault_of_whatever_is_asked_and_the_rest_can_be_removed(
    engine, tmp_path
):
    run_id = lanes.new_run_id()
    with EngineRelay() as relay, relayed(relay) as through:
        backend = DockerBackend(through, BackendOptions(run_id=run_id))
        with suppress(EngineFault), backend.open(lanes.spec(engine), ignore) as sandbox:
            threading.Timer(0.3, relay.die).start()
            with pytest.raises((EngineFault, SidecarFault)):
                sandbox.bash("sleep 60", Limits(timeout_s=50))
            asked = {
                "run_clean": lambda: sandbox.run_clean("true", AMPLE),
                "reset_shell": sandbox.reset_shell,
                "foreign_processes": sandbox.foreign_processes,
                "restart": sandbox.restart,
                "put_file": lambda: sandbox.put_file("/tmp/x", b""),
                "empty_file": lambda: sandbox.empty_file("/tmp/x"),
                "put_tree": lambda: sandbox.put_tree(tmp_path, "/tmp"),
                "get_file": lambda: sandbox.get_file("/etc/passwd", 10),
                "save": lambda: sandbox.save(60),
                "drain_egress": sandbox.drain_egress,
            }
            faults = {}
            for name, call in asked.items():
                with pytest.raises((EngineFault, SidecarFault, SandboxFault)) as caught:
                    call()
                faults[name] = caught.type
        with pytest.raises(EngineFault):
            backend.close()
    left = lanes.labelled(engine, run_id)
    with lanes.connected() as again:
        DockerBackend(again, BackendOptions(run_id=run_id)).close()

    assert left
    assert [] == lanes.labelled(engine, run_id)
    assert {"put_file", "put_tree", "get_file", "foreign_processes"} <= {
        name for name, fault in faults.items() if fault is EngineFault
    }
