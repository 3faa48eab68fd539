"""Ways out that know no proxy: packets, lookups, and what the kernel permits."""

from __future__ import annotations

import socket
import struct
import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from words import SIDECAR, dial, tried, words_for


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
