"""
Vendors' own hosts, served by scripted servers of loopback, for a sidecar that stands where it does.

The sidecar is told of a proxy, as on any network that has one, and the proxy takes the vendors'
names for itself: names, certificates and HTTPS are then as in production, and no vendor is asked.
Everything else goes where it wants to.
"""

from __future__ import annotations

import contextlib
import socket
import socketserver
import ssl
import threading
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Self
from urllib.parse import urlsplit

from fakes.scripted_http import ScriptedServer
from fakes.tls_certificates import make_authority, make_leaf
from quickstarted.sandbox.lanes.upstream import Upstream

HOSTS = ("api.anthropic.com", "api.openai.com")


class VendorFront(socketserver.ThreadingTCPServer):
    """
    A proxy; a context manager.

    Args:
        folder: For certificates.
        address: To listen at, see `bridge_address`.

    """

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, folder: Path, address: str) -> None:
        super().__init__((address, 0), _Connection)
        day = timedelta(days=1)
        validity = tuple(
            (datetime.now(UTC) + shift).strftime("%y%m%d%H%M%SZ") for shift in (-day, day)
        )
        self.authority, _ = root = make_authority(folder)
        names = ",".join(f"DNS:{host}" for host in HOSTS)
        leaf = make_leaf(folder, root, names, validity=(validity[0], validity[1]))
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(leaf)
        self.url = f"http://{address}:{self.server_address[1]}"
        self.servers: dict[str, ScriptedServer] = {}
        """Vendor's host to what answers for it; may be changed at any time."""
        self.asked: list[str] = []
        """Hosts that were connected to."""

    @property
    def upstream(self) -> Upstream:
        """What a sidecar is told of it."""
        return Upstream(trust_pem=self.authority.read_text(), https_proxy=self.url)

    @property
    def environ(self) -> Mapping[str, str]:
        """The same for the program as a person starts it."""
        return {"HTTPS_PROXY": self.url, "https_proxy": self.url}

    def __enter__(self) -> Self:
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self.server_close()

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that hangs up is no error here."""


class _Connection(socketserver.BaseRequestHandler):
    server: VendorFront

    def handle(self) -> None:
        host, _, port = self._connect().rpartition(":")
        self.server.asked.append(host)
        scripted = self.server.servers.get(host)
        target = (host, int(port))
        if scripted is not None:
            place = urlsplit(scripted.base_url)
            target = (str(place.hostname), place.port or 80)
        with socket.create_connection(target, timeout=30) as behind:
            behind.settimeout(None)
            self.request.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
            client = self.request
            if scripted is not None:
                client = self.server.context.wrap_socket(client, server_side=True)
            with client:
                back = threading.Thread(target=_copy, args=(behind, client), daemon=True)
                back.start()
                _copy(client, behind)
                back.join(10)

    def _connect(self) -> str:
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            piece = self.request.recv(1)
            if not piece:
                raise ConnectionError("no request")
            head += piece
        return head.split()[1].decode()


def _copy(source: socket.socket, target: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(1 << 16):
            target.sendall(data)
    with contextlib.suppress(OSError):
        target.shutdown(socket.SHUT_RDWR)
