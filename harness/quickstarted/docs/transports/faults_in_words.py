"""What goes wrong with a connection, in sentences that a docs owner can act on."""

from __future__ import annotations

import re
import ssl
from collections.abc import Iterator
from contextlib import contextmanager

import httpcore
import httpx

from quickstarted.docs import clock, urls
from quickstarted.docs.faults import Disconnected, FetchFailed

_HANGING_UP = "Server disconnected"
"""How httpcore begins what it says of a connection that ended before the answer did."""

_BYTES = re.compile(r"bytearray\(b('.*?'|\".*?\")\)", re.DOTALL)

# X509_V_ERR_* of OpenSSL, x509_vfy.h.
_CERTIFICATES = {
    9: "is not valid yet",
    10: "has expired",
    18: "is signed by itself",
    19: "is signed by an authority that is not trusted here",
    20: "is signed by an authority that is not trusted here, or the server leaves out its"
    " intermediate certificate",
    21: "is signed by an authority that is not trusted here, or the server leaves out its"
    " intermediate certificate",
    62: "is for another name",
    64: "is for another address",
}


@contextmanager
def in_words(url: httpx.URL, *, status: int | None = None) -> Iterator[None]:
    """
    Raise what httpcore raises as `FetchFailed`, or `Disconnected` where asking again may help.

    A wait that ended because the read's own time was over is the clock's to tell.
    """
    host = urls.host_of(url)
    try:
        yield
    except httpcore.ConnectTimeout as exc:
        clock.current().remaining_s()
        raise FetchFailed(
            f"{host} did not accept a connection in time.", same_for_host=True
        ) from exc
    except httpcore.TimeoutException as exc:
        clock.current().remaining_s()
        what = "answer" if status is None else "send the rest of the page"
        raise FetchFailed(f"{host} did not {what} in time.", status=status) from exc
    except httpcore.ConnectError as exc:
        raise FetchFailed(_connecting(host, exc), same_for_host=True) from exc
    except httpcore.ProxyError as exc:
        raise FetchFailed(f"The proxy refused {host}: {exc}", same_for_host=True) from exc
    except httpcore.RemoteProtocolError as exc:
        raise Disconnected(_remote(host, exc, status), status=status) from exc
    except httpcore.NetworkError as exc:
        words = f"{host} broke the connection off: {str(exc) or type(exc).__name__}"
        raise Disconnected(words, status=status) from exc
    except (httpcore.ProtocolError, httpcore.UnsupportedProtocol) as exc:
        raise FetchFailed(f"{host} cannot be asked for this page: {exc}") from exc


def _connecting(host: str, exc: httpcore.ConnectError) -> str:
    fault = next((cause for cause in exc.args if isinstance(cause, ssl.SSLError)), None)
    if fault is None:
        return f"Connecting to {host} failed: {exc}"
    if isinstance(fault, ssl.SSLCertVerificationError):
        what = _CERTIFICATES.get(fault.verify_code)
        words = what or f"does not hold: {fault.verify_message}"
        return f"TLS with {host} failed: its certificate {words}."
    return f"TLS with {host} failed: {exc}"


def _remote(host: str, exc: httpcore.RemoteProtocolError, status: int | None) -> str:
    words = _BYTES.sub(r"\1", str(exc))[:200] or type(exc).__name__
    if status is not None or words.startswith(_HANGING_UP):
        return f"{host} broke the connection off: {words}"
    return f"{host} broke the connection off, or its answer is not valid HTTP: {words}"
