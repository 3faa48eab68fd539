"""Rules: whether the engine that answers is one that runs can use."""

from __future__ import annotations

import re
from collections.abc import Iterator

from quickstarted.doctor.facts import EngineFacts, MachineFacts
from quickstarted.doctor.findings import Finding, error, ok, warning
from quickstarted.doctor.rules import mending
from quickstarted.doctor.rules.reaching import judge_reaching
from quickstarted.sandbox.survey import About, Where

OLDEST = (20, 10)
TESTED_ARCHITECTURES = ("amd64", "arm64")
MOST_CLOCK_OFFSET_S = 2.0
LINUX_CONTAINERS = "& $Env:ProgramFiles\\Docker\\Docker\\DockerCli.exe -SwitchLinuxEngine"
MEMORY_LIMITS_AT_BOOT = (
    "sudo sed -i 's/^GRUB_CMDLINE_LINUX=\"/&cgroup_enable=memory swapaccount=1 /'"
    " /etc/default/grub && sudo update-grub && sudo reboot"
)
DELEGATE_LIMITS = (
    "sudo mkdir -p /etc/systemd/system/user@.service.d"
    " && printf '[Service]\\nDelegate=cpu cpuset io memory pids\\n'"
    " | sudo tee /etc/systemd/system/user@.service.d/delegate.conf"
    " && sudo systemctl daemon-reload"
)
"""For rootless engines (https://docs.docker.com/engine/security/rootless/)."""
OVERLAY = (
    "test ! -e /etc/docker/daemon.json"
    """ && echo '{"storage-driver": "overlay2"}' | sudo tee /etc/docker/daemon.json"""
    " && sudo systemctl restart docker"
)
"""Writes over nothing that somebody has set."""
QUOTA_FILESYSTEMS = ("btrfs", "zfs", "devicemapper", "windowsfilter")
"""Storage drivers that limit a container's own layer; overlay2 does on xfs with pquota."""


def judge_engine(machine: MachineFacts, engine: EngineFacts) -> Iterator[Finding]:
    """All that is known of the engine."""
    yield from judge_reaching(machine, engine)
    about = engine.about
    if about is None:
        return
    yield _product(machine, engine.where, about)
    if about.is_podman:
        return
    yield _version(machine, about)
    yield _os(about)
    if about.os == "linux":
        yield _architecture(about)
        yield _storage(about)
        yield _limits(about)
        yield _clock(machine, engine.where, about)


def _product(machine: MachineFacts, where: Where, about: About) -> Finding:
    if about.is_podman:
        return error(
            "engine",
            "engine-podman",
            f"{about.product} {about.version} answers at {where.address}: it is not supported yet",
            detail="The lanes of sandboxes need Docker's networks.",
            fix=mending.UNSET_HOST if where.variable else mending.install(machine),
        )
    kind = "Docker Desktop" if about.is_desktop else about.operating_system or "unknown system"
    rootless = ", rootless" if about.rootless else ""
    source = f" ({where.variable})" if where.variable else ""
    return ok(
        "engine",
        "engine-answers",
        f"{about.product} {about.version} answers at {where.address}{source}",
        f"{kind}{rootless}",
    )


def _version(machine: MachineFacts, about: About) -> Finding:
    numbers = re.match(r"(\d+)\.(\d+)", about.version)
    if numbers is None:
        return ok("engine", "engine-version", f"version {about.version or 'unknown'}")
    if (int(numbers[1]), int(numbers[2])) >= OLDEST:
        return ok("engine", "engine-version", f"version {about.version} (20.10 or newer is needed)")
    return error(
        "engine",
        "engine-version",
        f"version {about.version} is too old: 20.10 or newer is needed",
        fix=mending.install(machine),
    )


def _os(about: About) -> Finding:
    if about.os == "linux":
        return ok("engine", "engine-os", "runs Linux containers")
    return error(
        "engine",
        "engine-os",
        f"the engine runs {about.os or 'unknown'} containers, and sandboxes are Linux containers",
        fix=LINUX_CONTAINERS,
    )


def _architecture(about: About) -> Finding:
    if about.architecture in TESTED_ARCHITECTURES:
        return ok("engine", "engine-architecture", f"architecture {about.architecture}")
    return warning(
        "engine",
        "engine-architecture",
        f"architecture {about.architecture or 'unknown'}: nobody has tried it",
        detail=f"Known to work: {', '.join(TESTED_ARCHITECTURES)}.",
        fix="quickstarted images build",
    )


def _storage(about: About) -> Finding:
    driver, below = about.storage_driver, about.backing_filesystem
    if driver == "vfs":
        return warning(
            "engine",
            "engine-storage",
            "storage driver vfs copies the whole image for every sandbox",
            detail="Where /etc/docker/daemon.json is there already, add the key to it yourself.",
            fix=OVERLAY,
        )
    by_driver = driver in QUOTA_FILESYSTEMS or below == "xfs"
    kept = "may be kept by the storage driver" if by_driver else "are kept by asking repeatedly"
    on = f" on {below}" if below else ""
    return ok("engine", "engine-storage", f"storage driver {driver}{on}", f"Limits on disk {kept}.")


def _limits(about: About) -> Finding:
    cgroup = f"cgroup version {about.cgroup_version or 'unknown'}"
    if not about.unsupported_limits:
        return ok(
            "engine", "engine-limits", f"limits on memory, processors and processes ({cgroup})"
        )
    return warning(
        "engine",
        "engine-limits",
        f"the engine cannot limit {', '.join(about.unsupported_limits)} ({cgroup})",
        detail="Attempts run, and their records say which limit was not in force.",
        fix=DELEGATE_LIMITS if about.rootless else MEMORY_LIMITS_AT_BOOT,
    )


def _clock(machine: MachineFacts, where: Where, about: About) -> Finding:
    offset = about.clock_offset_s
    if offset is None:
        return ok("engine", "engine-clock", "the engine does not tell its time")
    if abs(offset) <= MOST_CLOCK_OFFSET_S:
        return ok("engine", "engine-clock", f"its clock differs by {abs(offset):.1f} s")
    way = "ahead of" if offset > 0 else "behind"
    remote = mending.remote_host(where)
    sync = "sudo timedatectl set-ntp true"
    local = mending.restart(machine, where) if about.is_desktop else sync
    return warning(
        "engine",
        "engine-clock",
        f"the engine's clock is {abs(offset):.0f} s {way} this machine's",
        detail="Records allow for it; certificates may look expired, or not yet valid.",
        fix=f"ssh {remote} {sync}" if remote else local,
    )
