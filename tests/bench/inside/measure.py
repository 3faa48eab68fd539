"""
Measures inside the bench's container and prints one JSON object; `egress.py` makes a table of it.

    python measure.py [ROUNDS] [MEGABYTES]
"""

from __future__ import annotations

import hashlib
import json
import ssl
import statistics
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import clients
import proxies
from clients import Way
from origin import PIECE
from proxies import ADDRESS, HOST, SIDECAR, SIDECAR_PORT, STOCK_PORT, Process

KEPT_ALIVE = 300
NEW_CONNECTIONS = 100
CONCURRENT = 200
MEMORY_MB = 2000


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    size = (int(sys.argv[2]) if len(sys.argv) > 2 else 400) * 10**6
    trust_pem = proxies.make_authority()
    with (
        proxies.origin(),
        proxies.stock() as stock,
        proxies.sidecar(trust_pem, package_cache=proxies.PACKAGE_CACHE) as ours,
    ):
        direct = ssl.create_default_context(cadata=trust_pem)
        ways: dict[Way, Process | None] = {
            Way("direct", HOST, (ADDRESS, 443), direct, proxy=False): None,
            Way("stock", HOST, ("127.0.0.1", STOCK_PORT), stock[1]): stock[0],
            Way("sidecar", HOST, (SIDECAR, SIDECAR_PORT), ours[1]): ours[0],
        }
        found: dict[str, Any] = {"throughput": throughput(ways, rounds, size)}
        found["throughput"]["cached"] = cached(ours, rounds, size)
        found["kept_alive_ms"] = {
            way.name: latency(way, clients.kept_alive_s, KEPT_ALIVE) for way in ways
        }
        found["new_connection_ms"] = {
            way.name: latency(way, clients.new_connection_s, NEW_CONNECTIONS) for way in ways
        }
        found["memory_mib"] = memory(next(way for way in ways if way.name == "sidecar"), ours[0])
    print(json.dumps(found))


def throughput(ways: dict[Way, Process | None], rounds: int, size: int) -> dict[str, Any]:
    """Each way in each round, so that a busy moment of the machine meets all of them."""
    found: dict[str, Any] = {way.name: {"mb_per_s": [], "cpu_s": []} for way in ways}
    for way in ways:
        clients.download(way, f"/big/{size // 20}")
    for _ in range(rounds):
        for way, process in ways.items():
            for key, values in measured(way, process, f"/big/{size}", 1, size).items():
                found[way.name][key] += values
    return found


def cached(ours: tuple[Process, ssl.SSLContext], rounds: int, size: int) -> dict[str, Any]:
    """The same file from the package cache; the first round verifies its digest."""
    process, context = ours
    way = Way("cached", HOST, (SIDECAR, SIDECAR_PORT), context)
    digest = digest_of(size)
    path = f"/packages/{digest[:2]}/{digest[2:4]}/{digest[4:]}/{size}.whl"
    clients.download(way, path)
    deadline = time.monotonic() + 60
    while not any(path.is_file() for path in proxies.CACHE.glob("v1/entries/*/*")):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return measured(way, process, path, rounds, size)


def digest_of(size: int) -> str:
    """Of what the origin sends, as the addresses of PyPI's files have it."""
    digest = hashlib.blake2b(digest_size=32)
    for _ in range(size // len(PIECE)):
        digest.update(PIECE)
    digest.update(PIECE[: size % len(PIECE)])
    return digest.hexdigest()


def measured(
    way: Way, process: Process | None, path: str, rounds: int, size: int
) -> dict[str, list[float]]:
    """Speeds, and what the proxy needed for it."""
    found: dict[str, list[float]] = {"mb_per_s": [], "cpu_s": []}
    for _ in range(rounds):
        before = process.cpu_s() if process else 0.0
        got, took_s = clients.download(way, path)
        assert got == size
        found["mb_per_s"].append(got / took_s / 1e6)
        found["cpu_s"].append(process.cpu_s() - before if process else 0.0)
    return found


def latency(way: Way, ask: Callable[[Way, int], list[float]], count: int) -> dict[str, float]:
    took = sorted(ask(way, count))
    return {
        "median": statistics.median(took) * 1e3,
        "p95": took[round(0.95 * (len(took) - 1))] * 1e3,
    }


def memory(way: Way, process: Process) -> dict[str, float]:
    """What the sidecar has held at most: idle, in a large download, with many requests at once."""
    found = {"before": process.memory_mib("VmRSS")}
    clients.download(way, f"/big/{MEMORY_MB * 10**6}")
    found["2 GB download"] = process.memory_mib("VmHWM")
    threads = [
        threading.Thread(target=clients.download, args=(way, "/big/4000000"))
        for _ in range(CONCURRENT)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found["200 concurrent requests"] = process.memory_mib("VmHWM")
    return found


if __name__ == "__main__":
    main()
