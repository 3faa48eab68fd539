"""The host's own proxy, which wants credentials and knows names that the sidecar does not."""

from __future__ import annotations

import base64
import contextlib
import socket
import socketserver
import threading

from origins import ADDRESS


class ProxyHandler(socketserver.StreamRequestHandler):
    """A forwarding proxy that wants credentials."""

    server: UpstreamProxyServer

    def handle(self) -> None:
        line = self.rfile.readline().decode().strip()
        headers = {}
        while (field := self.rfile.readline().decode().strip()) != "":
            key, _, value = field.partition(": ")
            headers[key.lower()] = value
        self.server.seen.append(line)
        wanted = "Basic " + base64.b64encode(b"user:p@ss").decode()
        if headers.get("proxy-authorization") != wanted:
            self.wfile.write(
                b"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n"
            )
            return
        method, target, _ = line.split(" ")
        if method == "CONNECT":
            self.tunnel(target.partition(":")[0], int(target.partition(":")[2]))
        else:
            body = f"{line} {headers['host']}".encode()
            head = f"HTTP/1.1 200 OK\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
            self.wfile.write(head.encode() + body)

    def tunnel(self, host: str, port: int) -> None:
        with socket.create_connection((self.server.addresses.get(host, ADDRESS), port)) as far:
            self.wfile.write(b"HTTP/1.1 200 OK\r\n\r\n")
            back = threading.Thread(target=self.copy, args=(far, self.connection), daemon=True)
            back.start()
            self.copy(self.connection, far)
            back.join(10)

    @staticmethod
    def copy(source: socket.socket, target: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)


class UpstreamProxyServer(socketserver.ThreadingTCPServer):
    """Knows addresses that the sidecar does not."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, port: int) -> None:
        self.seen: list[str] = []
        self.addresses: dict[str, str] = {}
        super().__init__((ADDRESS, port), ProxyHandler)
        threading.Thread(target=self.serve_forever, daemon=True).start()
