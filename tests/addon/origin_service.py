"""
The origin servers as a program of their own, for tests outside this image (`tests/egress`).

It listens on every address of its container, says on standard output which authority signs its
certificates, and then answers each line on its standard input with all that has reached it since
the line before.
"""

from __future__ import annotations

import json
import socket
import socketserver
import sys
import threading
from typing import Any
from urllib.parse import parse_qs, urlsplit

import trustme
from origins import CHUNK, Handler, Origin, make_contexts

ANYWHERE = "0.0.0.0"
HTTP_PORTS = (80, 8080)
TLS_PORTS = (443, 8443)
RAW_PORTS = (22, 53, 2222)
UDP_PORTS = (53, 443)
BANNER = b"SSH-2.0-origin\r\n"


class Pages(Handler):
    """More ways of answering than the sidecar's own tests need."""

    server: ServedOrigin

    def get_redirect(self, target: str) -> bool:
        """Send the client elsewhere."""
        to = parse_qs(urlsplit(target).query)["to"][0]
        self.reply(b"", f"Location: {to}\r\n", status="302 Found")
        return True

    def get_endless(self, _target: str) -> bool:
        """A body that never ends."""
        self.request.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        while True:
            self.request.sendall(b"%x\r\n%s\r\n" % (len(CHUNK), CHUNK))


class ServedOrigin(Origin):
    """An origin that notes connections in a record shared by all."""

    handler = Pages

    def __init__(self, port: int, record: Record, contexts: dict[str, Any] | None = None) -> None:
        self.port = port
        self.record = record
        super().__init__(port, contexts, address=ANYWHERE)
        self.requests = record.requests

    def verify_request(self, request: Any, client_address: Any) -> bool:
        """Note the connection, whatever comes on it."""
        self.record.connections.append(self.port)
        return super().verify_request(request, client_address)


class Record:
    """What has reached us."""

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []
        self.connections: list[int] = []
        self.datagrams: list[int] = []

    def take(self) -> dict[str, Any]:
        """All since the last time."""
        taken = {
            "requests": [request_line(item) for item in self.requests],
            "connections": list(self.connections),
            "datagrams": list(self.datagrams),
        }
        for kept in (self.requests, self.connections, self.datagrams):
            kept.clear()
        return taken


def request_line(request: dict[str, Any]) -> str:
    """Method, host and path of a request."""
    method, target, _ = request["line"].split(" ", 2)
    hosts = [value for key, value in request["headers"] if key.lower() == "host"]
    return f"{method} {','.join(hosts)}{target}"


class RawHandler(socketserver.BaseRequestHandler):
    """Speaks first, as an SSH server does."""

    def handle(self) -> None:
        self.server.record.connections.append(self.server.server_address[1])  # type: ignore[attr-defined]
        self.request.sendall(BANNER)
        self.request.recv(4096)


class RawServer(socketserver.ThreadingTCPServer):
    """Raw TCP."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, port: int, record: Record) -> None:
        self.record = record
        super().__init__((ANYWHERE, port), RawHandler)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that go away are part of the tests."""


def answer_datagrams(port: int, record: Record) -> None:
    """Echo every datagram, and note it."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        sock.bind((ANYWHERE, port))
        while True:
            data, sender = sock.recvfrom(65536)
            record.datagrams.append(port)
            sock.sendto(data, sender)


def say(message: dict[str, Any]) -> None:
    """One line of JSON."""
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def main() -> None:
    """Serve until standard input ends."""
    record = Record()
    authority = trustme.CA()
    contexts = make_contexts(authority)
    servers: list[Any] = [ServedOrigin(port, record) for port in HTTP_PORTS]
    servers += [ServedOrigin(port, record, contexts) for port in TLS_PORTS]
    servers += [RawServer(port, record) for port in RAW_PORTS]
    for port in UDP_PORTS:
        threading.Thread(target=answer_datagrams, args=(port, record), daemon=True).start()
    say({"ca_pem": authority.cert_pem.bytes().decode()})
    for _line in sys.stdin:
        say(record.take())
    for server in servers:
        server.server_close()


if __name__ == "__main__":
    main()
