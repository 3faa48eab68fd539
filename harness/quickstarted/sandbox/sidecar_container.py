"""
The sidecar's container: how it is created, started and told to begin.

What it needs is written in `proxy/quickstarted_proxy/README.md`; it has no capability, no writable
file system but a small tmpfs, and no port on the host.
"""

from __future__ import annotations

import base64
import binascii
import contextlib
from dataclasses import dataclass
from typing import Any

import docker.errors

from quickstarted.errors import SidecarFault
from quickstarted.sandbox.attached import attach
from quickstarted.sandbox.engine import Engine, engine_calls
from quickstarted.sandbox.labels import labels
from quickstarted.sandbox.networks import LaneNetwork
from quickstarted.sandbox.sidecar import Sidecar
from quickstarted.sandbox.trust import TrustMaterial
from quickstarted.sandbox.upstream import Upstream
from quickstarted_proxy.policy import EgressPolicy

MEMORY_BYTES = 256 * 1024**2
PIDS = 64
CONFLICT = 409

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
    egress_network_id: str
    upstream: Upstream


@dataclass(frozen=True, slots=True, kw_only=True)
class RunningSidecar:
    """A sidecar that listens."""

    sidecar: Sidecar
    container_id: str
    material: TrustMaterial
    mitmproxy: str


def create_sidecar(engine: Engine, spec: SidecarSpec) -> str:
    """
    Create the container on the egress network, and return its id.

    Raises:
        EngineFault: The engine refused, or the image is not there.

    """
    config = {
        "AttachStderr": True,
        "AttachStdin": True,
        "AttachStdout": True,
        "HostConfig": {**HOST_CONFIG, "NetworkMode": spec.egress_network_id},
        "Image": spec.image,
        "Labels": labels(spec.run_id, "sidecar"),
        "NetworkingConfig": {"EndpointsConfig": {spec.egress_network_id: {}}},
        "OpenStdin": True,
        "StdinOnce": True,
        "Tty": False,
    }
    with engine_calls("creating a sidecar", gone_hint="Run `quickstarted images build`."):
        made = engine.api.create_container_from_config(config)  # type: ignore[no-untyped-call]
        return str(made["Id"])


def start_sidecar(
    engine: Engine, container_id: str, lane: LaneNetwork, spec: SidecarSpec, policy: EgressPolicy
) -> RunningSidecar:
    """
    Join the container to its lane, start it, and return once it listens there.

    Raises:
        EngineFault: The engine refused.
        SidecarFault: It refused, died or did not answer in time.

    """
    streams = attach(engine, container_id)
    sidecar = Sidecar(streams)
    try:
        with engine_calls("starting a sidecar"):
            engine.api.connect_container_to_network(
                container_id, lane.id, ipv4_address=lane.sidecar_ip
            )
            engine.api.start(container_id)
        ready = sidecar.start(
            {
                "listen": lane.sidecar_ip,
                "policy": policy.to_json(),
                "trust_pem": spec.upstream.trust_pem,
                "upstream_proxies": spec.upstream.proxies_json(),
            }
        )
        material = _material(ready)
    except BaseException:
        sidecar.close()
        raise
    return RunningSidecar(
        sidecar=sidecar,
        container_id=container_id,
        material=material,
        mitmproxy=str(ready.get("mitmproxy", "")),
    )


def remove_container(engine: Engine, container_id: str) -> None:
    """
    Remove a container, running or not, with its volumes, and return when it is gone.

    Raises:
        EngineFault: The engine does not answer.

    """
    with engine_calls("removing a container"), contextlib.suppress(docker.errors.NotFound):
        try:
            engine.api.remove_container(container_id, v=True, force=True)
        except docker.errors.APIError as exc:
            if exc.status_code != CONFLICT:
                raise
            # The engine removes it already, because it ended (AutoRemove).
            engine.api.wait(container_id, condition="removed")


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
