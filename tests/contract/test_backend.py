"""
What `protocol.Backend` promises: by one whose engine answers, and by those whose engine does not.

The engine that dies is the real one behind a relay; the backend that is not there is the
program's own.
"""

from __future__ import annotations

import inspect
import socket
import threading
import time
from contextlib import contextmanager, suppress

import docker
import pytest

from fakes import lanes
from fakes.engine_relay import EngineRelay
from quickstarted.errors import EngineFault, ImageFault, SandboxFault, SidecarFault
from quickstarted.sandbox.backend import BackendOptions, DockerBackend
from quickstarted.sandbox.engine import Engine
from quickstarted.sandbox.protocol import Backend, Limits
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


def test_every_backend_has_all_of_the_protocol(backend, absent):
    for one in (backend, absent):
        assert ("docker", True) == (one.name, one.enforced)
        for name in ("open", "prepare", "close"):
            asked = list(inspect.signature(getattr(Backend, name)).parameters)[1:]
            given = list(inspect.signature(getattr(one, name)).parameters)
            assert len(asked) == len(given), name


def test_a_sandbox_is_there_inside_the_block_and_gone_after_it(engine, backend):
    backend.prepare([lanes.test_image(engine)])
    with backend.open(lanes.spec(engine), ignore) as sandbox:
        inside = sandbox.run_clean("echo here", AMPLE).output
    deadline = time.monotonic() + 20
    while lanes.labelled(engine, backend.run_id, "sandbox") and time.monotonic() < deadline:
        time.sleep(0.05)

    assert "here\n" == inside
    assert [] == lanes.labelled(engine, backend.run_id, "sandbox")
    with pytest.raises(SandboxFault):
        sandbox.get_file("/etc/passwd", 10)


def test_what_is_raised_inside_the_block_comes_out_as_it_is(engine, backend):
    with pytest.raises(ZeroDivisionError), backend.open(lanes.spec(engine), ignore):
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


def test_closing_leaves_nothing_and_can_be_repeated(engine):
    run_id = lanes.new_run_id()
    with lanes.connected() as own:
        backend = DockerBackend(own, BackendOptions(run_id=run_id))
        with backend.open(lanes.spec(engine), ignore):
            made = lanes.labelled(engine, run_id)
        backend.close()
        backend.close()

    assert 4 == len(made), "sandbox, sidecar and their networks"
    assert [] == lanes.labelled(engine, run_id)


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
