"""
Names are resolved once, judged, and connected to as judged.

asyncio resolves inside `open_connection`, after mitmproxy's last hook. The event loop's
`getaddrinfo` is therefore replaced: it hands out only addresses that `Resolver.resolve` has judged
before, so a name that changes its address between check and connect gains nothing.
"""

from __future__ import annotations

import asyncio
import socket
import time
from dataclasses import dataclass
from typing import Any

from quickstarted_proxy.addresses import refused_range

AddressInfo = tuple[int, int, int, str, tuple[Any, ...]]

PIN_S = 30.0
"""How long judged addresses are used again without asking."""
_GRACE_S = 60.0
"""How much longer a connection that was decided on may still use them."""
LOOKUP_TIMEOUT_S = 10.0


@dataclass(frozen=True, slots=True)
class Unresolved:
    """The lookup failed."""

    error: str


@dataclass(frozen=True, slots=True)
class Refused:
    """Every address of the host is in a range that the sidecar does not connect to."""

    address: str
    range_name: str


class Resolver:
    """Judged addresses by host and port; *own* is the sidecar's lane address."""

    def __init__(self, own: str) -> None:
        self._own = own
        self._pins: dict[tuple[str, int], tuple[float, list[AddressInfo]]] = {}

    async def resolve(
        self, host: str, port: int, *, private_allowed: bool = False, trusted: bool = False
    ) -> Unresolved | Refused | None:
        """
        Look *host* up and keep the addresses that may be connected to.

        Args:
            host: Lower-case A-label form.
            port: Part of the key under which addresses are kept.
            private_allowed: The task opened private ranges for this host.
            trusted: The host's own proxy, whose address is not judged.

        Returns:
            None when there is at least one usable address.

        """
        if self.pinned(host, port) is not None:
            return None
        loop = asyncio.get_running_loop()
        lookup = loop.run_in_executor(
            None, lambda: socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        )
        try:
            infos = await asyncio.wait_for(lookup, LOOKUP_TIMEOUT_S)
        except TimeoutError:
            return Unresolved(f"no answer within {LOOKUP_TIMEOUT_S:g} s")
        except (OSError, UnicodeError) as exc:
            return Unresolved(str(exc))
        return self._keep(host, port, infos, None if trusted else private_allowed)

    def pinned(self, host: str, port: int, *, grace_s: float = 0.0) -> list[AddressInfo] | None:
        """Judged addresses that are still fresh, or were *grace_s* seconds ago."""
        expires, infos = self._pins.get((host, port), (-1e9, []))
        return infos if expires + grace_s > time.monotonic() else None

    def forget(self) -> None:
        """Drop all addresses: another policy begins."""
        self._pins.clear()

    def _keep(
        self, host: str, port: int, infos: list[Any], private_allowed: bool | None
    ) -> Refused | None:
        usable: list[AddressInfo] = []
        refused = None
        for info in infos:
            address = str(info[4][0])
            name = (
                None
                if private_allowed is None
                else refused_range(address, private_allowed=private_allowed, own=self._own)
            )
            if name is None:
                usable.append(info)
            else:
                refused = refused or Refused(address, name)
        if not usable:
            return refused or Refused("", "no address")
        self._pins[host, port] = (time.monotonic() + PIN_S, usable)
        return None


class PinnedEventLoop(asyncio.SelectorEventLoop):
    """An event loop that resolves nothing but what its resolver has judged."""

    resolver: Resolver | None = None

    async def getaddrinfo(  # type: ignore[override]  # the base's types are those of its stub
        self, host: Any, port: Any, **_hints: Any
    ) -> list[AddressInfo]:
        """Hand out judged addresses, or raise `OSError`."""
        name = host.decode("ascii") if isinstance(host, bytes) else str(host)
        judged = self.resolver
        infos = judged.pinned(name, int(port), grace_s=_GRACE_S) if judged else None
        if not infos:
            raise OSError(f"{name}:{port} was not judged before the connection")
        return infos
