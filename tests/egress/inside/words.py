"""What all attempts share: where everybody is, and failures in a few words."""

from __future__ import annotations

import errno
import json
import os
import socket
import ssl
from collections.abc import Callable
from urllib.parse import urlsplit

WAIT_S = 8.0
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


def dial(address: tuple[str, int] = PROXY) -> socket.socket:
    """Connect."""
    return socket.create_connection(address, timeout=WAIT_S)


def tried(attempt: Callable[[], str]) -> str:
    """What came of it, a failure included."""
    try:
        return attempt()
    except Exception as exc:  # noqa: BLE001 (whatever it is, it is what came of the attempt)
        return words_for(exc)
