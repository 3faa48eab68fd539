"""
Opens the connections: an address is judged after resolution, and the judged one is connected to.

httpcore asks its network backend for every connection, so that no request can go round this. TLS
and the Host header keep the name (httpcore sets both from the URL).
"""

from __future__ import annotations

import itertools
import socket
import ssl
from collections.abc import Callable, Iterable
from typing import Any

import httpcore

from quickstarted.docs import clock
from quickstarted.docs.faults import FetchFailed, FetchRefused
from quickstarted.docs.transports.allowlist import matches
from quickstarted_proxy.addresses import refused_range

Resolver = Callable[[str, int], list[str]]
"""Host and port to numeric addresses, best first; raises `OSError` where there are none."""

_MAX_ADDRESSES = 4
_HEAD_START_S = 2.0
"""
How long an address may take before the next one is tried (RFC 8305 does so with less, at once).

A lost SYN is sent again after one second, so an address that is silent for two is mostly dead.
"""
_NO_OWN_ADDRESS = "0.0.0.0"  # noqa: S104 (the sidecar's rule asks for one; this one is refused anyway)


def system_resolver(host: str, port: int) -> list[str]:
    """
    Ask the operating system.

    Raises:
        OSError: The name has no address.

    """
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


class JudgedBackend(httpcore.NetworkBackend):
    """
    Connects to public addresses, and for *private_hosts* to any.

    Args:
        resolve: Turns a name into addresses.
        private_hosts: Hosts that may be private, with their subdomains.

    """

    def __init__(self, resolve: Resolver, private_hosts: tuple[str, ...]) -> None:
        self._resolve = resolve
        self._private_hosts = private_hosts
        self._sockets = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        """Connect to the first usable address that answers."""
        addresses = self._usable(host, port)
        failure: Exception | None = None
        silent: list[str] = []
        for address in addresses[:-1]:
            try:
                short = _HEAD_START_S if timeout is None else min(timeout, _HEAD_START_S)
                return self._connect(address, port, short, local_address, socket_options)
            except httpcore.ConnectTimeout as exc:
                silent.append(address)
                failure = exc
            except httpcore.ConnectError as exc:
                failure = exc
        # The last one has its full time, and after it those that may only have been slow.
        for address in (addresses[-1], *silent):
            try:
                return self._connect(address, port, timeout, local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as exc:
                failure = exc
        assert failure is not None
        raise failure

    def _connect(
        self,
        address: str,
        port: int,
        timeout: float | None,
        local_address: str | None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None,
    ) -> TimedStream:
        return TimedStream(
            self._sockets.connect_tcp(
                address, port, _within(timeout), local_address, socket_options
            )
        )

    def _usable(self, host: str, port: int) -> list[str]:
        try:
            addresses = self._resolve(host, port)
        except (OSError, UnicodeError) as exc:
            raise FetchFailed(f"The host {host} has no address: {exc}", same_for_host=True) from exc
        if not addresses:
            raise FetchFailed(f"The host {host} has no address.", same_for_host=True)
        judged = [(address, refusal(host, address, self._private_hosts)) for address in addresses]
        if usable := [address for address, range_name in judged if range_name is None]:
            return by_turns(usable)[:_MAX_ADDRESSES]
        address, range_name = judged[0]
        raise FetchRefused(
            "private_address",
            f"The host {host} leads to {address} ({range_name});"
            " only a host under network.private may.",
        )


def by_turns(addresses: list[str]) -> list[str]:
    """Both families in turn, the resolver's favourite first (RFC 8305, 4)."""
    favourite = ":" in addresses[0]
    firsts = [one for one in addresses if (":" in one) == favourite]
    others = [one for one in addresses if (":" in one) != favourite]
    pairs = itertools.zip_longest(firsts, others)
    return [one for pair in pairs for one in pair if one is not None]


def refusal(host: str, address: str, private_hosts: tuple[str, ...]) -> str | None:
    """
    Say why *address* must not be connected to for *host*.

    A host of *private_hosts* may also be this machine: documentation under work is served there.

    Returns:
        The name of the range; None where the address may be used.

    Raises:
        ValueError: *address* is not numeric.

    """
    may_be_private = matches(host.lower().removesuffix("."), private_hosts)
    range_name = refused_range(address, private_allowed=may_be_private, own=_NO_OWN_ADDRESS)
    return None if may_be_private and range_name == "loopback" else range_name


class PlainBackend(httpcore.SyncBackend):
    """Connects to a proxy of the environment, wherever it is; the proxy resolves the names."""

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        """Connect as httpcore does, within the time of the read."""
        return TimedStream(
            super().connect_tcp(host, port, _within(timeout), local_address, socket_options)
        )


class TimedStream(httpcore.NetworkStream):
    """A connection whose every wait ends with the read's own time, however a server drips."""

    def __init__(self, stream: httpcore.NetworkStream) -> None:
        self._stream = stream

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """Read what is there."""
        return self._stream.read(max_bytes, _within(timeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Write all of *buffer*."""
        self._stream.write(buffer, _within(timeout))

    def close(self) -> None:
        """Close the socket."""
        self._stream.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.NetworkStream:
        """Speak TLS from now on."""
        return TimedStream(self._stream.start_tls(ssl_context, server_hostname, _within(timeout)))

    def get_extra_info(self, info: str) -> Any:
        """Facts about the socket; httpcore asks for `is_readable` and `ssl_object`."""
        return self._stream.get_extra_info(info)


def _within(timeout: float | None) -> float | None:
    left = clock.current().remaining_s()
    if left == float("inf"):
        return timeout
    return left if timeout is None else min(timeout, left)
