"""
The sidecar's container: how it is created, started and told to begin.

What it needs is written in `proxy/quickstarted_proxy/README.md`; it has no capability, no writable
file system but a small tmpfs and the volume for packages, and no port on the host.
"""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass
from typing import Any

from quickstarted.errors import SidecarFault
from quickstarted.sandbox.engine import Engine, engine_calls
from quickstarted.sandbox.labels import labels
from quickstarted.sandbox.lanes.attached import attach
from quickstarted.sandbox.lanes.networks import LaneNetwork
from quickstarted.sandbox.lanes.packages import PackageVolume
from quickstarted.sandbox.lanes.rules import Rules
from quickstarted.sandbox.lanes.sidecar import Sidecar
from quickstarted.sandbox.lanes.trust import TrustMaterial
from quickstarted.sandbox.lanes.upstream import Upstream
from quickstarted.sandbox.lanes.watch import INTERVAL_S

MEMORY_BYTES = 256 * 1024**2
PIDS = 64

HOST_CONFIG: dict[str, Any] = {
    "AutoRemove": True,
    "CapDrop": ["ALL"],
    "LogConfig": {"Type": "none"},
    "Memory": MEMORY_BYTES,
    "MemorySwap": MEMORY_BYTES,
    "PidsLimit": PIDS,
    "ReadonlyRootfs": True,
    "SecurityOpt": ["no-new-privileges"],
    "Sysctls": {
        # Ports 53, 80 and 443 without being root.
        "net.ipv4.ip_unprivileged_port_start": "0",
        "net.ipv6.conf.all.disable_ipv6": "1",
    },
    # The key of the authority is there, and goes with it.
    "Tmpfs": {"/tmp": "rw,nosuid,nodev,noexec,size=16m,mode=1777"},  # noqa: S108 (in there)
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SidecarSpec:
    """One sidecar."""

    run_id: str
    image: str
    """An id or a name."""
    upstream: Upstream
    packages: PackageVolume | None = None
    """Where it keeps files that never change; None keeps nothing."""
    watch_interval_s: float = INTERVAL_S
    """Between two rounds of the watch over it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunningSidecar:
    """A sidecar's container and this end of it."""

    sidecar: Sidecar
    container_id: str
    spec: SidecarSpec


def create_sidecar(engine: Engine, spec: SidecarSpec, egress_id: str) -> str:
    """
    Create the container on its network to the outside, and return its id.

    Raises:
        EngineFault: The engine refused, or the image is not there.

    """
    mounts = [spec.packages.mount()] if spec.packages else []
    config = {
        "AttachStderr": True,
        "AttachStdin": True,
        "AttachStdout": True,
        "HostConfig": {**HOST_CONFIG, "Mounts": mounts, "NetworkMode": egress_id},
        "Image": spec.image,
        "Labels": labels(spec.run_id, "sidecar"),
        "NetworkingConfig": {"EndpointsConfig": {egress_id: {}}},
        "OpenStdin": True,
        "StdinOnce": True,
        "Tty": False,
    }
    with engine_calls("creating a sidecar", gone_hint="Run `quickstarted images build`."):
        made = engine.api.create_container_from_config(config)  # type: ignore[no-untyped-call]
        return str(made["Id"])


def start_sidecar(engine: Engine, container_id: str) -> Sidecar:
    """
    Start the container; its process waits for the order to listen.

    Raises:
        EngineFault: The engine refused.

    """
    sidecar = Sidecar(attach(engine, container_id))
    try:
        with engine_calls("starting a sidecar"):
            engine.api.start(container_id)
    except BaseException:
        sidecar.close()
        raise
    return sidecar


def join_lane(engine: Engine, running: RunningSidecar, lane: LaneNetwork) -> None:
    """
    Join a started sidecar to its lane.

    Raises:
        EngineFault: The engine refused.
        SidecarFault: It is gone.

    """
    with engine_calls("joining a sidecar to its lane", gone=SidecarFault):
        engine.api.connect_container_to_network(
            running.container_id, lane.id, ipv4_address=lane.sidecar_ip
        )


def begin_listening(running: RunningSidecar, lane: LaneNetwork, rules: Rules) -> TrustMaterial:
    """
    Tell a sidecar to listen on its lane, and return once it does.

    Raises:
        SidecarFault: It refused, died or did not answer in time.

    """
    upstream = running.spec.upstream
    order: dict[str, Any] = {
        "listen": lane.sidecar_ip,
        **rules.order(),
        "trust_pem": upstream.trust_pem,
        "upstream_proxies": upstream.proxies_json(),
    }
    if running.spec.packages is not None:
        order["package_cache"] = running.spec.packages.order()
    return _material(running.sidecar.start(order))


def _material(ready: dict[str, Any]) -> TrustMaterial:
    try:
        return TrustMaterial(
            ca_pem=_without_key(ready["ca_pem"]),
            roots_pem=_without_key(ready["roots_pem"]),
            truststore=base64.b64decode(ready["truststore_b64"], validate=True),
        )
    except (KeyError, TypeError, binascii.Error) as exc:
        raise SidecarFault(f"the sidecar's `ready` lacks what the sandbox needs: {exc!r}") from exc


def _without_key(pem: str) -> str:
    if "PRIVATE KEY" in pem:
        raise SidecarFault("the sidecar gave away a private key; nothing of it is used")
    return pem
