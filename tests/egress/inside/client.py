"""
What an attempt in the sandbox is written with: raw connections, and answers in a few words.

It is copied into the sandbox and uses the standard library only. Each function returns what the
client saw; a failure of the network is a result too, and `words_for` names it.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import ssl
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

import network
import privilege
import words
from status import follow
from words import PROXY, SIDECAR, dial, tried

LONGEST_S = 12.0
"""For an attempt among others, side by side."""


def said(answer: bytes) -> str:
    """HTTP answers in a few words: the status of each, and the reason of a refusal."""
    found = []
    for part in answer.split(b"HTTP/1.1 ")[1:]:
        head = part.partition(b"\r\n\r\n")[0].decode("latin-1").split("\r\n")
        fields = dict(line.lower().split(": ", 1) for line in head[1:] if ": " in line)
        detail = fields.get("x-quickstarted-detail") or fields.get("x-quickstarted-reason")
        found.append(f"{head[0][:3]} {detail}" if detail else head[0][:3])
    return ", ".join(found) or (f"reached {answer[:20]!r}" if answer else "closed")


def read_all(sock: socket.socket) -> bytes:
    """Everything until the peer closes or resets; silence after an answer is an end too."""
    data = bytearray()
    try:
        while piece := sock.recv(65536):
            data += piece
    except TimeoutError:
        if not data:
            raise
    except (ConnectionResetError, BrokenPipeError, ssl.SSLError):
        pass
    return bytes(data)


def read_head(sock: socket.socket) -> bytes:
    """One answer's head, to the byte."""
    data = b""
    while not data.endswith(b"\r\n\r\n") and (piece := sock.recv(1)):
        data += piece
    return data


def door(port: int) -> tuple[str, int]:
    """The sidecar's address with a port."""
    return (SIDECAR, port)


def send(data: bytes | str, to: tuple[str, int] = PROXY, *, end: bool = True) -> str:
    """Send bytes, end the sending side, and read until the peer closes."""
    with dial(to) as sock:
        with contextlib.suppress(ConnectionResetError, BrokenPipeError):
            sock.sendall(data.encode() if isinstance(data, str) else data)
            if end:
                sock.shutdown(socket.SHUT_WR)
        return said(read_all(sock))


def request(method: str, target: str, host: str, *more: str, body: str = "") -> str:
    """The text of a request that asks for the connection to be closed."""
    fields = [f"Host: {host}"] if host else []
    fields += [*more, "Connection: close"]
    return f"{method} {target} HTTP/1.1\r\n" + "".join(f"{f}\r\n" for f in fields) + "\r\n" + body


def get(url: str, host: str = "", *more: str, method: str = "GET", body: str = "") -> str:
    """A request for plain HTTP to the proxy, in absolute form."""
    return send(request(method, url, host or urlsplit(url).netloc, *more, body=body), end=False)


@contextlib.contextmanager
def tunnel(target: str, *more: str) -> Iterator[tuple[socket.socket, bytes]]:
    """CONNECT: the socket and the answer's head."""
    with dial() as sock:
        fields = "".join(f"{field}\r\n" for field in (f"Host: {target}", *more))
        sock.sendall(f"CONNECT {target} HTTP/1.1\r\n{fields}\r\n".encode())
        yield sock, read_head(sock)


def connect(target: str) -> str:
    """CONNECT and nothing else."""
    with tunnel(target) as (_, head):
        return said(head)


def context(*, trusting: bool = True) -> ssl.SSLContext:
    """A client's TLS; what does not trust the sidecar's authority trusts nobody."""
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    if trusting:
        made.load_default_certs()
    return made


def over_tls(sock: socket.socket, sni: str | None, *, trusting: bool = True) -> ssl.SSLSocket:
    """TLS with a server name, or without one and unchecked."""
    made = context(trusting=trusting)
    made.check_hostname = sni is not None
    return made.wrap_socket(sock, server_hostname=sni)


def in_tunnel(target: str, data: bytes) -> str:
    """CONNECT, then bytes."""
    with tunnel(target) as (sock, head):
        if not head.startswith(b"HTTP/1.1 200"):
            return said(head)
        sock.sendall(data)
        return said(read_all(sock))


def https(target: str, sni: str | None = "", host: str = "", path: str = "/", *more: str) -> str:
    """
    A request over TLS in a tunnel to `host:port`.

    `sni` and `host` are the target's where they are empty; None sends no server name.
    """
    name = target.rpartition(":")[0]
    asked = request("GET", path, host or name, *more).encode()
    return in_tls(target, asked, name if sni == "" else sni)


def in_tls(target: str, data: bytes, sni: str | None) -> str:
    """CONNECT, TLS, then bytes."""
    with tunnel(target) as (sock, head):
        if not head.startswith(b"HTTP/1.1 200"):
            return said(head)
        with over_tls(sock, sni) as tls:
            tls.sendall(data)
            return said(read_all(tls))


def direct(
    host: str, *, sni: str | None = "", named: str = "", at: str = "", trusting: bool = True
) -> str:
    """A request over TLS to port 443 of *at*, else of what *host* resolves to."""
    with (
        dial((at or host, 443)) as sock,
        over_tls(sock, host if sni == "" else sni, trusting=trusting) as tls,
    ):
        tls.sendall(request("GET", "/", named or host).encode())
        return said(read_all(tls))


def agreed(target: str) -> str:
    """Which of HTTP/2 and HTTP/1.1 is spoken to a client that offers both in TLS."""
    made = context()
    made.set_alpn_protocols(["h2", "http/1.1"])
    with (
        tunnel(target) as (sock, _),
        made.wrap_socket(sock, server_hostname=target.rpartition(":")[0]) as tls,
    ):
        return tls.selected_alpn_protocol() or "neither"


def untrusting(target: str) -> str:
    """TLS in a tunnel by a program with roots of its own."""
    with tunnel(target) as (sock, _), over_tls(sock, "ok.test", trusting=False):
        return "reached"


def upload(url: str, size: int, *, chunked: bool = False) -> str:
    """A POST of *size* bytes."""
    how = "Transfer-Encoding: chunked" if chunked else f"Content-Length: {size}"
    piece = b"x" * 65536
    with dial() as sock:
        sock.sendall(request("POST", url, urlsplit(url).netloc, how).encode())
        with contextlib.suppress(ConnectionResetError, BrokenPipeError):
            for start in range(0, size, len(piece)):
                part = piece[: size - start]
                sock.sendall(b"%x\r\n%s\r\n" % (len(part), part) if chunked else part)
            if chunked:
                sock.sendall(b"0\r\n\r\n")
        return said(read_all(sock))


def waits(url: str, size: int) -> str:
    """A POST whose body is sent only after an answer; none comes, so none is sent."""
    fields = ("Expect: 100-continue", f"Content-Length: {size}")
    with dial() as sock:
        sock.sendall(request("POST", url, urlsplit(url).netloc, *fields).encode())
        return said(read_head(sock))


def taken(url: str, size: int) -> str:
    """A GET that hangs up after *size* bytes."""
    with dial() as sock:
        sock.sendall(request("GET", url, urlsplit(url).netloc).encode())
        count = 0
        while count < size and (piece := sock.recv(65536)):
            count += len(piece)
    return "200" if count >= size else "closed"


def broken(url: str) -> str:
    """A GET whose answer must not look whole: the status, and whether it was cut."""
    with dial() as sock:
        sock.sendall(request("GET", url, urlsplit(url).netloc).encode())
        answer = read_all(sock)
    head, _, body = answer.partition(b"\r\n\r\n")
    length = head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0]
    ended = body.endswith(b"0\r\n\r\n") if not length else len(body) == int(length)
    return said(answer) if ended else f"{said(answer)}, cut"


def websocket(target: str, path: str = "/websocket") -> str:
    """An upgrade, and whether a frame came."""
    fields = (
        "Upgrade: websocket",
        "Connection: Upgrade",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
    )
    name = target.rpartition(":")[0]
    asked = f"GET {path} HTTP/1.1\r\nHost: {name}\r\n" + "".join(f"{f}\r\n" for f in fields)
    with tunnel(target) as (sock, _), over_tls(sock, name) as tls:
        tls.sendall(asked.encode() + b"\r\n")
        head = read_head(tls)
        return "101 and a frame" if b" 101 " in head and tls.recv(64) else said(head)


def relayed(target: str) -> str:
    """CONNECT through a relay of our own in the sandbox."""
    relay = socket.create_server(("127.0.0.1", 0))

    def pump(source: socket.socket, sink: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                sink.sendall(data)
        with contextlib.suppress(OSError):
            sink.shutdown(socket.SHUT_RDWR)

    def serve() -> None:
        near, _ = relay.accept()
        with near, dial() as far, ThreadPoolExecutor(1) as back:
            back.submit(pump, far, near)
            pump(near, far)

    with ThreadPoolExecutor(1) as pool, relay:
        pool.submit(serve)
        with dial(relay.getsockname()) as sock:
            sock.sendall(f"CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n\r\n".encode())
            return said(read_head(sock))


def do(expression: str) -> str:
    """Evaluate one attempt."""
    known = {**vars(words), **vars(network), **vars(privilege), **globals(), "follow": follow}
    return tried(lambda: eval(expression, known))


def main() -> None:
    """
    The attempt of the environment; or a list of them, side by side, as a list of results.

    In a list an attempt is a command line's arguments, or an expression.
    """
    attempts = json.loads(os.environ["ATTEMPT"])
    if isinstance(attempts, str):
        print(do(attempts))
        return

    def alone(attempt: str | list[str]) -> str:
        command = [sys.executable, __file__] if isinstance(attempt, str) else attempt
        env = {**os.environ, "ATTEMPT": json.dumps(attempt)}
        try:
            done = subprocess.run(
                command, env=env, capture_output=True, text=True, check=False, timeout=LONGEST_S
            )
        except subprocess.TimeoutExpired:
            return "no answer"
        return done.stdout.strip() or done.stderr.strip()[-300:]

    with ThreadPoolExecutor(96) as pool:
        print(json.dumps(list(pool.map(alone, attempts))))


if __name__ == "__main__":
    main()
