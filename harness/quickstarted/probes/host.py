"""What probes are told of this machine: its addresses, a listener on all of them, its resolvers."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Self

import psutil

WELL_KNOWN = (("1.1.1.1", 443), ("8.8.8.8", 53), ("169.254.169.254", 80))
"""Public resolvers, and where clouds answer with secrets of the machine."""
PUBLIC_NAME_SERVERS = ("1.1.1.1", "8.8.8.8")
LONGEST_NONCE_BYTES = 200


class HostListener:
    """
    Listens on all addresses of this machine and notes under which of them *nonce* arrives.

    A context manager. `check` shows that it can hear at all.
    """

    def __init__(self, nonce: str) -> None:
        self.nonce = nonce
        self._server = socket.create_server(("0.0.0.0", 0))  # noqa: S104 (that is the point)
        self.port: int = self._server.getsockname()[1]
        self._heard: list[str] = []

    def __enter__(self) -> Self:
        threading.Thread(target=self._accept, name="host-listener", daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(OSError):
            self._server.shutdown(socket.SHUT_RDWR)
        self._server.close()

    def heard(self) -> Sequence[str]:
        """Addresses of this machine to which somebody sent the nonce."""
        return tuple(dict.fromkeys(self._heard))

    def check(self, address: str) -> bool:
        """Whether a connection of our own to *address* is answered."""
        try:
            with socket.create_connection((address, self.port), timeout=3) as line:
                line.sendall(b"check\n")
                return line.recv(1) == b"."
        except OSError:
            return False

    def _accept(self) -> None:
        while True:
            try:
                line, _ = self._server.accept()
            except OSError:
                return
            threading.Thread(target=self._listen, args=(line,), daemon=True).start()

    def _listen(self, line: socket.socket) -> None:
        with line, contextlib.suppress(OSError):
            line.settimeout(5)
            address = line.getsockname()[0]
            said = line.recv(LONGEST_NONCE_BYTES)
            if said.strip() == self.nonce.encode():
                self._heard.append(address)
            line.sendall(b".")


def host_addresses() -> tuple[str, ...]:
    """IPv4 addresses of this machine's interfaces, loopback left out."""
    found: dict[str, None] = {}
    with contextlib.suppress(OSError):
        name = socket.gethostname()
        infos = socket.getaddrinfo(name, None, socket.AF_INET)
        found |= dict.fromkeys(str(info[4][0]) for info in infos)
    for interface in psutil.net_if_addrs().values():
        found |= {one.address: None for one in interface if one.family == socket.AF_INET}
    return tuple(address for address in found if not address.startswith("127."))


def name_servers() -> tuple[str, ...]:
    """IPv4 name servers of this machine that are not on its loopback, and public ones."""
    found: dict[str, None] = {}
    with contextlib.suppress(OSError):
        for line in (
            Path("/etc/resolv.conf").read_text(encoding="utf-8", errors="replace").split("\n")
        ):
            words = line.split()
            if words[:1] == ["nameserver"] and len(words) > 1 and "." in words[1]:
                found[words[1]] = None
    own = [address for address in found if not address.startswith("127.")]
    return tuple(dict.fromkeys([*own, *PUBLIC_NAME_SERVERS]))


def outside_addresses(allowed_host: str) -> tuple[tuple[str, int], ...]:
    """Places that answer whoever has a way out: the allowed host's own addresses first."""
    found: dict[tuple[str, int], None] = {}
    with contextlib.suppress(OSError):
        infos = socket.getaddrinfo(allowed_host, 443, socket.AF_INET, socket.SOCK_STREAM)
        found |= dict.fromkeys((str(info[4][0]), 443) for info in infos[:3])
    return tuple(found) + WELL_KNOWN
