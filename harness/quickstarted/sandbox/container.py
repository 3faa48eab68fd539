"""
The container of a sandbox: made from its spec, started, prepared, used, removed.

`DockerSandbox` keeps the promise of `protocol.Sandbox`; each of its concerns has a file of its own
and this one only puts them together.
"""

from __future__ import annotations

from typing import Any

import docker.errors

from quickstarted.sandbox.container_spec import ContainerSpec, EgressControl
from quickstarted.sandbox.engine import Engine, engine_calls
from quickstarted.sandbox.hardening import STORAGE_REFUSAL, host_config
from quickstarted.sandbox.supervisor import KEEP_ALIVE

__all__ = ["ContainerSpec", "EgressControl", "create_container"]


def create_container(engine: Engine, spec: ContainerSpec) -> str:
    """
    Create the container of a sandbox, without starting it.

    Returns:
        The container's id.

    Raises:
        EngineFault: The engine refused, or is not there.

    """
    with engine_calls(f"creating a sandbox from {spec.image.requested}"):
        try:
            return _create(engine, spec, storage_limit=spec.resources.disk_bytes is not None)
        except docker.errors.APIError as exc:
            if STORAGE_REFUSAL not in str(exc.explanation):
                raise
            return _create(engine, spec, storage_limit=False)


def _create(engine: Engine, spec: ContainerSpec, *, storage_limit: bool) -> str:
    config = _container_config(spec, storage_limit=storage_limit)
    made = engine.api.create_container_from_config(config, platform=spec.platform)
    container_id: str = made["Id"]
    return container_id


def _container_config(spec: ContainerSpec, *, storage_limit: bool) -> dict[str, Any]:
    config: dict[str, Any] = {
        "AttachStderr": False,
        "AttachStdin": False,
        "AttachStdout": False,
        "Cmd": KEEP_ALIVE[1:],
        "Entrypoint": KEEP_ALIVE[:1],
        "Env": [f"{name}={value}" for name, value in spec.env.items()],
        "Healthcheck": {"Test": ["NONE"]},
        "HostConfig": host_config(spec, storage_limit=storage_limit),
        "Hostname": "sandbox",
        "Image": spec.image.image_id,
        "Labels": dict(spec.labels),
        "OpenStdin": True,
        "StdinOnce": False,
        "Tty": False,
        "User": "0:0",
        "WorkingDir": "/",
    }
    if spec.network_id is not None:
        endpoint: dict[str, Any] = {}
        if spec.ipv4:
            endpoint["IPAMConfig"] = {"IPv4Address": spec.ipv4}
        config["NetworkingConfig"] = {"EndpointsConfig": {spec.network_id: endpoint}}
    return config
