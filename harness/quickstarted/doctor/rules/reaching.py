"""Rules: whether the engine answers, and what to do where it does not."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator

from quickstarted.doctor.facts import EngineFacts, MachineFacts
from quickstarted.doctor.findings import Finding, error, warning
from quickstarted.doctor.rules import mending
from quickstarted.sandbox.survey import Where
from quickstarted.sandbox.trouble import Trouble

Rule = Callable[[MachineFacts, Where, Trouble], Finding]
SSH_FORWARD = (
    "ssh -fnNT -L /tmp/engine.sock:/var/run/docker.sock {host}"
    " && export DOCKER_HOST=unix:///tmp/engine.sock"
)


def judge_reaching(machine: MachineFacts, engine: EngineFacts) -> Iterator[Finding]:
    """What keeps the engine from answering, and whether the docker command means another one."""
    if engine.trouble is not None:
        yield TROUBLES[engine.trouble.kind](machine, engine.where, engine.trouble)
    if engine.where.context and engine.where.context_address and engine.trouble is None:
        yield warning(
            "engine",
            "engine-context",
            f"the docker command uses the context {engine.where.context!r}, runs use"
            f" {engine.where.address}",
            detail=f"The context's engine is at {engine.where.context_address}.",
            fix=_use(engine.where.context_address),
        )


def _use(address: str) -> str:
    return f"export DOCKER_HOST={shlex.quote(address)}"


def _hangs(machine: MachineFacts, where: Where, trouble: Trouble) -> Finding:
    return error(
        "engine",
        "engine-hangs",
        f"the engine at {where.address} takes connections and does not answer",
        detail=f"Asked {trouble.asked}: {trouble.said}. Its log says more than it does.",
        fix=mending.restart(machine, where),
    )


def _permission(machine: MachineFacts, where: Where, trouble: Trouble) -> Finding:
    del machine
    return error(
        "engine",
        "engine-permission",
        f"you may not use the engine's socket {where.address}",
        detail=f"{trouble.said}. Members of the group docker may; log in again afterwards.",
        fix='sudo usermod -aG docker "$USER" && newgrp docker',
    )


def _absent(machine: MachineFacts, where: Where, trouble: Trouble) -> Finding:
    if where.context and where.context_address:
        return error(
            "engine",
            "engine-context",
            f"no engine is at {where.address}; the docker command uses the context"
            f" {where.context!r}",
            detail=f"{trouble.said}. The context's engine is at {where.context_address}.",
            fix=_use(where.context_address),
        )
    if where.variable and machine.has_default_socket:
        return _wrong_address(machine, where, trouble)
    if machine.has_engine or mending.remote_host(where):
        return _not_running(machine, where, trouble)
    return error(
        "engine",
        "engine-missing",
        f"no engine answers at {where.address}, and none is installed",
        detail=f"{trouble.said.rstrip('.')}.",
        fix=mending.install(machine),
    )


def _not_running(machine: MachineFacts, where: Where, trouble: Trouble) -> Finding:
    remote = mending.remote_host(where)
    return error(
        "engine",
        "engine-not-running",
        f"no engine answers at {where.address}",
        detail=f"{trouble.said.rstrip('.')}.",
        fix=f"ssh {remote} sudo systemctl start docker" if remote else mending.start(machine),
    )


def _wrong_address(machine: MachineFacts, where: Where, trouble: Trouble) -> Finding:
    if not where.settings:
        return _fails(machine, where, trouble)
    names = " and ".join(where.settings)
    said = f"{names}={where.address}" if names == where.variable else names
    return error(
        "engine",
        "engine-address",
        f"{said} {'does' if len(where.settings) == 1 else 'do'} not lead to an engine",
        detail=f"{trouble.said.rstrip('.')}.",
        fix=f"unset {' '.join(where.settings)}",
    )


def _ssh(machine: MachineFacts, where: Where, trouble: Trouble) -> Finding:
    del machine, trouble
    return error(
        "engine",
        "engine-ssh",
        f"{where.variable}={where.address}: an engine behind ssh cannot be asked directly",
        detail="Forward its socket to this machine.",
        fix=SSH_FORWARD.format(host=shlex.quote(where.address)),
    )


def _fails(machine: MachineFacts, where: Where, trouble: Trouble) -> Finding:
    return error(
        "engine",
        "engine-fails",
        f"the engine at {where.address} answers with a failure",
        detail=f"Asked {trouble.asked}: {trouble.said}",
        fix=mending.restart(machine, where),
    )


TROUBLES: dict[str, Rule] = {
    "hangs": _hangs,
    "permission": _permission,
    "absent": _absent,
    "refused": _not_running,
    "unknown_host": _wrong_address,
    "setting": _wrong_address,
    "not_an_engine": _wrong_address,
    "ssh": _ssh,
    "fails": _fails,
}
