"""What measures: one client that reads as fast as TLS lets it, directly or through a proxy."""

from __future__ import annotations

import socket
import ssl
import time
from dataclasses import dataclass

BUFFER_BYTES = 2**20
TIMEOUT_S = 120.0


@dataclass(frozen=True)
class Way:
    """How the origin is reached."""

    name: str
    host: str
    address: tuple[str, int]
    """Of the proxy, or of the origin itself."""
    context: ssl.SSLContext
    proxy: bool = True


def connect(way: Way) -> ssl.SSLSocket:
    """A connection on which requests can be made."""
    sock = socket.create_connection(way.address, timeout=TIMEOUT_S)
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    if way.proxy:
        target = f"{way.host}:443"
        sock.sendall(f"CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n\r\n".encode())
        head = read_head(sock)[0]
        assert b" 200 " in head.split(b"\r\n")[0] + b" ", head
    return way.context.wrap_socket(sock, server_hostname=way.host)


def read_head(sock: socket.socket) -> tuple[bytes, bytes]:
    """An answer's head, and what came with it of the body."""
    data = b""
    while b"\r\n\r\n" not in data:
        piece = sock.recv(65536)
        if not piece:
            raise EOFError(data)
        data += piece
    head, _, rest = data.partition(b"\r\n\r\n")
    return head, rest


def get(sock: ssl.SSLSocket, way: Way, path: str, buffer: bytearray) -> int:
    """One request; the bytes of its body, which must be whole."""
    sock.sendall(f"GET {path} HTTP/1.1\r\nHost: {way.host}\r\nAccept: */*\r\n\r\n".encode())
    head, rest = read_head(sock)
    assert head.startswith(b"HTTP/1.1 200"), head + rest
    size = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
    left = size - len(rest)
    while left:
        got = sock.recv_into(buffer, min(left, len(buffer)))
        if not got:
            raise EOFError(f"{left} of {size} bytes are missing")
        left -= got
    return size


def download(way: Way, path: str) -> tuple[int, float]:
    """Bytes, and seconds from the request on."""
    buffer = bytearray(BUFFER_BYTES)
    with connect(way) as sock:
        began = time.perf_counter()
        size = get(sock, way, path, buffer)
        return size, time.perf_counter() - began


def kept_alive_s(way: Way, count: int) -> list[float]:
    """How long each of *count* small requests on one connection took."""
    buffer = bytearray(BUFFER_BYTES)
    took = []
    with connect(way) as sock:
        get(sock, way, "/small", buffer)
        for _ in range(count):
            began = time.perf_counter()
            get(sock, way, "/small", buffer)
            took.append(time.perf_counter() - began)
    return took


def new_connection_s(way: Way, count: int) -> list[float]:
    """How long each of *count* connections with one small request took."""
    buffer = bytearray(BUFFER_BYTES)
    took = []
    for _ in range(count):
        began = time.perf_counter()
        with connect(way) as sock:
            get(sock, way, "/small", buffer)
            took.append(time.perf_counter() - began)
    return took
