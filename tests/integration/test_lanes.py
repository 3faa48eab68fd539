"""Lanes against a real engine: who reaches whom, and what stays when something dies."""

import json
import socket
import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from docker.types import IPAMConfig, IPAMPool

from fakes import lanes
from fakes.program import wait_until
from quickstarted.errors import EngineFault, ImageFault, SidecarFault
from quickstarted.sandbox.gc import sweep
from quickstarted.sandbox.labels import OWNER, RUN, this_process
from quickstarted.sandbox.lanes.networks import DEFAULT_RANGE, NetworkCarver
from quickstarted.sandbox.removal import remove_network
from quickstarted_proxy.policy import EgressPolicy, HostRule

pytestmark = pytest.mark.docker

CONNECT_ALL = """
import json, os, socket
from concurrent.futures import ThreadPoolExecutor
def reached(target):
    try:
        with socket.create_connection(target, timeout=6):
            return True
    except OSError:
        return False
targets = [tuple(pair) for pair in json.loads(os.environ["TARGETS"])]
with ThreadPoolExecutor(32) as pool:
    print(json.dumps([list(t) for t, ok in zip(targets, pool.map(reached, targets)) if ok]))
"""
LISTEN = """
import socket, threading
server = socket.create_server(("0.0.0.0", 8000))
while True:
    server.accept()[0].close()
"""
ASK_DNS = """
import json, os, socket
def asked(server, name):
    labels = b"".join(bytes([len(part)]) + part.encode() for part in name.split("."))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
        client.settimeout(5)
        try:
            head = b"\\0\\1\\1\\0\\0\\1\\0\\0\\0\\0\\0\\0"
            client.sendto(head + labels + b"\\0\\0\\1\\0\\1", (server, 53))
            answer = client.recv(512)
        except OSError:
            return "silence"
    code, count = answer[3] & 15, answer[7]
    return socket.inet_ntoa(answer[-4:]) if count else f"rcode {code}"
print(json.dumps([asked(server, name) for server, name in json.loads(os.environ["QUESTIONS"])]))
"""
LOOK_UP = """
import socket
for number in range(4):
    try:
        print(socket.gethostbyname(f"host{number}.example.com"))
    except OSError:
        print("-")
"""


@pytest.fixture(scope="module")
def engine():
    with lanes.connected() as connected:
        yield connected


@pytest.fixture(scope="module")
def backend(engine):
    with lanes.docker_backend(engine) as made:
        yield made


def ignore(event):
    del event


def connections(sandbox, targets):
    done = sandbox.run_clean(
        'exec python3 -c "$PROGRAM"',
        lanes.QUICK,
        env={"PROGRAM": CONNECT_ALL, "TARGETS": json.dumps(targets)},
    )
    return [tuple(pair) for pair in json.loads(done.output)]


def lane_of(sandbox):
    """The lane's subnet, the sidecar's address and the sandbox's own, as the sandbox sees them."""
    spec = sandbox._spec
    return spec.dns_ip, spec.ipv4


def host_addresses():
    found = {info[4][0] for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)}
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("192.0.2.1", 9))
        found.add(probe.getsockname()[0])
    return found - {"127.0.0.1"}


def gateways(engine):
    """The address of the host on each of the engine's networks."""
    configs = [
        config
        for network in engine.api.networks()
        for config in (network["IPAM"]["Config"] or [])
        if ":" not in config["Subnet"]
    ]
    named = {config["Gateway"] for config in configs if config.get("Gateway")}
    return named | {config["Subnet"].rsplit(".", 1)[0] + ".1" for config in configs}


def test_nothing_of_the_host_is_reachable_and_the_sidecar_is(engine, backend):
    with (
        socket.create_server(("0.0.0.0", 0)) as listener,
        backend.open(lanes.spec(engine), ignore) as sandbox,
    ):
        port = listener.getsockname()[1]
        sidecar_ip, own_ip = lane_of(sandbox)
        prefix = sidecar_ip.rsplit(".", 1)[0]
        last = int(sidecar_ip.rsplit(".", 1)[1])
        neighbours = {f"{prefix}.{last + step}" for step in range(-2, 6)} - {own_ip}
        everywhere = host_addresses() | gateways(engine) | neighbours | {"host.docker.internal"}
        host = [(address, port) for address in sorted(everywhere)]

        reached = connections(sandbox, [*host, (sidecar_ip, 8080), (sidecar_ip, 443)])

    assert reached == [(sidecar_ip, 8080), (sidecar_ip, 443)]


def test_names_are_answered_by_the_sidecar_and_by_nobody_else(engine, backend):
    policy = EgressPolicy(allow=(HostRule(host="pypi.org"),), docs_hosts=("docs.example.com",))
    with backend.open(lanes.spec(engine, policy), ignore) as sandbox:
        sidecar_ip, _ = lane_of(sandbox)
        questions = [
            (sidecar_ip, "pypi.org"),
            (sidecar_ip, "docs.example.com"),
            (sidecar_ip, "secret.attacker.example"),
            ("127.0.0.11", "secret.attacker.example"),
            ("8.8.8.8", "pypi.org"),
        ]
        done = sandbox.run_clean(
            'exec python3 -c "$PROGRAM"',
            lanes.QUICK,
            env={"PROGRAM": ASK_DNS, "QUESTIONS": json.dumps(questions)},
        )
        configured = sandbox.run_clean("grep nameserver /etc/resolv.conf", lanes.QUICK).output

    assert configured.split() == ["nameserver", sidecar_ip]
    allowed, docs, unknown, embedded, outside = json.loads(done.output)
    assert (allowed, docs, unknown) == (sidecar_ip, sidecar_ip, "rcode 3")
    assert embedded in {"silence", "rcode 2", "rcode 3", "rcode 5"}
    assert outside == "silence"


def test_two_lanes_do_not_reach_each_other(engine, backend):
    with (
        backend.open(lanes.spec(engine), ignore) as one,
        backend.open(lanes.spec(engine), ignore) as other,
    ):
        one.start_service("listener", f"python3 -c '{LISTEN}'")
        sidecar_ip, own_ip = lane_of(one)
        own = connections(one, [("127.0.0.1", 8000)] * 1)
        for _ in range(100):
            if own:
                break
            time.sleep(0.05)
            own = connections(one, [("127.0.0.1", 8000)])

        reached = connections(other, [(own_ip, 8000), (sidecar_ip, 8080), (sidecar_ip, 53)])

    assert own == [("127.0.0.1", 8000)]
    assert reached == []


def test_addresses_are_those_that_were_planned(engine, backend):
    program = "import socket;s=socket.create_connection(({!r},8080));print(s.getsockname()[0])"
    with backend.open(lanes.spec(engine), ignore) as sandbox:
        sidecar_ip, own_ip = lane_of(sandbox)

        assert lanes.python(sandbox, program.format(sidecar_ip)) == own_ip

        sandbox.restart()

        assert lanes.python(sandbox, program.format(sidecar_ip)) == own_ip


def test_more_lanes_fit_than_the_engines_own_pools_hold(engine):
    run_id = lanes.new_run_id()
    carver = NetworkCarver(engine, run_id, DEFAULT_RANGE)
    made = []
    try:
        made = [carver.create_lane() for _ in range(35)]

        assert len({network.subnet for network in made}) == 35
    finally:
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(lambda network: remove_network(engine, network.id), made))
    assert lanes.labelled(engine, run_id) == []


def test_attempts_follow_each_other_on_one_lane_with_nothing_of_the_one_before(engine):
    policies = [
        EgressPolicy(allow=(HostRule(host=f"host{number}.example.com"),)) for number in range(4)
    ]
    answers, networks, kinds = [], set(), []
    with lanes.docker_backend(engine) as backend:
        for number, policy in enumerate(policies):
            events = []
            with backend.open(lanes.spec(engine, policy), events.append) as sandbox:
                sandbox.begin_scope(number + 1)
                answers.append(lanes.python(sandbox, LOOK_UP).split())
                sandbox.drain_egress()
                kinds.append(sandbox.facts["lane"])
                networks.add(sandbox._spec.network_id)
                sidecar_ip, _ = lane_of(sandbox)
            assert {event.scope for event in events} == {number + 1}
            assert len(events) == 3

    assert kinds == ["cold", "warm", "warm", "warm"]
    assert len(networks) == 1
    assert answers == [
        [sidecar_ip if asked == own else "-" for asked in range(4)] for own in range(4)
    ]


def test_six_attempts_at_once_have_six_lanes(engine):
    barrier = threading.Barrier(6)

    def attempt(backend, number):
        with backend.open(lanes.spec(engine), ignore) as sandbox:
            barrier.wait(120)
            output = sandbox.run_clean(f"echo {number}", lanes.QUICK).output
            return output.strip(), sandbox._spec.network_id

    with lanes.docker_backend(engine) as backend, ThreadPoolExecutor(6) as pool:
        results = list(pool.map(lambda number: attempt(backend, number), range(6)))

    assert [output for output, _ in results] == ["0", "1", "2", "3", "4", "5"]
    assert len({network for _, network in results}) == 6


def test_lanes_that_nobody_will_take_go_while_others_work(engine):
    with lanes.docker_backend(engine) as backend:
        with (
            backend.open(lanes.spec(engine), ignore),
            backend.open(lanes.spec(engine), ignore),
        ):
            pass
        assert 2 == len(lanes.labelled(engine, backend.run_id, "sidecar"))
        backend.expect(1)
        wait_until(lambda: 1 == len(lanes.labelled(engine, backend.run_id, "sidecar")), "one lane")
        with backend.open(lanes.spec(engine), ignore) as sandbox:
            kind = sandbox.facts["lane"]
            backend.expect(0)
        wait_until(lambda: not lanes.labelled(engine, backend.run_id), "no lane")
        with backend.open(lanes.spec(engine), ignore) as sandbox:
            again = sandbox.facts["lane"]

    assert ("warm", "cold") == (kind, again)


def test_a_killed_sidecar_ends_the_command_and_the_attempt_and_its_lane_is_not_used_again(engine):
    def killed(backend):
        with backend.open(lanes.spec(engine), ignore) as sandbox:
            [sidecar] = lanes.labelled(engine, backend.run_id, "sidecar")
            threading.Timer(0.5, engine.api.kill, (sidecar, "SIGKILL")).start()
            sandbox.run_clean("sleep 50", lanes.QUICK)

    with lanes.docker_backend(engine) as backend:
        with pytest.raises(SidecarFault, match="ended unexpectedly"):
            killed(backend)
        with backend.open(lanes.spec(engine), ignore) as sandbox:
            assert sandbox.facts["lane"] == "cold"


def test_the_next_start_removes_what_a_dead_run_left_and_preparing_itself_leaves_nothing(engine):
    with subprocess.Popen([sys.executable, "-c", ""]) as ended:
        ended.wait()
    run_id = lanes.new_run_id()
    dead = {RUN: run_id, OWNER: f"{this_process().host}/{ended.pid}/1"}
    pool = IPAMPool(subnet="10.213.190.0/29")
    ipam = IPAMConfig(pool_configs=[pool])
    engine.api.create_network(f"quickstarted-{run_id}", ipam=ipam, labels=dead)

    with lanes.docker_backend(engine) as backend:
        backend.prepare([lanes.test_image(engine)])

    assert lanes.labelled(engine, run_id) == []


def test_an_image_without_the_user_leaves_nothing(engine, backend):
    with (
        pytest.raises(ImageFault, match="no user 'nobody-here'"),
        backend.open(lanes.spec(engine, user="nobody-here"), ignore),
    ):
        pass


def test_a_sidecar_that_refuses_to_start_says_why_and_leaves_nothing(engine, backend):
    unusable = EgressPolicy(docs_hosts=("Not A Host",))

    with (
        pytest.raises(SidecarFault, match="not a normalised host name: 'Not A Host'"),
        backend.open(lanes.spec(engine, unusable), ignore),
    ):
        pass


def test_a_missing_sidecar_image_says_how_to_get_one_and_leaves_nothing(engine):
    with (
        lanes.docker_backend(engine, sidecar_image="quickstarted/none:never") as backend,
        pytest.raises(EngineFault, match="quickstarted/none:never") as caught,
        backend.open(lanes.spec(engine), ignore),
    ):
        pass

    assert "quickstarted images build" in caught.value.hint


def test_an_interrupt_of_the_attempt_leaves_nothing(engine):
    def interrupted(backend):
        with backend.open(lanes.spec(engine), ignore):
            raise KeyboardInterrupt

    with lanes.docker_backend(engine) as backend, pytest.raises(KeyboardInterrupt):
        interrupted(backend)


HARNESS = """
    import os, sys, time
    from quickstarted.sandbox import engine
    from quickstarted.sandbox.backend import BackendOptions, DockerBackend
    from fakes import lanes
    connected = engine.connect()
    backend = DockerBackend(connected, BackendOptions(run_id=sys.argv[1]))
    with backend.open(lanes.spec(connected), print):
        print("open", flush=True)
        time.sleep(600)
"""


def test_sigkill_of_the_harness_ends_the_sidecar_and_the_next_sweep_removes_the_rest(engine):
    run_id = lanes.new_run_id()
    command = [sys.executable, "-c", textwrap.dedent(HARNESS), run_id]
    path = {"PYTHONPATH": ":".join(sys.path)}
    with subprocess.Popen(command, env=path, stdout=subprocess.PIPE, text=True) as harness:
        assert harness.stdout.readline() == "open\n"
        harness.kill()

    for _ in range(200):
        if not lanes.labelled(engine, run_id, "sidecar"):
            break
        time.sleep(0.1)

    assert lanes.labelled(engine, run_id, "sidecar") == []
    assert len(lanes.labelled(engine, run_id)) == 3

    sweep(engine, now=time.time())

    assert lanes.labelled(engine, run_id) == []
