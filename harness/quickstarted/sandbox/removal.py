"""
Remove containers and networks, and return when they are gone.

Removal is often under way already: a container removes itself (AutoRemove), another process sweeps,
an endpoint takes a moment longer than its container. None of that is an error.
"""

from __future__ import annotations

import contextlib
import time

import docker.errors

from quickstarted.errors import EngineFault
from quickstarted.sandbox.engine import Engine, engine_calls

CONFLICT = 409
STUCK_AFTER_S = 5.0
"""After which a network that no container is on is believed to be stuck."""
PATIENCE_S = 30.0
"""How long a busy engine may take to let go of the endpoints of containers that are removed."""


class StuckNetwork(EngineFault):
    """The engine believes that something uses the network, and nothing does (moby #42119)."""


def remove_container(engine: Engine, container_id: str) -> None:
    """
    Remove a container, running or not, with its anonymous volumes.

    Raises:
        EngineFault: The engine does not answer, or cannot.

    """
    with engine_calls("removing a container"), contextlib.suppress(docker.errors.NotFound):
        try:
            engine.api.remove_container(container_id, v=True, force=True)
        except docker.errors.APIError as exc:
            if exc.status_code != CONFLICT:
                raise
            # The engine removes it already. The SDK has no time limit of its own for this call.
            limit_s = engine.api.timeout
            engine.api.wait(container_id, timeout=limit_s, condition="removed")


def remove_network(
    engine: Engine,
    network_id: str,
    *,
    stuck_after_s: float = STUCK_AFTER_S,
    patience_s: float = PATIENCE_S,
) -> None:
    """
    Remove a network, waiting for endpoints of containers that are just going.

    Raises:
        EngineFault: Something still uses it.
        StuckNetwork: The engine has lost count of what uses it.

    """
    began = time.monotonic()
    with engine_calls("removing a network"), contextlib.suppress(docker.errors.NotFound):
        while True:
            try:
                engine.api.remove_network(network_id)
            except docker.errors.APIError as exc:
                if "active endpoints" not in (exc.explanation or str(exc)):
                    raise
                waited_s = time.monotonic() - began
                if waited_s > stuck_after_s and _is_unused(engine, network_id):
                    raise StuckNetwork(
                        f"network {network_id[:12]} has no container, and the engine does not"
                        " remove it",
                        hint="It goes after a restart of the engine (moby issue 42119).",
                    ) from exc
                if waited_s > patience_s:
                    raise
                time.sleep(0.05)
            else:
                return


def _is_unused(engine: Engine, network_id: str) -> bool:
    return not engine.api.inspect_network(network_id).get("Containers")
