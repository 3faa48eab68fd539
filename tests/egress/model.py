"""
Attempts as data: what somebody in the sandbox does, what they get, and what is on record.

An expectation is text that a person can read, because the tables become `docs/egress.md`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

Image = Literal["python", "node"]


@dataclass(frozen=True, slots=True)
class Attempt:
    """One row."""

    name: str
    """What is tried, as a part of a sentence."""
    do: str
    """An expression of `inside/client.py`; with `shell`, a shell script."""
    saw: str
    """What the client must have got."""
    events: tuple[str, ...] = ()
    """What must have been written, in order, and nothing else; see `shown`."""
    shell: bool = field(default=False, kw_only=True)
    requests: int | None = field(default=None, kw_only=True)
    """Requests that reach an origin; None: one for each `egress_allowed`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Attempts of one kind."""

    title: str
    about: str
    """A sentence or two, Markdown."""
    rows: tuple[Attempt, ...]
    image: Image = "python"
    budgeted: bool = False
    """The attempt may send 200 kB and receive 300 kB in all."""
    silent: bool = False
    """Nothing of it reaches the sidecar, so there is no event; the rows are tried side by side."""


def blocked(what: str, detail: str | None = None, via: str = "explicit", **more: str) -> str:
    """A refusal."""
    reason = more.pop("reason", "not_allowlisted")
    return " ".join(filter(None, ["egress_blocked", what, reason, detail, f"({via})"]))


def docs(what: str, detail: str | None = None, via: str = "explicit") -> str:
    """A refusal because the host is documentation."""
    return blocked(what, detail, via, reason="docs_host_requires_read_docs")


def allowed(what: str, status: int = 200, via: str = "explicit", **more: str) -> str:
    """A request that went out."""
    parts = ["egress_allowed", what, str(status), more.get("reason"), more.get("detail")]
    return " ".join(filter(None, [*parts, f"({via})"]))


def failed(what: str, detail: str, via: str = "explicit") -> str:
    """A request that was allowed and broke."""
    return f"egress_error {what} {detail} ({via})"


def shown(event: Any) -> str:
    """An event in the form of an expectation."""
    port = f":{event.port}" if event.port is not None else ""
    what = f"{event.method} {event.host}{port}{event.path or ''}"
    if event.type == "egress_blocked":
        return blocked(what, event.detail, event.via, reason=event.reason)
    if event.type == "egress_error":
        return failed(what, event.detail, event.via)
    more = {key: value for key in ("reason", "detail") if (value := getattr(event, key))}
    return allowed(what, event.status or 0, event.via, **more)
