"""
One GET request for `qs_wait_http`: URL SECONDS BODY_FILE direct|environment.

Runs on its own in the sandbox's Python, 3.6 or newer. Prints `status N` or `error WHY`.
"""

# ruff: noqa: BLE001, INP001, S310, T201 (a program of its own; what it may ask is the caller's to say)

import errno
import http.client
import signal
import socket
import sys
import urllib.error
import urllib.parse
import urllib.request
from typing import Any

MOST = 16 * 1024 * 1024 + 1


class KeepRedirects(urllib.request.HTTPRedirectHandler):
    """A redirect is an answer."""

    def redirect_request(self, *_: object) -> None:
        """Follow none."""


def out_of_time(*_: object) -> None:
    """End the request, whatever it waits for."""
    raise TimeoutError


def ask(url: str, body_file: str, proxy: str) -> int:
    """Ask once; return the status."""
    opener = urllib.request.build_opener(KeepRedirects)
    if proxy == "direct":
        opener = urllib.request.build_opener(KeepRedirects, urllib.request.ProxyHandler({}))
    request = urllib.request.Request(url, headers={"User-Agent": "quickstarted-check"})
    try:
        answer = opener.open(request)
    except urllib.error.HTTPError as exc:
        # The exception closes its answer when it goes away.
        return receive(exc.fp, body_file)
    return receive(answer, body_file)


def receive(answer: Any, body_file: str) -> int:
    """Write the body, return the status."""
    try:
        body = answer.read(MOST)
    except ConnectionError:
        raise http.client.IncompleteRead(b"") from None
    # A read with a size does not say that the rest is missing.
    if answer.length and len(body) < MOST:
        raise http.client.IncompleteRead(b"")
    with open(body_file, "wb") as file:  # noqa: PTH123 (as short as the rest)
        file.write(body)
    return int(answer.status)


def explain(exc: Exception, host: str, seconds: str) -> str:
    """The reason in the words that every client uses."""
    if isinstance(exc, urllib.error.URLError) and isinstance(exc.reason, Exception):
        exc = exc.reason
    if getattr(exc, "errno", None) == errno.EADDRNOTAVAIL:
        # `localhost` is ::1 too, and there is no IPv6: it was refused by the addresses that exist.
        return "connection refused"
    reasons = (
        (ConnectionRefusedError, "connection refused"),
        (socket.gaierror, "cannot resolve " + host),
        ((TimeoutError, socket.timeout), "no answer within " + seconds + " s"),
        (ConnectionError, "connection closed without an answer"),
        (http.client.IncompleteRead, "connection closed in the middle of the answer"),
        (http.client.HTTPException, "not an HTTP answer"),
    )
    for kind, reason in reasons:
        if isinstance(exc, kind):
            return reason
    return "request failed (" + str(exc) + ")"


def main(url: str, seconds: str, body_file: str, proxy: str) -> None:
    """Ask, and say how it went."""
    signal.signal(signal.SIGALRM, out_of_time)
    signal.alarm(int(seconds))
    try:
        print("status", ask(url, body_file, proxy))
    except Exception as exc:
        host = urllib.parse.urlsplit(url).hostname or ""
        print("error", explain(exc, host, seconds))


main(*sys.argv[1:])
