"""
The requests of a trace as HAR 1.2: what the sandbox asked the network for, and what came of it.

The proxy records a request's line, its status and sizes, and no headers, bodies or versions of
HTTP: these are -1, empty or `unknown`, as HAR wants. Requests that a command made are on the page
of that command. Name lookups that were refused are no requests; they are counted.
"""

from __future__ import annotations

import shutil
import tempfile
from typing import IO, Any
from urllib.parse import parse_qsl, quote

from quickstarted import __version__
from quickstarted.events import (
    EgressAllowed,
    EgressBlocked,
    EgressError,
    ToolCall,
)
from quickstarted.formats.export.attempt import Attempt, fields_of
from quickstarted.formats.export.calls import MAX_REMEMBERED
from quickstarted.formats.export.json_text import encoded
from quickstarted.formats.export.times import milliseconds, rfc3339

HAR_VERSION = "1.2"
UNKNOWN = "unknown"
DNS = "DNS"
COMMENT = (
    "Made from the records of the proxy around a sandbox, which have no headers, bodies, cookies or"
    " versions of HTTP; sizes are those of bodies."
)
_SPOOLED_BYTES = 4 * 1024 * 1024
_DEFAULT_PORTS = {"http": 80, "https": 443}
_PLAIN = "!$&'()*+,;=:@/?%-._~[]"
"""What may stand in a URL as it is (RFC 3986)."""
_TITLE_CHARS = 200

Egress = EgressAllowed | EgressBlocked | EgressError


def write_har(attempt: Attempt, out: IO[bytes]) -> None:
    """
    Write the requests of *attempt* as one HAR document.

    Raises:
        TraceInvalid: A line is no event.

    """
    creator = {"name": "quickstarted", "version": __version__}
    head = encoded({"version": HAR_VERSION, "creator": creator})
    out.write(b'{"log":' + head[:-1] + b',"entries":[')
    lookups = requests = 0
    with tempfile.SpooledTemporaryFile(_SPOOLED_BYTES) as spool:
        pages = _Pages(spool)
        for event in attempt:
            if isinstance(event, ToolCall):
                pages.begin(event)
            elif isinstance(event, EgressAllowed | EgressBlocked | EgressError):
                if event.method == DNS:
                    lookups += 1
                    continue
                out.write((b",\n" if requests else b"\n") + encoded(_entry(event, pages)))
                requests += 1
        out.write(b'\n],"pages":[')
        pages.copy_to(out)
    told = {
        "trace_id": attempt.trace_id,
        "requests": requests,
        "refused_lookups": lookups,
        **attempt.summary(),
    }
    out.write(b'],"comment":' + encoded(COMMENT) + b',"_quickstarted":' + encoded(told) + b"}}\n")
    if lookups:
        attempt.note(f"name lookups are no requests, and are left out: {lookups:,}")
    if not requests:
        attempt.note("the trace has no request; the document has no entry")


class _Pages:
    """Commands that made requests, as the pages that HAR groups entries by; written to *spool*."""

    def __init__(self, spool: IO[bytes]) -> None:
        self._spool = spool
        self._known: dict[int, tuple[str, ToolCall | None]] = {}
        """Scopes to the ids of their pages, and to the command as long as it is not written."""
        self._number = 0

    def begin(self, event: ToolCall) -> None:
        if event.scope is None:
            return
        self._number += 1
        self._known[event.scope] = (f"command_{self._number}", event)
        if len(self._known) > MAX_REMEMBERED:
            del self._known[next(iter(self._known))]

    def of(self, scope: int | None) -> str | None:
        """The page of *scope*, which is written when it is asked for first."""
        if scope is None or scope not in self._known:
            return None
        name, command = self._known[scope]
        if command is not None:
            self._known[scope] = (name, None)
            page = {
                "startedDateTime": rfc3339(command.ts),
                "id": name,
                "title": (command.command or command.tool)[:_TITLE_CHARS],
                "pageTimings": {},
            }
            self._spool.write((b",\n" if self._spool.tell() else b"\n") + encoded(page))
        return name

    def copy_to(self, out: IO[bytes]) -> None:
        """Write all pages."""
        self._spool.seek(0)
        shutil.copyfileobj(self._spool, out)


def _entry(event: Egress, pages: _Pages) -> dict[str, Any]:
    duration_ms = milliseconds(event.duration if isinstance(event, EgressAllowed) else None)
    took_ms = max(duration_ms or 0.0, 0.0)
    known = (
        "only the whole duration is known" if duration_ms is not None else "no duration is known"
    )
    page = pages.of(event.scope)
    made: dict[str, Any] = {
        "startedDateTime": rfc3339(event.ts),
        "time": took_ms,
        "request": _request(event),
        "response": _response(event),
        "cache": {},
        # HAR wants all three, none of them negative, and `time` as their sum.
        "timings": {"send": 0, "wait": took_ms, "receive": 0, "comment": known},
        "_quickstarted": {"event": event.type, **fields_of(event)},
    }
    if page is not None:
        made["pageref"] = page
    if isinstance(event, EgressBlocked):
        made["comment"] = f"refused by the policy: {event.reason}"
    elif isinstance(event, EgressError):
        made["comment"] = f"failed: {event.error}"
    return made


def _request(event: Egress) -> dict[str, Any]:
    url, query = _url(event)
    sent = event.bytes_out if isinstance(event, EgressAllowed) else None
    return {
        "method": event.method,
        "url": url,
        "httpVersion": UNKNOWN,
        "cookies": [],
        "headers": [],
        "queryString": [
            {"name": name, "value": value}
            for name, value in parse_qsl(query, keep_blank_values=True)
        ],
        "headersSize": -1,
        "bodySize": -1 if sent is None else sent,
    }


def _response(event: Egress) -> dict[str, Any]:
    status, received = 0, None
    if isinstance(event, EgressAllowed):
        status, received = event.status or 0, event.bytes_in
    return {
        "status": status,
        "statusText": "",
        "httpVersion": UNKNOWN,
        "cookies": [],
        "headers": [],
        "content": {"size": -1 if received is None else received, "mimeType": UNKNOWN},
        "redirectURL": "",
        "headersSize": -1,
        "bodySize": -1 if received is None else received,
    }


def _url(event: Egress) -> tuple[str, str]:
    """
    The address of a request, and its query.

    The proxy does not record the scheme: it is https at port 443 and at the door for it.
    """
    is_tls = event.port == _DEFAULT_PORTS["https"] or event.via == "https"
    scheme = "https" if is_tls or event.method == "CONNECT" else "http"
    host = f"[{event.host}]" if ":" in event.host else event.host
    port = "" if event.port in (None, _DEFAULT_PORTS[scheme]) else f":{event.port}"
    path, question, query = (event.path or "/").partition("?")
    if not path.startswith("/"):
        path = f"/{path}"
    address = f"{scheme}://{quote(host, _PLAIN)}{port}{quote(path, _PLAIN)}"
    return f"{address}{question}{quote(query, _PLAIN)}", query
