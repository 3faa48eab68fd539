"""
How little a sandbox's container may do, and which of its limits the engine enforces.

The capabilities are the ones without which `apt-get install` and `pip install` fail; everything
else of DESIGN section 4, "Hardening", is here as one HostConfig.
"""

from __future__ import annotations

import platform
from pathlib import Path
from typing import Any

from quickstarted.errors import SandboxFault
from quickstarted.sandbox.container.spec import ContainerSpec
from quickstarted.sandbox.engine import Engine, engine_calls
from quickstarted.sandbox.protocol import Resources

CAPABILITIES = (
    "AUDIT_WRITE",
    "CHOWN",
    "DAC_OVERRIDE",
    "FOWNER",
    "FSETID",
    "KILL",
    "NET_BIND_SERVICE",
    "SETFCAP",
    "SETGID",
    "SETUID",
)

POLLED = "polled"
BY_DRIVER = "storage driver"

STORAGE_REFUSAL = "storage-opt"
"""In the engine's words when the storage driver cannot limit a container's size."""


def host_config(engine: Engine, spec: ContainerSpec, *, storage_limit: bool) -> dict[str, Any]:
    """
    The HostConfig of *spec*'s container.

    Args:
        engine: The engine that will run it.
        spec: The container.
        storage_limit: Whether to ask the storage driver to limit the container's own layer.

    """
    resources = spec.resources
    config: dict[str, Any] = {
        "AutoRemove": False,
        "CapAdd": list(CAPABILITIES),
        "CapDrop": ["ALL"],
        "Init": True,
        "IpcMode": "private",
        "LogConfig": {"Type": "none"},
        "NetworkMode": spec.network_id or "none",
        "Privileged": False,
        "RestartPolicy": {"Name": "no"},
        "SecurityOpt": ["no-new-privileges:true"],
        "Sysctls": {} if kernel_lacks_ipv6(engine) else {"net.ipv6.conf.all.disable_ipv6": "1"},
        "Ulimits": [{"Name": "core", "Soft": 0, "Hard": 0}],
    }
    if resources.memory_bytes is not None:
        config["Memory"] = config["MemorySwap"] = resources.memory_bytes
    if resources.cpus is not None:
        config["NanoCpus"] = int(resources.cpus * 1e9)
    if resources.pids is not None:
        config["PidsLimit"] = resources.pids
    if storage_limit and resources.disk_bytes is not None:
        config["StorageOpt"] = {"size": str(resources.disk_bytes)}
    return config | dict(spec.host_config)


def kernel_lacks_ipv6(engine: Engine) -> bool:
    """
    Whether the engine runs on this machine's kernel and that has IPv6 compiled or booted out.

    There the setting that switches IPv6 off does not exist, and asking for it fails the start.
    """
    same_kernel: bool = engine.info.get("KernelVersion") == platform.release()
    return same_kernel and not Path("/proc/sys/net/ipv6").exists()


def disk_keeper(engine: Engine, container_id: str, spec: ContainerSpec) -> str:
    """Who keeps the disk limit of a created container: `BY_DRIVER`, `POLLED`, empty for none."""
    if spec.resources.disk_bytes is None:
        return ""
    with engine_calls("asking for the sandbox's limits", gone=SandboxFault):
        made = engine.api.inspect_container(container_id)["HostConfig"]
    return BY_DRIVER if made.get("StorageOpt") else POLLED


def limits_report(engine: Engine, resources: Resources, *, disk: str) -> dict[str, Any]:
    """
    The limits in force, for `sandbox_ready.limits`.

    A limit that this engine cannot enforce is `{"asked": VALUE, "not_enforced": WHY}`.

    Args:
        engine: The engine, asked for what its kernel supports.
        resources: What was asked for.
        disk: How the disk limit is kept: `BY_DRIVER`, `POLLED`, or empty for no limit.

    """
    supported = {
        "memory_bytes": ("MemoryLimit", resources.memory_bytes),
        "cpus": ("CpuCfsQuota", resources.cpus),
        "pids": ("PidsLimit", resources.pids),
    }
    report: dict[str, Any] = {}
    for name, (feature, asked) in supported.items():
        if asked is None:
            report[name] = None
        elif engine.info.get(feature, True):
            report[name] = asked
        else:
            report[name] = {
                "asked": asked,
                "not_enforced": f"the engine's kernel lacks {feature}",
            }
    if resources.memory_bytes is not None and not engine.info.get("SwapLimit", True):
        report["swap"] = {"not_enforced": "the engine's kernel does not account for swap"}
    report["disk_bytes"] = resources.disk_bytes
    if disk:
        report["disk_kept_by"] = disk
    return report
