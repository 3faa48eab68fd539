"""The attempts of one call of `run` on the nodes of a cluster (`--executor ray`)."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from quickstarted.cli import attempts
from quickstarted.cli.backends import AUTO, DOCKER, LOCAL, BackendChoice, refuse_unenforced
from quickstarted.cli.docs_flags import docs_options
from quickstarted.cli.executors import forwarded
from quickstarted.cli.run_options import RunCall, RunOptions
from quickstarted.cli.schedule_flags import floors_of
from quickstarted.cluster import ray_api
from quickstarted.cluster.maker import ClusterMaker
from quickstarted.cluster.orders import CallOrder
from quickstarted.cluster.ray_cluster import CallOnNodes, RayCluster

Note = Callable[[str], None]


def run(call: RunCall, cancelled: Callable[[], bool], note: Note) -> int:
    """Run the attempts of *call* and return the exit code of what they show."""
    options = call.options
    with _connected(options.executor.address):
        order, environ = _order(call), forwarded(options.forward_env)
        cluster = RayCluster(CallOnNodes(order=order, environ=environ, note=note))
        try:
            cluster.open()
            note(f"{cluster.slots} slots on the nodes of the cluster")
            maker = ClusterMaker(cluster, order.backend, note, cancelled)
            return attempts.run(call, maker, cancelled)
        finally:
            cluster.close()


@contextmanager
def _connected(address: str | None) -> Iterator[None]:
    ray_api.connect(address)
    try:
        yield
    finally:
        ray_api.disconnect()


def _order(call: RunCall) -> CallOrder:
    options = call.options
    return CallOrder(
        run_id=call.run_id,
        backend=_backend(options),
        package_cache=not options.no_package_cache,
        images=tuple(call.images),
        upstream_ca=options.upstream_ca.read_bytes() if options.upstream_ca else None,
        docs=dataclasses.replace(docs_options(options), cache_dir=options.cache_dir),
        floors=floors_of(options),
        prices=call.prices,
    )


def _backend(options: RunOptions) -> str:
    if options.backend == LOCAL:
        refuse_unenforced(BackendChoice(name=LOCAL, allow_unenforced=options.allow_unenforced))
    return DOCKER if options.backend == AUTO else options.backend
