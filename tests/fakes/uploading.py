"""A real `quickstarted serve` in a process of its own, and bytes sent to it as no client would."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import psutil

from fakes.pages import CHECKOUT

API = "/api/v1/trajectories"
JSON = {"Content-Type": "application/json"}
LINES = {"Content-Type": "application/x-ndjson"}
MAX_BYTES = 26_214_400
TOKEN = "a-token-of-these-tests"


@dataclass(slots=True)
class Served:
    """A server: where it answers, where it stores, what it logged."""

    process: subprocess.Popen[str]
    url: str
    out: Path
    log_path: Path

    @property
    def address(self) -> tuple[str, int]:
        """For sockets."""
        host, _, port = self.url.removeprefix("http://").partition(":")
        return host, int(port)

    @property
    def host(self) -> str:
        """For Host headers."""
        return self.url.removeprefix("http://")

    @property
    def log(self) -> str:
        """What it has logged until now."""
        return self.log_path.read_text(encoding="utf-8")

    @property
    def rss_bytes(self) -> int:
        """What it holds in memory now."""
        return int(psutil.Process(self.process.pid).memory_info().rss)

    @property
    def stored(self) -> set[str]:
        """Names of all that is stored."""
        return {path.parent.name for path in self.out.glob("[!.]*/trajectory.json")}

    def client(self, **headers: str) -> httpx.Client:
        """A client with time enough for a machine that has other work."""
        return httpx.Client(base_url=self.url, headers=headers, timeout=60)

    def post(self, body: bytes | Iterable[bytes], headers: dict[str, str] | None = None):
        """One upload."""
        with self.client() as client:
            return client.post(API, content=body, headers=JSON if headers is None else headers)

    def get(self, path: str, **headers: str):
        """One GET."""
        with self.client(**headers) as client:
            return client.get(path)

    def end(self, number: int = signal.SIGTERM) -> int:
        """Send a signal, wait; the exit code."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        return self.process.wait(timeout=60)


@contextlib.contextmanager
def serving(folder: Path, *options: str, token: str = "", out: Path | None = None):
    """A server that stores below *folder*."""
    out = out or folder / "uploads"
    log_path = folder / f"log-{os.urandom(4).hex()}"
    with log_path.open("w", encoding="utf-8") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "quickstarted", "serve", "--port=0", f"--out={out}", *options],
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            env=environment(token),
        )
    assert process.stdout is not None
    with process.stdout:
        line = process.stdout.readline()
        url = re.sub("0[.]0[.]0[.]0", "127.0.0.1", line.removesuffix(f"{API}\n"))
        assert url.startswith("http://"), log_path.read_text()
        served = Served(process, url, out, log_path)
        try:
            yield served
        finally:
            if process.poll() is None:
                served.end(signal.SIGKILL)


def environment(token: str = "") -> dict[str, str]:
    """For a process that finds the checkout's packages."""
    paths = os.pathsep.join(str(CHECKOUT / name) for name in ("harness", "proxy"))
    kept = {key: value for key, value in os.environ.items() if key != "QUICKSTARTED_SERVE_TOKEN"}
    chosen = {"QUICKSTARTED_SERVE_TOKEN": token} if token else {}
    return {**kept, "PYTHONPATH": paths, **chosen}


def run(trace_id: str, *events: dict, **fields) -> dict:
    """One small trajectory."""
    return {"trace_id": trace_id, "events": [{"trace_id": trace_id, **one} for one in events]} | (
        fields
    )


def padded(trace_id: str, size_bytes: int) -> bytes:
    """A trajectory that has so many bytes."""
    text = json.dumps(run(trace_id, {"output": ""}))
    head, tail = text.split('"output": "')
    missing = size_bytes - len(text)
    return f'{head}"output": "{"a" * missing}{tail}'.encode()


def request(served: Served, body: bytes = b"", *lines: str, head: str = f"POST {API}") -> bytes:
    """The bytes of a request, with the headers *lines*."""
    headers = [f"{head} HTTP/1.1", f"Host: {served.host}", *lines]
    return "\r\n".join([*headers, "", ""]).encode() + body


@contextlib.contextmanager
def connected(served: Served) -> Iterator[socket.socket]:
    """A connection; reading from it ends after a minute at the latest."""
    with socket.create_connection(served.address, timeout=60) as sock:
        yield sock


def answer(sock: socket.socket) -> tuple[int, dict[str, str], bytes]:
    """Status, headers and body of the answer on *sock*, whose sender closes it."""
    raw = b""
    with contextlib.suppress(ConnectionResetError):
        while piece := sock.recv(65536):
            raw += piece
    head, _, body = raw.partition(b"\r\n\r\n")
    first, *lines = head.decode("ascii").split("\r\n")
    headers = dict(line.lower().split(": ", 1) for line in lines)
    return int(first.split()[1]) if first else 0, headers, body
