"""The processes that are compared: the origin, a stock mitmdump that streams, the sidecar."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import trustme

HOST = "origin.test"
ADDRESS = socket.gethostbyname(socket.gethostname())
STOCK_PORT = 8081
SIDECAR = "127.0.0.1"
SIDECAR_PORT = 8080
WORK = Path("/tmp/bench")
CACHE = WORK / "packages"
PACKAGE_CACHE = {
    "folder": str(CACHE),
    "max_bytes": 20 * 10**9,
    "immutable": [{"host": HOST, "patterns": ["/packages/**"], "hash_in_path": True}],
    "indexes": [],
}
_TICKS = os.sysconf("SC_CLK_TCK")


class Process:
    """A process whose processor time and memory are asked for."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process

    def cpu_s(self) -> float:
        """User and system time so far."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / _TICKS

    def memory_mib(self, field: str) -> float:
        """`VmRSS`, or `VmHWM`, the most there has been."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.split(f"{field}:")[1].split()[0]) / 1024


@contextlib.contextmanager
def running(command: list[str], **more: object) -> Iterator[Process]:
    process = subprocess.Popen(command, **more)  # type: ignore[call-overload]
    try:
        yield Process(process)
    finally:
        process.kill()
        process.wait()


def make_authority() -> str:
    """Write the origin's certificate; what signs it, in PEM form."""
    WORK.mkdir(exist_ok=True)
    authority = trustme.CA()
    leaf = authority.issue_cert(HOST)
    (WORK / "origin.pem").write_bytes(
        leaf.private_key_pem.bytes() + b"".join(pem.bytes() for pem in leaf.cert_chain_pems)
    )
    pem = authority.cert_pem.bytes().decode()
    (WORK / "authority.pem").write_text(pem)
    hosts = Path("/etc/hosts")
    hosts.write_text(f"{hosts.read_text()}{ADDRESS} {HOST}\n")
    return pem


@contextlib.contextmanager
def origin() -> Iterator[Process]:
    with running([sys.executable, "origin.py", ADDRESS, "443", str(WORK / "origin.pem")]) as made:
        wait_for(ADDRESS, 443)
        yield made


@contextlib.contextmanager
def stock() -> Iterator[tuple[Process, ssl.SSLContext]]:
    """mitmdump as it comes, but for streaming, which it needs to pass large files at all."""
    confdir = WORK / "stock"
    command = [
        "/opt/stock/bin/mitmdump",
        "--quiet",
        f"--set=confdir={confdir}",
        f"--set=ssl_verify_upstream_trusted_ca={WORK / 'authority.pem'}",
        "--set=stream_large_bodies=1m",
        f"--listen-port={STOCK_PORT}",
    ]
    with running(command) as made:
        wait_for("127.0.0.1", STOCK_PORT)
        yield made, ssl.create_default_context(cafile=str(confdir / "mitmproxy-ca-cert.pem"))


@contextlib.contextmanager
def sidecar(trust_pem: str, **start: object) -> Iterator[tuple[Process, ssl.SSLContext]]:
    """The sidecar's own program with the policy that an attempt would have."""
    rule = {"host": HOST, "subdomains": False, "ports": [443], "explicit": False}
    policy = {
        "allow": [rule],
        "docs_hosts": [],
        "private_hosts": [HOST],
        "paths": [],
        "websocket_hosts": [],
        "max_upload_bytes": None,
        "max_download_bytes": None,
    }
    order = {"order": "start", "listen": SIDECAR, "policy": policy, "trust_pem": trust_pem, **start}
    command = ["/opt/sidecar/bin/python", "-I", "-m", "quickstarted_proxy"]
    with running(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as made:
        process = made.process
        process.stdin.write(json.dumps(order).encode() + b"\n")
        process.stdin.flush()
        ready = json.loads(process.stdout.readline())
        assert ready["report"] == "ready", ready
        threading.Thread(target=process.stdout.read, daemon=True).start()
        yield made, ssl.create_default_context(cadata=ready["ca_pem"])


def wait_for(address: str, port: int) -> None:
    """Return when something listens there."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        with contextlib.suppress(OSError), socket.create_connection((address, port)):
            return
        time.sleep(0.05)
    raise TimeoutError(f"nothing listens on {address}:{port}")
