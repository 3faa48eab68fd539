"""
Origin servers in a container of ours, on networks of their own to which the sidecar is joined.

The sidecar keeps the networks of production and gets further ones: closed, without a gateway, on
which the engine's resolver knows the origins' names. So nothing of the suite needs the internet,
nothing of it can reach the internet, and the engine's host has no route to it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from ipaddress import IPv4Network
from typing import Any

from addon import run as addon
from quickstarted.sandbox.engine import Engine
from quickstarted.sandbox.images import build
from quickstarted.sandbox.images.resolve import sidecar_image
from quickstarted.sandbox.labels import labels
from quickstarted.sandbox.lanes.attached import STDOUT, AttachedStreams, attach
from quickstarted.sandbox.lanes.networks import LaneNetwork, NetworkCarver
from quickstarted.sandbox.removal import remove_container, remove_network

PUBLIC = IPv4Network("198.18.0.0/16")
"""For benchmarks (RFC 2544): no list of private ranges has it, and nobody is reached by it."""
PRIVATE = IPv4Network("10.215.0.0/16")
LINK_LOCAL = IPv4Network("169.254.0.0/16")

PUBLIC_NAMES = (
    "ok.test",
    "other.test",
    "sub.ok.test",
    "a.wild.test",
    "wild.test",
    "xn--bcher-kva.test",
    "docs.test",
    "named.docs.test",
    "expired.test",
    "selfsigned.test",
    "wrongname.test",
    "closed.test",
    "raw.test",
    "registry.test",
    "ws.test",
    "unlisted.test",
)
PRIVATE_NAMES = ("private.test", "opened.test")
LINK_LOCAL_NAMES = ("metadata.test",)


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What reached an origin."""

    requests: tuple[str, ...]
    connections: tuple[int, ...]
    datagrams: tuple[int, ...]


class Origins:
    """The servers, and a line to ask them what they saw."""

    def __init__(
        self, container_id: str, streams: AttachedStreams, networks: dict[str, LaneNetwork]
    ) -> None:
        self.container_id = container_id
        self.networks = networks
        """By role: public, private, link-local."""
        self._streams = streams
        self._lines = _lines(streams)
        self.ca_pem = str(next(self._lines)["ca_pem"])

    @property
    def address(self) -> str:
        """Where the public ones listen."""
        return self.networks["public"].sandbox_ips[0]

    def take(self) -> Seen:
        """All that was seen since the last time."""
        self._streams.write(b"\n")
        report = next(self._lines)
        return Seen(**{name: tuple(report[name]) for name in Seen.__slots__})

    def join(self, engine: Engine, sidecar_id: str) -> None:
        """Let a sidecar reach the origins; each network has room for four."""
        for network in self.networks.values():
            engine.api.connect_container_to_network(sidecar_id, network.id)


def _lines(streams: AttachedStreams) -> Iterator[dict[str, Any]]:
    rest = b""
    said = b""
    for stream, data in streams.frames():
        if stream != STDOUT:
            said += data
            continue
        *lines, rest = (rest + data).split(b"\n")
        for line in lines:
            yield json.loads(line)
    raise AssertionError(f"the origins have ended: {said.decode()}")


@contextmanager
def origins(engine: Engine, run_id: str) -> Iterator[Origins]:
    """Start the servers; container and networks are removed at the end."""
    image = build.ensure(engine, addon.recipe(sidecar_image(engine, None)))
    networks: dict[str, LaneNetwork] = {}
    container_id = None
    try:
        for role, subnet in (("public", PUBLIC), ("private", PRIVATE), ("link-local", LINK_LOCAL)):
            networks[role] = NetworkCarver(engine, run_id, subnet).create_lane()
        container_id = _create(engine, run_id, image, networks)
        streams = attach(engine, container_id)
        engine.api.start(container_id)
        yield Origins(container_id, streams, networks)
        streams.close()
    finally:
        if container_id is not None:
            remove_container(engine, container_id)
        for network in networks.values():
            remove_network(engine, network.id)


def _create(engine: Engine, run_id: str, image: str, networks: dict[str, LaneNetwork]) -> str:
    api: Any = engine.api
    names = {"public": PUBLIC_NAMES, "private": PRIVATE_NAMES, "link-local": LINK_LOCAL_NAMES}
    public = networks["public"]
    endpoint = {
        "IPAMConfig": {"IPv4Address": public.sandbox_ips[0]},
        "Aliases": list(names["public"]),
    }
    made = api.create_container_from_config(
        {
            "AttachStderr": True,
            "AttachStdin": True,
            "AttachStdout": True,
            "Entrypoint": ["/opt/sidecar/bin/python", "/tests/origin_service.py"],
            "Cmd": [],
            "HostConfig": {
                "CapDrop": ["ALL"],
                "CapAdd": ["NET_BIND_SERVICE"],
                "LogConfig": {"Type": "none"},
                "NetworkMode": public.id,
            },
            "Image": image,
            "Labels": labels(run_id, "origins"),
            "NetworkingConfig": {"EndpointsConfig": {public.id: endpoint}},
            "OpenStdin": True,
            "StdinOnce": True,
        }
    )
    for role in ("private", "link-local"):
        network = networks[role]
        api.connect_container_to_network(
            made["Id"],
            network.id,
            ipv4_address=network.sandbox_ips[0],
            aliases=list(names[role]),
        )
    return str(made["Id"])
