"""
Times the files of pandas and pyarrow: from the registry, and then from the package cache.

    PYTHONPATH=tests python tests/bench/packages.py [ROUNDS]

Each transfer is made in a sandbox with a new sidecar, by a client that reads as fast as it can, so
that not pip's own work is measured; each round has a new volume. The time is the client's, from
the request to the last byte. Measured twice: with the registry as it is reached here, which may be
a mirror next door, and over a line of one gigabit a second, which is more than most have to the
registry itself. Where no registry can be reached, it says so and ends.
"""

from __future__ import annotations

import os
import statistics
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from uuid import uuid4

from line import Line
from rich.console import Console
from rich.table import Table

from fakes.bridge import bridge_address
from quickstarted.events import EgressAllowed
from quickstarted.registries import DEFAULT_HOSTS, IMMUTABLE, SMALL_PAGE
from quickstarted.sandbox.backend import BackendOptions, DockerBackend
from quickstarted.sandbox.engine import Engine, connect
from quickstarted.sandbox.images.standins import DEFAULT_IMAGE
from quickstarted.sandbox.lanes.packages import PackageVolume
from quickstarted.sandbox.lanes.upstream import upstream_of_host
from quickstarted.sandbox.protocol import Limits, SandboxSpec
from quickstarted_proxy.policy import EgressPolicy, HostRule

FETCH = """
import json, os, re, socket, ssl, time, urllib.request
buffer = memoryview(bytearray(2**20))
context = ssl.create_default_context()
accept = {"Accept": "application/vnd.pypi.simple.v1+json"}
proxy = urllib.request.getproxies()["https"].split("//")[1].rstrip("/").split(":")

def wheel(name, version):
    wanted = urllib.request.Request(f"https://INDEX/simple/{name}/", headers=accept)
    with urllib.request.urlopen(wanted, timeout=60) as answer:
        files = json.load(answer)["files"]
    tags = "cp313-cp313-manylinux.*x86_64.whl"
    return next(f["url"] for f in files if re.fullmatch(f"{name}-{version}-{tags}", f["filename"]))

def fetch(url):
    host, _, path = url.removeprefix("https://").partition("/")
    sock = socket.create_connection((proxy[0], int(proxy[1])))
    sock.sendall(f"CONNECT {host}:443 HTTP/1.1\\r\\nHost: {host}:443\\r\\n\\r\\n".encode())
    assert b" 200 " in sock.recv(65536)
    with context.wrap_socket(sock, server_hostname=host) as tls:
        began = time.perf_counter()
        tls.sendall(f"GET /{path} HTTP/1.1\\r\\nHost: {host}\\r\\n\\r\\n".encode())
        head = b""
        while b"\\r\\n\\r\\n" not in head:
            head += tls.recv(65536)
        left = int(re.search(rb"(?i)content-length: (\\d+)", head)[1])
        left -= len(head.partition(b"\\r\\n\\r\\n")[2])
        while left:
            left -= tls.recv_into(buffer[: min(left, len(buffer))])
    return time.perf_counter() - began

urls = [wheel("pandas", "2.3.3"), wheel("pyarrow", "21.0.0")]
print(sum(fetch(url) for url in urls))
"""
LIMIT = 1 / 3
INDEX = SMALL_PAGE[0]


@dataclass(frozen=True)
class Transfer:
    """Both files, once."""

    seconds: float
    size_bytes: int
    cached: bool


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    engine = connect()
    here = dict(os.environ)
    near = [pair(engine, here) for _ in range(rounds)]
    report("as it is reached here", near, limit="")
    with Line(bridge_address(engine)) as line:
        far = [pair(engine, here | {"HTTPS_PROXY": line.url}) for _ in range(rounds)]
    report("over 1 Gbit/s", far, limit=f"{LIMIT:.2f}")
    engine.close()


def pair(engine: Engine, environ: Mapping[str, str]) -> tuple[Transfer, Transfer]:
    """A first transfer and one from the cache."""
    volume = PackageVolume(name=f"quickstarted-bench-{uuid4().hex[:12]}")
    try:
        return transfer(engine, volume, environ), transfer(engine, volume, environ)
    finally:
        engine.api.remove_volume(volume.name, force=True)


def transfer(engine: Engine, volume: PackageVolume, environ: Mapping[str, str]) -> Transfer:
    """One attempt."""
    run_id = f"bench-{uuid4().hex[:8]}"
    events: list[object] = []
    policy = EgressPolicy(allow=tuple(HostRule(host=host) for host in DEFAULT_HOSTS))
    upstream = upstream_of_host(environ)
    backend = DockerBackend(
        engine, BackendOptions(run_id=run_id, upstream=upstream, packages=volume)
    )
    try:
        spec = SandboxSpec(run_id=run_id, image=DEFAULT_IMAGE, policy=policy)
        with backend.open(spec, events.append) as sandbox:
            done = sandbox.run_clean(
                'python3 -c "$FETCH"',
                Limits(timeout_s=600),
                env={"FETCH": FETCH.replace("INDEX", INDEX)},
            )
            sandbox.drain_egress()
        if done.exit_code != 0:
            print(f"not measured, the registry cannot be reached:\n{done.output}")
            sys.exit(0)
    finally:
        # The engine is this program's, and stays connected.
        backend._pool.close()
    files = [
        event for event in events if isinstance(event, EgressAllowed) and event.host in IMMUTABLE
    ]
    return Transfer(
        seconds=float(done.output),
        size_bytes=sum(event.bytes_in or 0 for event in files),
        cached=all(event.from_cache for event in files),
    )


def report(title: str, pairs: list[tuple[Transfer, Transfer]], *, limit: str) -> None:
    table = Table(f"pandas and pyarrow, {title}", "MB", "s", "MB/s", "of the first", "limit")
    first_s = statistics.median(first.seconds for first, _ in pairs)
    for name, found, wanted in (
        ("from the registry", [first for first, _ in pairs], ""),
        ("from the package cache", [second for _, second in pairs], limit),
    ):
        took_s, size = statistics.median(each.seconds for each in found), found[0].size_bytes
        cells = (f"{size / 1e6:.1f}", f"{took_s:.3f}", f"{size / took_s / 1e6:.0f}")
        table.add_row(name, *cells, f"{took_s / first_s:.2f}", wanted)
    Console().print(table)
    assert [(False, True)] * len(pairs) == [
        (first.cached, second.cached) for first, second in pairs
    ]


if __name__ == "__main__":
    main()
