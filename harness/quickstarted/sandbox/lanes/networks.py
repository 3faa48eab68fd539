"""
Networks carved out of one address range: per lane a closed one, and one to the outside.

Docker's own default pools hold about 31 networks, far fewer than a matrix of attempts needs, so
every subnet is chosen here. Names are not unique in Docker and other processes carve at the same
time: the engine's refusal of an overlap is what decides, and the next subnet is tried.
"""

from __future__ import annotations

import ipaddress
import threading
import uuid
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from ipaddress import IPv4Network

import docker.errors
from docker.types import IPAMConfig, IPAMPool

from quickstarted.errors import EngineFault, UsageError
from quickstarted.sandbox.engine import Engine, engine_calls
from quickstarted.sandbox.labels import labels

RANGE_VARIABLE = "QUICKSTARTED_NETWORK_RANGE"
DEFAULT_RANGE = IPv4Network("10.213.0.0/16")
SMALLEST_RANGE_PREFIX = 26
"""Four lanes."""
BLOCK_PREFIX = 29

_BRIDGE = "com.docker.network.bridge"
_RANGE_HINT = (
    f"Set {RANGE_VARIABLE} to a private IPv4 network of /{SMALLEST_RANGE_PREFIX} or larger that"
    " nothing else here uses, for example 10.214.0.0/16."
)


@dataclass(frozen=True, slots=True)
class Network:
    """A network of the engine."""

    id: str
    subnet: IPv4Network


@dataclass(frozen=True, slots=True)
class LaneNetwork(Network):
    """The closed network of one lane; its first address is nobody's."""

    @property
    def sidecar_ip(self) -> str:
        """Where the sidecar listens."""
        return str(self.subnet.network_address + 2)

    @property
    def sandbox_ips(self) -> tuple[str, ...]:
        """Addresses for sandboxes: a new one starts while the one before it is still going."""
        return tuple(str(self.subnet.network_address + number) for number in range(3, 7))


def configured_range(environ: Mapping[str, str]) -> IPv4Network:
    """
    The range to carve from: `QUICKSTARTED_NETWORK_RANGE`, or 10.213.0.0/16.

    Raises:
        UsageError: The variable does not name a usable network.

    """
    text = environ.get(RANGE_VARIABLE, "").strip()
    if not text:
        return DEFAULT_RANGE
    try:
        network = IPv4Network(text)
    except ValueError as exc:
        raise UsageError(f"{RANGE_VARIABLE}={text}: {exc}", hint=_RANGE_HINT) from exc
    if network.prefixlen > SMALLEST_RANGE_PREFIX:
        raise UsageError(
            f"{RANGE_VARIABLE}={text}: /{network.prefixlen} is too small", hint=_RANGE_HINT
        )
    if network.is_global:
        raise UsageError(f"{RANGE_VARIABLE}={text}: the range is public", hint=_RANGE_HINT)
    return network


def lane_subnets(address_range: IPv4Network) -> Iterator[IPv4Network]:
    """Subnets for lanes: the first half of the range."""
    return _blocks(address_range, half=0)


def egress_subnets(address_range: IPv4Network) -> Iterator[IPv4Network]:
    """Subnets for networks to the outside: the second half of the range."""
    return _blocks(address_range, half=1)


def _blocks(address_range: IPv4Network, *, half: int) -> Iterator[IPv4Network]:
    return list(address_range.subnets())[half].subnets(new_prefix=BLOCK_PREFIX)


def closed_options(engine_major: int) -> dict[str, str]:
    """
    Driver options for a network without a gateway address.

    A plain internal network still gives its bridge an address, and through it every service of
    the host that listens on 0.0.0.0 (moby #47356). Engine 28 has a mode against that
    (moby #49262); older ones can be told to leave the address away.
    """
    options = {f"{_BRIDGE}.enable_icc": "true", f"{_BRIDGE}.enable_ip_masquerade": "false"}
    if engine_major >= 28:
        return options | {f"{_BRIDGE}.gateway_mode_ipv4": "isolated"}
    return options | {f"{_BRIDGE}.inhibit_ipv4": "true"}


class NetworkCarver:
    """Creates and removes the networks of one invocation; safe to use from several threads."""

    def __init__(self, engine: Engine, run_id: str, address_range: IPv4Network) -> None:
        self._engine = engine
        self._run_id = run_id
        self._range = address_range
        self._lock = threading.Lock()
        self._pending: set[IPv4Network] = set()

    def create_lane(self) -> LaneNetwork:
        """
        Create the closed network of a lane.

        Raises:
            EngineFault: The range has no free subnet left, or the engine refuses.

        """
        options = closed_options(self._engine.major)
        made = self._carve(lane_subnets(self._range), "lane", options)
        return LaneNetwork(made.id, made.subnet)

    def create_egress(self) -> Network:
        """
        Create the network on which one sidecar reaches the outside.

        Each has its own: containers that start on one network at the same moment can make the
        engine count an endpoint twice, and such a network cannot be removed any more (moby #42119).

        Raises:
            EngineFault: The range has no free subnet left, or the engine refuses.

        """
        options = {f"{_BRIDGE}.enable_icc": "false"}
        return self._carve(egress_subnets(self._range), "egress", options)

    def _carve(
        self, candidates: Iterable[IPv4Network], role: str, options: dict[str, str]
    ) -> Network:
        taken = subnets_in_use(self._engine)
        for subnet in candidates:
            if any(subnet.overlaps(other) for other in taken) or not self._claim(subnet):
                continue
            try:
                network_id = self._create(subnet, role, options)
            finally:
                self._release(subnet)
            if network_id is not None:
                return Network(network_id, subnet)
        raise EngineFault(
            f"no free subnet for a {role} network is left in {self._range}",
            hint="Remove what dead runs left with `quickstarted gc`, run fewer attempts at once,"
            f" or choose another range. {_RANGE_HINT}",
        )

    def _claim(self, subnet: IPv4Network) -> bool:
        with self._lock:
            if subnet in self._pending:
                return False
            self._pending.add(subnet)
            return True

    def _release(self, subnet: IPv4Network) -> None:
        with self._lock:
            self._pending.discard(subnet)

    def _create(self, subnet: IPv4Network, role: str, options: dict[str, str]) -> str | None:
        """Create it and return its id; None where another network has the addresses already."""
        with engine_calls(f"creating a {role} network on {subnet}"):
            try:
                answer = self._engine.api.create_network(
                    f"quickstarted-{role}-{uuid.uuid4().hex}",
                    driver="bridge",
                    options={**options, "com.docker.network.enable_ipv6": "false"},
                    ipam=IPAMConfig(pool_configs=[IPAMPool(subnet=str(subnet))]),
                    internal=role == "lane",
                    labels=labels(self._run_id, role),
                )
            except docker.errors.APIError as exc:
                if "overlap" in (exc.explanation or str(exc)).lower():
                    return None
                raise
        return str(answer["Id"])


def subnets_in_use(engine: Engine) -> list[IPv4Network]:
    """IPv4 subnets of all networks of the engine, whoever made them."""
    with engine_calls("listing networks"):
        networks = engine.api.networks()
    found = []
    for network in networks:
        for config in (network.get("IPAM") or {}).get("Config") or []:
            try:
                subnet = ipaddress.ip_network(config.get("Subnet", ""), strict=False)
            except ValueError:
                continue
            if isinstance(subnet, IPv4Network):
                found.append(subnet)
    return found
