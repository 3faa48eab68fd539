"""
The test of the test: the same attempts on a network that is internal and nothing else.

Where the bridge has an address, the engine answers names and capabilities are Docker's own, some of
them get through. That these are found shows that the suite can find them.
"""

import json
from contextlib import contextmanager

import pytest

from egress.attempts import TABLES
from egress.world import INSIDE
from fakes import lanes
from quickstarted.sandbox.labels import labels
from quickstarted.sandbox.lanes.image_files import FileToPut, pack
from quickstarted.sandbox.removal import remove_container, remove_network

pytestmark = pytest.mark.docker

FILES = sorted(INSIDE.glob("*.py"))
NOWHERE = "http://127.0.0.2:8080"
"""In place of the sidecar there is nobody."""
ROWS = {
    f"{table.title}: {row.name}": row
    for table in TABLES
    if table.image == "python"
    for row in table.rows
}
LOST = {
    "Around the proxy: a service of the host, by the network's first address",
    "Around the proxy: a service of the host, by UDP",
    "Around the proxy: the host, by ping",
    "Around the proxy: an origin, by its address",
    "Around the proxy: QUIC",
    "Around the proxy: another container, by the engine's resolver",
    "With root in the sandbox: a raw socket",
    "With root in the sandbox: a packet socket (forged ARP)",
    "With root in the sandbox: a capability on a file",
    "With root in the sandbox: a device file",
}
DEPENDS_ON_THE_MACHINE = {
    "Around the proxy: a service of the host, by all its other addresses",
    "Around the proxy: the engine, SSH and databases of the host",
}
"""On whether its engine gives an internal network a route to the host, and on what it runs."""


def got_through(saw):
    """Whether an attempt came to anything outside, or to a right that it should not have."""
    return saw.startswith(("reached", "200", "101"))


@contextmanager
def plain_network(engine, run_id):
    made = engine.api.create_network(
        f"quickstarted-plain-{run_id}", internal=True, labels=labels(run_id, "plain")
    )
    try:
        yield engine.api.inspect_network(made["Id"])
    finally:
        remove_network(engine, made["Id"])


@contextmanager
def plain_container(engine, run_id, network_id, env):
    api = engine.api
    made = api.create_container(
        lanes.test_image(engine),
        ["sleep", "600"],
        entrypoint=[],
        environment=env,
        host_config=api.create_host_config(network_mode=network_id, init=True),
        labels=labels(run_id, "plain"),
        user="0",
    )
    try:
        files = [FileToPut(path=f"/inside/{one.name}", content=one.read_bytes()) for one in FILES]
        api.put_archive(made["Id"], "/", pack(files))
        api.start(made["Id"])
        yield made["Id"]
    finally:
        remove_container(engine, made["Id"])


def all_attempts(engine, container_id):
    """What each row saw, all of them made side by side."""
    attempts = [["sh", "-c", row.do] if row.shell else row.do for row in ROWS.values()]
    made = engine.api.exec_create(
        container_id,
        ["python3", "/inside/client.py"],
        environment={"ATTEMPT": json.dumps(attempts)},
    )
    output = engine.api.exec_start(made["Id"])
    return dict(zip(ROWS, json.loads(output), strict=True))


def test_on_a_plain_internal_network_exactly_these_attempts_get_through(engine, origins, facts):
    run_id = lanes.new_run_id()
    with plain_network(engine, run_id) as network:
        engine.api.connect_container_to_network(origins.container_id, network["Id"])
        found = engine.api.inspect_container(origins.container_id)["NetworkSettings"]["Networks"]
        (origin,) = [one for one in found.values() if one["NetworkID"] == network["Id"]]
        env = facts | {
            "ATTEMPT_GATEWAY": network["IPAM"]["Config"][0]["Gateway"],
            "ATTEMPT_NEIGHBOUR": origins.container_id[:12],
            "ATTEMPT_ORIGIN": origin["IPAddress"],
            "INSIDE": "/inside",
            "http_proxy": NOWHERE,
            "https_proxy": NOWHERE,
        }
        try:
            with plain_container(engine, run_id, network["Id"], env) as container_id:
                saw = all_attempts(engine, container_id)
        finally:
            engine.api.disconnect_container_from_network(origins.container_id, network["Id"])
            origins.take()

    through = {name for name, text in saw.items() if got_through(text)}
    assert LOST == through - DEPENDS_ON_THE_MACHINE


def test_none_of_them_gets_through_where_our_measures_are():
    assert [] == [name for name in LOST if got_through(ROWS[name].saw)]
