"""
What an attempt in the sandbox is written with: raw connections, and answers in a few words.

It is copied into the sandbox and uses the standard library only. Each function returns what the
client saw; a failure of the network is a result too, and `words_for` names it.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import socket
import ssl
import struct
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

from privilege import PRIVILEGES
from status import follow

__all__ = ["follow"]
WAIT_S = 8.0
LONGEST_S = 12.0
"""For an attempt among others, side by side."""
PROXY_URL = urlsplit(os.environ.get("http_proxy", ""))
SIDECAR = PROXY_URL.hostname or ""
"""The sidecar's address."""
PROXY = (SIDECAR, PROXY_URL.port or 0)
OWN = os.environ.get("ATTEMPT_OWN", "")
GATEWAY = os.environ.get("ATTEMPT_GATEWAY", "")
"""What would be the host's address on the sandbox's network."""
HOSTS = tuple(json.loads(os.environ.get("ATTEMPT_HOSTS", "[]")))
"""Every other address of the engine's host that is known."""
HOST_PORT = int(os.environ.get("ATTEMPT_HOST_PORT", "0"))
"""Where a service of the engine's host listens, on 0.0.0.0."""
ORIGIN = os.environ.get("ATTEMPT_ORIGIN", "")
"""An origin server's address."""
NEIGHBOUR = os.environ.get("ATTEMPT_NEIGHBOUR", "")
"""The name of another container."""

BY_ERRNO = {
    errno.EADDRNOTAVAIL: "no route",
    errno.EAFNOSUPPORT: "no route",
    errno.EHOSTUNREACH: "no route",
    errno.ENETUNREACH: "no route",
    errno.ENETDOWN: "no route",
    errno.EINVAL: "no route",
    errno.ECONNREFUSED: "refused",
    errno.ECONNRESET: "closed",
    errno.EPIPE: "closed",
    errno.EACCES: "not permitted",
    errno.EPERM: "not permitted",
    errno.EROFS: "not permitted",
    errno.ENOENT: "not there",
}


def words_for(exc: Exception) -> str:
    """A failure in a few words."""
    if isinstance(exc, ssl.SSLCertVerificationError):
        return "certificate rejected"
    if isinstance(exc, socket.gaierror):
        return "no such name"
    if isinstance(exc, TimeoutError):
        return "no answer"
    if isinstance(exc, ssl.SSLError):
        return "TLS refused"
    if isinstance(exc, OSError) and exc.errno in BY_ERRNO:
        return BY_ERRNO[exc.errno]
    return f"{type(exc).__name__}: {exc}"


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


def dial(address: tuple[str, int] = PROXY) -> socket.socket:
    """Connect."""
    return socket.create_connection(address, timeout=WAIT_S)


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


# What needs no proxy


def tcp(address: str, port: int) -> str:
    """Connect to an address, or to what a name resolves to."""
    with dial((address, port)):
        return "reached"


def any_tcp(addresses: tuple[str, ...] | list[str], *ports: int) -> str:
    """Connect to all addresses and ports at once; the best that came of it."""
    targets = [(address, port) for address in addresses for port in ports]
    with ThreadPoolExecutor(len(targets)) as pool:
        results = set(pool.map(lambda target: tried(lambda: tcp(*target)), targets))
    return "reached" if "reached" in results else " or ".join(sorted(results))


def udp(address: str, port: int, data: bytes = b"hello") -> str:
    """Send a datagram and wait for one; silence and the lack of a route are one."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.socket(family, socket.SOCK_DGRAM) as sock:
        sock.settimeout(4)
        try:
            sock.connect((address, port))
            sock.send(data)
            sock.recv(4096)
        except OSError as exc:
            return "no route" if words_for(exc) == "no answer" else words_for(exc)
        return "reached"


def ping(address: str) -> str:
    """An ICMP echo, by the socket type that needs no privilege."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM, socket.IPPROTO_ICMP) as sock:
        sock.settimeout(4)
        try:
            sock.sendto(struct.pack("!BBHHH", 8, 0, 0, 0, 1) + b"secret", (address, 0))
            sock.recv(4096)
        except OSError as exc:
            return "no route" if words_for(exc) == "no answer" else words_for(exc)
        return "reached"


RCODES = {0: "no address", 2: "SERVFAIL", 3: "NXDOMAIN", 4: "NOTIMP", 5: "REFUSED"}
TYPES = {"A": 1, "NS": 2, "PTR": 12, "MX": 15, "TXT": 16, "AAAA": 28, "SRV": 33, "HTTPS": 65}


def dns(name: str, kind: str = "A", *, server: str = "", over_tcp: bool = False) -> str:
    """Ask a name server, the sidecar where none is named; the sidecar's address has a word."""
    labels = b"".join(bytes([len(part)]) + part.encode() for part in name.split("."))
    tail = labels + b"\0" + struct.pack("!HH", TYPES[kind], 1)
    query = struct.pack("!HHHHHH", 1, 0x100, 1, 0, 0, 0) + tail
    where = (server or SIDECAR, 53)
    if over_tcp:
        with dial(where) as sock:
            sock.sendall(struct.pack("!H", len(query)) + query)
            return answered(sock.recv(4096)[2:])
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        sock.settimeout(4)
        try:
            sock.connect(where)
            sock.send(query)
            return answered(sock.recv(4096))
        except OSError as exc:
            return "no route" if words_for(exc) == "no answer" else words_for(exc)


def answered(answer: bytes) -> str:
    """An answer in a few words."""
    if len(answer) < 12:
        return "closed"
    if answer[7] and answer[3] & 15 == 0:
        address = socket.inet_ntoa(answer[-4:])
        return "the sidecar" if address == SIDECAR else f"reached {address}"
    return RCODES.get(answer[3] & 15, f"rcode {answer[3] & 15}")


def resolve(name: str) -> str:
    """What the system's resolver says."""
    address = socket.gethostbyname(name)
    return "the sidecar" if address == SIDECAR else f"reached {address}"


def permitted(action: Callable[[], object]) -> str:
    """Whether the kernel lets the sandbox do something."""
    action()
    return "reached"


def found(script: str) -> str:
    """Whether a shell script prints anything."""
    done = subprocess.run(["sh", "-c", script], capture_output=True, check=False)
    return "reached" if done.stdout else "not there"


def tried(attempt: Callable[[], str]) -> str:
    """What came of it, a failure included."""
    try:
        return attempt()
    except Exception as exc:  # noqa: BLE001 (whatever it is, it is what came of the attempt)
        return words_for(exc)


def do(expression: str) -> str:
    """Evaluate one attempt."""
    names = {**globals(), **PRIVILEGES}
    return tried(lambda: eval(expression, names))


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

    with ThreadPoolExecutor(48) as pool:
        print(json.dumps(list(pool.map(alone, attempts))))


if __name__ == "__main__":
    main()
