"""
Servers on the far side of the sidecar: good, badly certified, and resetting.

They listen on the container's own address, on the real ports; names are put into /etc/hosts.
"""

from __future__ import annotations

import contextlib
import json
import socket
import socketserver
import ssl
import struct
import threading
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import trustme

ADDRESS = socket.gethostbyname(socket.gethostname())
CHUNK = b"x" * 65536
POOL_HEADERS = {
    "plain": [
        "Content-Type: application/x-pool",
        'ETag: "v1"',
        "Last-Modified: Wed, 21 Oct 2015 07:28:00 GMT",
    ],
    "vary": ["Vary: Accept-Encoding"],
    "varymore": ["Vary: Accept"],
    "gzip": ["Content-Encoding: gzip"],
    "private": ["Cache-Control: private"],
    "nostore": ["Cache-Control: no-store"],
    "cookie": ["Set-Cookie: a=b"],
    "badsum": [f"X-Checksum-Sha256: {'0' * 64}"],
}
"""What makes a difference to whether a file is kept, by variant."""
IMMUTABLE_ENDS = (".tgz", ".zip", ".mod")
"""Of files beside an index."""

NAMES = {
    "ok.test": ADDRESS,
    "other.test": ADDRESS,
    "sub.ok.test": ADDRESS,
    "xn--bcher-kva.test": ADDRESS,
    "docs.test": ADDRESS,
    "expired.test": ADDRESS,
    "selfsigned.test": ADDRESS,
    "wrongname.test": ADDRESS,
    "plaintext.test": ADDRESS,
    "closed.test": ADDRESS,
    "unlisted.test": ADDRESS,
    "private.test": ADDRESS,
    "loopback.test": "127.0.0.1",
    "metadata.test": "169.254.169.254",
    "proxy.test": ADDRESS,
    "models.test": ADDRESS,
}
"""`missing.test` has no address."""


def write_names() -> None:
    """Make the names known to this machine."""
    hosts = Path("/etc/hosts")
    kept = hosts.read_text()
    lines = [f"{address} {name}" for name, address in NAMES.items()]
    hosts.write_text(kept + "\n".join(lines) + "\n")


def pattern(size: int) -> bytes:
    """Bytes that repeat after a prime number of them, so that no cut looks like another."""
    return (bytes(range(251)) * (size // 251 + 1))[:size]


class Handler(socketserver.BaseRequestHandler):
    """HTTP/1.1 by hand, so that it can misbehave."""

    server: Origin

    def handle(self) -> None:
        with contextlib.suppress(OSError, EOFError):
            if self.server.contexts:
                self.request = self.server.wrap(self.request)
            self.rest = b""
            while self.one_request():
                pass

    def finish(self) -> None:
        with contextlib.suppress(OSError):
            self.request.close()

    def one_request(self) -> bool:
        while b"\r\n\r\n" not in self.rest:
            self.read_more()
        head, _, self.rest = self.rest.partition(b"\r\n\r\n")
        line, *fields = head.decode("latin-1").split("\r\n")
        _method, target, _ = line.split(" ", 2)
        headers = [field.partition(": ")[::2] for field in fields]
        self.server.requests.append({"line": line, "headers": headers})
        sizes = {key.lower(): value for key, value in headers}
        length = self.read_body(sizes)
        self.server.bodies.append(length)
        if target.startswith(("/pool/", "/packages/")):
            return self.pool(target, line.split(" ")[0])
        path = target.partition("?")[0].rpartition("/")[2]
        answer = getattr(self, f"get_{path}", None)
        if answer is None:
            self.reply(json.dumps({"line": line, "headers": headers, "body": length}).encode())
            return True
        return bool(answer(target))

    def read_more(self) -> None:
        piece = self.request.recv(65536)
        if not piece:
            raise EOFError
        self.rest += piece

    def read_body(self, sizes: dict[str, str]) -> int:
        if "chunked" in sizes.get("transfer-encoding", ""):
            while b"0\r\n\r\n" not in self.rest:
                self.read_more()
            body, _, self.rest = self.rest.partition(b"0\r\n\r\n")
            return len(body)
        length = left = int(sizes.get("content-length", 0))
        while left > len(self.rest):
            left -= len(self.rest)
            self.rest = b""
            self.read_more()
        self.rest = self.rest[left:]
        return length

    def reply(self, body: bytes, extra: str = "", status: str = "200 OK") -> None:
        head = f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\n{extra}\r\n"
        self.request.sendall(head.encode() + body)

    def get_big(self, target: str) -> bool:
        size = int(target.partition("=")[2])
        self.request.sendall(f"HTTP/1.1 200 OK\r\nContent-Length: {size}\r\n\r\n".encode())
        for _ in range(size // len(CHUNK)):
            self.request.sendall(CHUNK)
        return True

    def get_pattern(self, target: str) -> bool:
        """A body that can be told from any part of itself, and how it ends."""
        size, _, end = target.partition("=")[2].partition("&")
        self.request.sendall(f"HTTP/1.1 200 OK\r\nContent-Length: {size}\r\n\r\n".encode())
        body = pattern(int(size))
        if end in {"short", "reset"}:
            body = body[: len(body) * 2 // 3]
        self.request.sendall(body + (b"more" if end == "more" else b""))
        if end == "reset":
            self.request.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        if end == "stall":
            self.server.released.wait(20)
        return not end

    def get_chunked(self, target: str) -> bool:
        size = int(target.partition("=")[2])
        self.request.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        self.request.sendall(b"%x\r\n%s\r\n0\r\n\r\n" % (size, pattern(size)))
        return True

    def pool(self, target: str, method: str) -> bool:
        """A file that never changes: `/pool/SIZE/VARIANT/...`, or of 200,000 bytes."""
        if target.startswith("/pool/index/"):
            keeps = target.endswith(IMMUTABLE_ENDS) or "/dists/" in target
            index = "" if keeps else "Cache-Control: no-store\r\n"
            if self.server.index_cut:
                size = 2 * len(self.server.index_page)
                self.request.sendall(f"HTTP/1.1 200 OK\r\nContent-Length: {size}\r\n\r\n".encode())
                self.request.sendall(self.server.index_page)
                return False
            self.reply(self.server.index_page, index)
            return True
        size, variant = 200_000, "plain"
        if target.startswith("/pool/"):
            size, variant = int(target.split("/")[2]), target.split("/")[3]
        status = {"missing": "404 Not Found", "part": "206 Partial Content"}.get(variant, "200 OK")
        extra = "".join(f"{field}\r\n" for field in POOL_HEADERS.get(variant, []))
        body = self.server.pool_content or pattern(size)
        head = f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\n{extra}\r\n"
        if method == "HEAD":
            body = b""
        elif variant in {"short", "stall"}:
            body = body[: len(body) * 2 // 3]
        self.request.sendall(head.encode() + body)
        if variant == "stall":
            self.server.released.wait(20)
        return variant not in {"short", "stall"}

    def get_altsvc(self, _target: str) -> bool:
        self.reply(b"ok", 'Alt-Svc: h3=":443"\r\n')
        return True

    def get_teapot(self, _target: str) -> bool:
        self.reply(b"no", status="503 Service Unavailable")
        return True

    def get_switch(self, _target: str) -> bool:
        self.request.sendall(
            b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: raw\r\nConnection: upgrade\r\n\r\nraw"
        )
        return False

    def get_websocket(self, _target: str) -> bool:
        """Switch, greet, and send back what comes until the client goes."""
        self.request.sendall(
            b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            b"Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\nhello"
        )
        while piece := self.request.recv(65536):
            self.request.sendall(piece)
        return False

    def get_websocketleft(self, _target: str) -> bool:
        self.request.sendall(
            b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            b"\r\nbye"
        )
        return False

    def get_chunks(self, target: str) -> bool:
        """So many chunks of 64 KiB, in the chunked coding."""
        self.request.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        for _ in range(int(target.partition("=")[2])):
            self.request.sendall(b"%x\r\n%s\r\n" % (len(CHUNK), CHUNK))
        self.request.sendall(b"0\r\n\r\n")
        return True

    def get_trailers(self, _target: str) -> bool:
        self.request.sendall(
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX-T: 1\r\n\r\n"
        )
        time.sleep(1)
        return False

    def get_chunkerror(self, _target: str) -> bool:
        self.request.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n")
        time.sleep(1)
        return False

    def get_nothttp(self, _target: str) -> bool:
        self.request.sendall(b"SSH-2.0-fake\r\n\r\n")
        return False

    def get_short(self, _target: str) -> bool:
        self.request.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
        return False

    def get_reset(self, _target: str) -> bool:
        self.request.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        return False

    def get_wait(self, _target: str) -> bool:
        self.request.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
        self.server.released.wait(20)
        return False


class Origin(socketserver.ThreadingTCPServer):
    """A server; with contexts, by server name, it speaks TLS."""

    daemon_threads = True
    allow_reuse_address = True

    handler: type[Handler] = Handler

    def __init__(
        self,
        port: int,
        contexts: dict[str, ssl.SSLContext] | None = None,
        *,
        address: str = ADDRESS,
    ) -> None:
        self.contexts = contexts or {}
        self.requests: list[dict[str, Any]] = []
        self.bodies: list[int] = []
        """Sizes of the bodies that came whole."""
        self.connections = 0
        self.released = threading.Event()
        self.index_page = b""
        self.index_cut = False
        """It ends in the middle."""
        self.pool_content = b""
        """In place of what its address says."""
        super().__init__((address, port), self.handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def verify_request(self, request: Any, client_address: Any) -> bool:
        """Count connections, whatever comes on them."""
        self.connections += 1
        return super().verify_request(request, client_address)

    def wrap(self, sock: socket.socket) -> ssl.SSLSocket:
        default = next(iter(self.contexts.values()))

        def choose(tls: ssl.SSLSocket, name: str | None, _context: ssl.SSLContext) -> None:
            tls.context = self.contexts.get(name or "", default)

        default.sni_callback = choose
        return default.wrap_socket(sock, server_side=True)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that go away are part of the tests."""


def server_context(certificate: trustme.LeafCert) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    certificate.configure_cert(context)
    return context


def make_contexts(authority: trustme.CA) -> dict[str, ssl.SSLContext]:
    """Good and bad certificates by server name; the first is the default."""
    now = datetime.now(UTC)
    good = ["ok.test", "*.ok.test", "other.test", "docs.test", "*.docs.test", "*.wild.test"]
    good += ["private.test", "opened.test", "missing.test", "registry.test", "ws.test"]
    return {
        "ok.test": server_context(authority.issue_cert(*good, "xn--bcher-kva.test")),
        "expired.test": server_context(
            authority.issue_cert(
                "expired.test", not_before=now - timedelta(9), not_after=now - timedelta(1)
            )
        ),
        "selfsigned.test": server_context(trustme.CA().issue_cert("selfsigned.test")),
        "wrongname.test": server_context(authority.issue_cert("another.test")),
    }
