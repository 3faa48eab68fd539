"""A real sidecar process and what its clients need."""

from __future__ import annotations

import http.client
import json
import queue
import socket
import ssl
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

LISTEN = "127.0.0.1"
PROXY = (LISTEN, 8080)
WAIT_S = 30.0


def rule(host: str, *ports: int, explicit: bool = False, subdomains: bool = False) -> dict:
    return {
        "host": host,
        "subdomains": subdomains,
        "ports": list(ports) or [80, 443],
        "explicit": explicit,
    }


def policy(
    *allow: dict, docs: tuple[str, ...] = (), private: tuple[str, ...] = (), **more: Any
) -> dict:
    """A policy; *more* are its further parts as they cross the control stream."""
    return {
        "allow": list(allow),
        "docs_hosts": list(docs),
        "private_hosts": list(private),
        "paths": [],
        "websocket_hosts": [],
        "max_upload_bytes": None,
        "max_download_bytes": None,
        **more,
    }


def path_rule(host: str, *patterns: str) -> dict:
    return {"host": host, "patterns": list(patterns), "subdomains": False, "default": False}


class SidecarProcess:
    """Starts `python -m quickstarted_proxy`; `launch` names another program for fault tests."""

    def __init__(
        self,
        order: dict[str, Any] | None = None,
        *,
        launch: str | None = None,
        listen: str = LISTEN,
    ) -> None:
        self.listen = listen
        command = ["-c", launch] if launch else ["-I", "-m", "quickstarted_proxy"]
        self.process = subprocess.Popen(
            [sys.executable, *command], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self.reports: list[dict[str, Any]] = []
        self._queue: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self._scope = 0
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        if order is not None:
            self.send({"order": "start", "listen": listen, **order})

    def send(self, order: dict[str, Any]) -> None:
        self.send_raw(json.dumps(order).encode() + b"\n")

    def send_raw(self, data: bytes) -> None:
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def next(self) -> dict[str, Any] | None:
        """The next report; None at the end of the stream."""
        return self._queue.get(timeout=WAIT_S)

    def wait_for(self, report: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        """The next report of a kind, and the events before it."""
        events = []
        while (item := self.next()) is not None:
            if item["report"] == report:
                return item, events
            if item["report"] != "event":
                raise AssertionError(item)
            events.append(item["event"])
        raise AssertionError(f"the sidecar ended before it said {report}: {self.reports[-3:]}")

    def ready(self) -> SidecarProcess:
        """Wait for `ready` and write the CA where `context` looks."""
        report, events = self.wait_for("ready")
        assert [] == events
        self.ready_report = report
        if self.listen == LISTEN:
            Path("/tmp/sidecar-ca.pem").write_text(report["ca_pem"])
        return self

    def next_event(self) -> dict[str, Any]:
        """The next event, without an order that makes the sidecar close what is open."""
        report = self.next()
        assert report is not None
        return report["event"]

    def drain(self, *, settle: bool = True) -> list[dict[str, Any]]:
        """All events so far; begins another scope."""
        self._scope += 1
        self.send({"order": "scope", "scope": self._scope, "settle": settle})
        return self.wait_for("scope")[1]

    def drain_until(self, count: int) -> list[dict[str, Any]]:
        """Events, at least *count* of them: for what happens after a client has its answer."""
        deadline = time.monotonic() + WAIT_S
        events = self.drain(settle=False)
        while len(events) < count and time.monotonic() < deadline:
            time.sleep(0.02)
            events += self.drain(settle=False)
        return events

    def attempt(self, new_policy: dict) -> list[dict[str, Any]]:
        self.send({"order": "attempt", "policy": new_policy})
        self._scope = 0
        return self.wait_for("attempt_ready")[1]

    def resident_kib(self, field: str = "VmRSS") -> int:
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.split(f"{field}:")[1].split()[0])

    def wait(self) -> int:
        code = self.process.wait(WAIT_S)
        self._reader.join(WAIT_S)
        return code

    def stop(self) -> None:
        if self.process.stdin and not self.process.stdin.closed:
            self.process.stdin.close()
        self.wait()
        self.process.stdout.close()

    def _read(self) -> None:
        for line in self.process.stdout:
            report = json.loads(line)
            self.reports.append(report)
            self._queue.put(report)
        self._queue.put(None)


def without_times(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Events without what differs from run to run."""
    return [
        {key: value for key, value in event.items() if key not in {"ts", "scope", "duration"}}
        for event in events
    ]


def trusting_context() -> ssl.SSLContext:
    return ssl.create_default_context(cafile="/tmp/sidecar-ca.pem")


def open_tunnel(target: str, *, extra: str = "") -> tuple[socket.socket, bytes]:
    """CONNECT; the socket and the answer's head."""
    sock = socket.create_connection(PROXY, timeout=WAIT_S)
    sock.sendall(f"CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n{extra}\r\n".encode())
    return sock, read_head(sock)


def read_head(sock: socket.socket) -> bytes:
    data = b""
    while not data.endswith(b"\r\n\r\n"):
        piece = sock.recv(1)
        if not piece:
            break
        data += piece
    return data


def read_all(sock: socket.socket) -> bytes:
    """Everything until the peer closes or resets."""
    data = bytearray()
    try:
        while piece := sock.recv(65536):
            data += piece
    except (ConnectionResetError, ssl.SSLError):
        pass
    return bytes(data)


def over_tls(sock: socket.socket, server_name: str | None) -> ssl.SSLSocket:
    """TLS whose certificate is checked against the sidecar's CA where there is a name."""
    context = trusting_context()
    context.check_hostname = server_name is not None
    return context.wrap_socket(sock, server_hostname=server_name)


def raw_exchange(address: tuple[str, int], data: bytes) -> bytes:
    """Send bytes to a door and read until it closes."""
    with socket.create_connection(address, timeout=WAIT_S) as sock:
        sock.sendall(data)
        return read_all(sock)


@dataclass(frozen=True)
class Answer:
    status: int
    headers: http.client.HTTPMessage
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()


def ask(sock: socket.socket, method: str, path: str, host: str, **more: Any) -> Answer:
    """One request on an open connection; *more* as for `HTTPConnection.request`."""
    connection = http.client.HTTPConnection(host)
    connection.sock = sock
    headers = {"Host": host, **more.pop("headers", {})}
    connection.request(method, path, headers=headers, **more)
    response = connection.getresponse()
    return Answer(response.status, response.headers, response.read())


def fetch(url: str, *, door: str = "explicit", method: str = "GET", **more: Any) -> Answer:
    """
    One request through a door, as an ordinary client makes it.

    A refused CONNECT is answered as it came.
    """
    parts = urlsplit(url)
    host, tls = parts.hostname, parts.scheme == "https"
    port = parts.port or (443 if tls else 80)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    if door == "explicit" and tls:
        connection = http.client.HTTPConnection(*PROXY, timeout=WAIT_S)
        connection.connect()
        sock = connection.sock
        sock.sendall(f"CONNECT {host}:{port} HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode())
        head = read_head(sock)
        status = int(head.split()[1])
        if status != 200:
            headers = http.client.parse_headers(BytesIO(head.partition(b"\r\n")[2]))
            with sock:
                return Answer(status, headers, sock.recv(int(headers["content-length"])))
    else:
        sock = socket.create_connection(
            PROXY if door == "explicit" else (LISTEN, port), timeout=WAIT_S
        )
    if tls:
        sock = over_tls(sock, host)
    elif door == "explicit":
        path = f"http://{parts.netloc}{path}"
    with sock:
        return ask(sock, method, path, parts.netloc, **more)
