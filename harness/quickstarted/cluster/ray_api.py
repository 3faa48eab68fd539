"""
The one door to Ray: joining a cluster, its nodes, slots on them, and calls to what works there.

A slot is one unit of the resource `quickstarted_slot`. Each attempt holds one for as long as it is
made, as a placement group of one bundle: Ray counts it (other calls on the same cluster, and what
adds nodes on demand, see it), and it needs no process of its own. On each node that is used there
is one actor, which is called directly; what may hold a secret goes to it in such calls only, which
Ray neither stores nor logs, unlike the arguments of an actor's creation.
"""

from __future__ import annotations

import logging
import os
import signal
import socket
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from quickstarted import __version__
from quickstarted.cluster.conversation import NodeLost
from quickstarted.cluster.node import NodeWorker
from quickstarted.errors import NodeFault, QuickstartedError, UsageError

SLOT = "quickstarted_slot"
START = f"ray start --address=HEAD:6379 --resources='{{\"{SLOT}\": 4}}' --disable-usage-stats"
REMEDY = "pip install 'quickstarted-harness[ray]'"
UNAVAILABLE_S = 30.0
"""How long a node that does not answer is asked again, where Ray does not say that it is dead."""
LEASE_POLL_S = 1.0
ANSWER_S = 5.0
PROBE_S = 120.0
_OWN_CALLS = 8
"""Calls to a node at once, besides two for each slot."""


class Known(NamedTuple):
    """A living node with slots, as Ray lists it."""

    id: str
    name: str
    slots: int


def connect(address: str | None) -> None:
    """
    Join the cluster at *address*, `HOST:PORT`; None: the one that this machine is part of.

    Raises:
        UsageError: Ray is not installed, or there is no cluster.

    """
    # Ray counts its users unless it is told not to.
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    try:
        import ray  # noqa: PLC0415 - an extra, and slow to load
    except ImportError as exc:
        raise UsageError(
            f"--executor ray needs the package ray, which is not there: {exc}", hint=REMEDY
        ) from exc
    handler = signal.getsignal(signal.SIGTERM)
    where = f"at {address}" if address else "that this machine is part of"
    try:
        ray.init(
            address=_answering(address),
            namespace="quickstarted",
            log_to_driver=False,
            logging_level=logging.CRITICAL,
        )
    except (OSError, RuntimeError, ValueError, ray.exceptions.RayError) as exc:
        raise UsageError(
            f"--executor ray: there is no Ray cluster {where}: {_first_line(exc)}",
            hint="Start one: ray start --head --disable-usage-stats; on each further machine, this"
            f" one included: {START}",
        ) from exc
    finally:
        # Ctrl-C and SIGTERM are the command line's.
        signal.signal(signal.SIGTERM, handler)
    _silence()


def _answering(address: str | None) -> str:
    """
    The address of the cluster that is meant; Ray waits for minutes where nothing answers.

    Raises:
        OSError: Nothing answers there, or this machine is part of no cluster.
        ValueError: It is none.

    """
    from ray._private import services  # noqa: PLC0415 - see `connect`

    if address is None:
        address = str(services.get_ray_address_from_environment("auto", None))
    # Ray prefers the variable to what it is told.
    os.environ.pop("RAY_ADDRESS", None)
    host, _, port = address.rpartition(":")
    if not port.isdigit() or "/" in host:
        raise ValueError(f"{address!r} is not written as HOST:PORT")
    with socket.create_connection((host.strip("[]"), int(port)), timeout=ANSWER_S):
        return address


def _silence() -> None:
    """
    Ray prints what happens to its nodes, with pages of its logs, on standard output, which is for
    results; no option turns that off (2.60), so its own function for it is replaced.
    """
    from ray._private import worker  # noqa: PLC0415 - see `connect`

    def say_nothing(data: object, ignore_prefix: bool = False) -> None:
        del data, ignore_prefix

    worker.print_to_stdstream = say_nothing


def disconnect() -> None:
    """Leave the cluster; what this process has there ends."""
    import ray  # noqa: PLC0415 - see `connect`

    ray.shutdown()


def list_nodes() -> list[Known]:
    """Living nodes that have slots."""
    import ray  # noqa: PLC0415 - see `connect`

    alive = [node for node in ray.nodes() if node["Alive"]]
    names = [node["NodeName"] for node in alive]
    found = []
    for node in alive:
        name, node_id = node["NodeName"], node["NodeID"]
        own = name if names.count(name) == 1 else f"{name}#{node_id[:6]}"
        if slots := int(node["Resources"].get(SLOT, 0)):
            found.append(Known(node_id, own, slots))
    return found


def request_slot() -> Any:
    """Ask for a slot on any node; what is returned is given back by `release_slot`."""
    from ray.util.placement_group import placement_group  # noqa: PLC0415 - see `connect`

    return placement_group([{SLOT: 1}])


def place_of_slot(slot: Any) -> str | None:
    """Id of the node that a slot is on; None where there has been none for a moment."""
    from ray.util.placement_group import placement_group_table  # noqa: PLC0415 - see `connect`

    if not slot.wait(LEASE_POLL_S):
        return None
    return placement_group_table(slot)["bundles_to_node_id"].get(0) or None


def release_slot(slot: Any) -> None:
    """Give a slot back."""
    from ray.util.placement_group import remove_placement_group  # noqa: PLC0415 - see `connect`

    remove_placement_group(slot)


def start_worker(node: Known) -> Any:
    """Start what works on *node*; it ends with this process."""
    import ray  # noqa: PLC0415 - see `connect`

    return (
        ray.remote(NodeWorker)
        .options(
            num_cpus=0,
            max_concurrency=2 * node.slots + _OWN_CALLS,
            max_restarts=0,
            scheduling_strategy=_on(node),
        )
        .remote()
    )


def end_worker(actor: Any) -> None:
    """End what works on a node at once."""
    import ray  # noqa: PLC0415 - see `connect`

    with suppress(ray.exceptions.RayError):
        ray.kill(actor)


def put_object(data: bytes) -> Any:
    """Have *data* where every node can take it from."""
    import ray  # noqa: PLC0415 - see `connect`

    return ray.put(data)


def call(node: str, actor: Any, method: str, *args: object, **options: Any) -> Any:
    """
    Call a method of what works on a node, again where it could not be reached.

    Args:
        node: Its name.
        actor: What works there.
        method: Name of a method that does its work once however often it is called.
        args: Its arguments.
        options: Further ones; `timeout_s` is how long it may take.

    Raises:
        NodeLost: It does not answer.
        QuickstartedError: As the method raises it.

    """
    import ray  # noqa: PLC0415 - see `connect`

    timeout_s = options.pop("timeout_s", None)
    deadline = time.monotonic() + UNAVAILABLE_S
    while True:
        try:
            return ray.get(getattr(actor, method).remote(*args, **options), timeout=timeout_s)
        except ray.exceptions.RayTaskError as exc:
            if isinstance(exc.cause, QuickstartedError):
                raise exc.cause from None
            raise NodeFault(f"a fault of quickstarted itself on the node {node}: {exc}") from exc
        except ray.exceptions.ActorUnavailableError as exc:
            if time.monotonic() > deadline:
                raise NodeLost(node, "it cannot be reached") from exc
            time.sleep(LEASE_POLL_S)
        except ray.exceptions.GetTimeoutError as exc:
            raise NodeLost(node, f"it has not answered for {timeout_s:.0f} s") from exc
        except ray.exceptions.RayError as exc:
            raise NodeLost(node, "it has died") from exc


def other_versions(nodes: Sequence[Known]) -> list[str]:
    """Which of *nodes* have another version of this program, or none, in words."""
    import ray  # noqa: PLC0415 - see `connect`

    probe = ray.remote(_probe())
    asked = [
        probe.options(num_cpus=0, max_retries=0, scheduling_strategy=_on(node)).remote()
        for node in nodes
    ]
    wrong = []
    for node, answer in zip(nodes, asked, strict=True):
        try:
            found = ray.get(answer, timeout=PROBE_S)
        except ray.exceptions.RayError as exc:
            raise NodeLost(node.name, _first_line(exc)) from exc
        if found != __version__:
            wrong.append(f"on the node {node.name} is {found or 'none'}")
    return wrong


def _probe() -> Callable[[], str]:
    def version() -> str:
        """Travels as code: this program may not be there."""
        try:
            import quickstarted  # noqa: PLC0415 - the node's
        except ImportError:
            return ""
        return quickstarted.__version__

    return version


def _on(node: Known) -> Any:
    from ray.util.scheduling_strategies import (  # noqa: PLC0415 - see `connect`
        NodeAffinitySchedulingStrategy,
    )

    return NodeAffinitySchedulingStrategy(node.id, soft=False)


def _first_line(error: BaseException) -> str:
    return next(iter(str(error).strip().splitlines()), type(error).__name__)
