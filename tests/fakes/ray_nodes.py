"""Nodes of a Ray cluster on this machine, each with processes of its own that a test may kill."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from quickstarted.sandbox.local.folders import BASE_VARIABLE

RAY = Path(sys.executable).with_name("ray")
STARTED_S = 90
_BYTES = 100_000_000


@dataclass
class RayNode:
    """One node, and where attempts of its local backend are."""

    name: str
    process: subprocess.Popen
    attempts: Path

    def under_way(self) -> int:
        """Sandboxes that are open on it."""
        return len([path for path in self.attempts.glob("attempt-*/workspace") if path.is_dir()])

    def kill(self) -> None:
        """As a machine dies: all of its processes at once, without a word."""
        own = [psutil.Process(self.process.pid)]
        own += own[0].children(recursive=True)
        for process in own:
            process.kill()
        psutil.wait_procs(own, timeout=30)
        self.process.wait()


@dataclass
class RayCluster:
    """A head, and the nodes that have joined it."""

    folder: Path
    port: int
    nodes: list[RayNode] = field(default_factory=list)

    @property
    def executor(self) -> str:
        """As `--executor` takes it."""
        return f"ray:127.0.0.1:{self.port}"

    def join(self, name: str, slots: int = 2, env: Mapping[str, str] | None = None) -> RayNode:
        """Start a node, the first one as the head, and wait until it is part of the cluster."""
        attempts = self.folder / name
        where = [f"--address=127.0.0.1:{self.port}"]
        if not self.nodes:
            where = ["--head", f"--port={self.port}", f"--temp-dir={self.folder}"]
            where += ["--include-dashboard=false"]
        log = self.folder / f"{name}.log"
        with log.open("wb") as output:
            process = subprocess.Popen(
                [
                    *(str(RAY), "start", "--block", *where, f"--node-name={name}"),
                    *("--num-cpus=0", f"--object-store-memory={_BYTES}", "--disable-usage-stats"),
                    f"--resources={json.dumps({'quickstarted_slot': slots} if slots else {})}",
                ],
                env={
                    **{key: value for key, value in os.environ.items() if key != "PYTHONPATH"},
                    "RAY_USAGE_STATS_ENABLED": "0",
                    BASE_VARIABLE: str(attempts),
                    **(env or {}),
                },
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        node = RayNode(name, process, attempts)
        self.nodes.append(node)
        deadline = time.monotonic() + STARTED_S
        while b"Ray runtime started" not in log.read_bytes():
            assert process.poll() is None, log.read_text()
            assert time.monotonic() < deadline, log.read_text()
            time.sleep(0.1)
        return node

    def stop(self) -> None:
        """End all nodes."""
        for node in reversed(self.nodes):
            if node.process.poll() is None:
                node.kill()


@contextmanager
def ray_cluster() -> Iterator[RayCluster]:
    """A cluster without nodes yet; its sockets want a short path."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    cluster = RayCluster(Path(tempfile.mkdtemp(prefix="qr-", dir="/tmp")), port)
    try:
        yield cluster
    finally:
        cluster.stop()
        shutil.rmtree(cluster.folder, ignore_errors=True)
