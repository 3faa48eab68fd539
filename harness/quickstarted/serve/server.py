"""The server itself: where it listens, how it starts, how it ends."""

from __future__ import annotations

import ipaddress
import logging
import socket
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

import uvicorn

from quickstarted.errors import UsageError
from quickstarted.formats.strict_json import quote
from quickstarted.formats.trajectory.importing import Ask
from quickstarted.serve.app import Application
from quickstarted.serve.gate import Gate, own_hosts
from quickstarted.serve.limits import CONNECTIONS, GRACE_S, TOKEN_VARIABLE, Patience
from quickstarted.serve.logs import Log, UvicornHandler
from quickstarted.serve.protocol import PatientProtocol
from quickstarted.serve.store import Store

MIN_TOKEN_CHARS = 16
_MAX_HEAD_BYTES = 16 * 1024


@dataclass(frozen=True, slots=True)
class ServeOptions:
    """
    How to serve.

    Attributes:
        host: An address of this machine, or a name of it.
        port: 0 for one that is free.
        token: What clients must send; empty for none, which only loopback may have.
        ask: The model that is given what no format knows; None leaves it at errors.

    """

    host: str
    port: int
    out: Path
    token: str = field(default="", repr=False)
    patience: Patience = field(default_factory=Patience)
    ask: Ask | None = None


def serve(options: ServeOptions, log: Log, on_start: Callable[[str], None]) -> None:
    """
    Serve until a signal ends it; *on_start* is given the address once connections are taken.

    Raises:
        UsageError: The address or the token will not do, or the folder is used by another server.
        StorageFault: The folder cannot be written.

    """
    _check_token(options.token)
    listener = _listen(options)
    with listener, Store.opened(options.out) as store:
        host, port = listener.getsockname()[:2]
        is_local = ipaddress.ip_address(host).is_loopback
        gate = Gate(own_hosts(options.host, port) if is_local else None, options.token or None)
        app = Application(store, gate, options.patience, log, options.ask)
        _set_logging(log)
        on_start(f"http://{f'[{host}]' if ':' in host else host}:{port}")
        _Server(_config(app, options.patience)).run([listener])


class _Server(uvicorn.Server):
    """Ends at the first signal as at any other end, and at once at the second."""

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        del sig, frame
        self.force_exit = self.should_exit
        self.should_exit = True


def _config(app: Application, patience: Patience) -> uvicorn.Config:
    protocol = type("Protocol", (PatientProtocol,), {"patience": patience})
    return uvicorn.Config(
        app,
        http=protocol,
        ws="none",
        loop="asyncio",
        lifespan="off",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=GRACE_S,
        h11_max_incomplete_event_size=_MAX_HEAD_BYTES,
    )


def _set_logging(log: Log) -> None:
    logger = logging.getLogger("uvicorn")
    logger.handlers = [UvicornHandler(log)]
    logger.setLevel(logging.WARNING)
    logger.propagate = False


def _check_token(token: str) -> None:
    if not token:
        return
    if len(token) < MIN_TOKEN_CHARS or not token.isascii() or not token.isprintable():
        raise UsageError(
            f"{TOKEN_VARIABLE} is no token: at least {MIN_TOKEN_CHARS} printable ASCII characters",
            hint="Make one: python3 -c 'import secrets; print(secrets.token_urlsafe())'",
        )
    if " " in token:
        raise UsageError(f"{TOKEN_VARIABLE} has a space in it", hint="Take it out.")


def _listen(options: ServeOptions) -> socket.socket:
    family, address = _address(options.host, options.port)
    if not ipaddress.ip_address(address[0]).is_loopback and not options.token:
        raise UsageError(
            f"--host {options.host} can be reached from other machines, and there is no token",
            hint=f"Set {TOKEN_VARIABLE}, or leave --host out to serve this machine only.",
        )
    # With the protocol named, asyncio turns Nagle's algorithm off, which costs 40 ms a reply.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(CONNECTIONS)
    except OSError as exc:
        listener.close()
        raise UsageError(
            f"cannot listen on {options.host} port {options.port}: {exc.strerror or exc}",
            hint="Give another --port, or 0 for one that is free.",
        ) from exc
    return listener


def _address(host: str, port: int) -> tuple[socket.AddressFamily, tuple[str, int]]:
    """The address that *host* is; IPv4 first where it is several."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError) as exc:
        raise UsageError(
            f"--host {quote(host)} is no address of this machine",
            hint="Give 127.0.0.1, 0.0.0.0, or an address that `ip address` shows.",
        ) from exc
    first = min(found, key=lambda one: one[0] != socket.AF_INET)
    return first[0], (str(first[4][0]), port)
