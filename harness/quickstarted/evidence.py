"""
What egress and reading say of a failed attempt: was a host refused, did an upstream fail?

Pure, on events alone, so that a trace of another machine gives the same answer as the run did.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from quickstarted.events import (
    EgressAllowed,
    EgressBlocked,
    EgressError,
    Event,
    FetchBlocked,
    ToolResult,
)

UPSTREAM_CAUSES = frozenset({"dns_failure", "connect_failed", "upstream_tls", "upstream_reset"})
"""`egress_error.detail` values that are the upstream's doing; a client that hangs up is not."""

BUDGETS = frozenset({"upload_budget", "download_budget"})
"""`egress_error.detail` values of a limit that the task set, or left as it is."""

BUSY_STATUSES = frozenset({429, *range(500, 600)})
"""Answers that say that the upstream cannot serve just now."""


class EgressEvidence(NamedTuple):
    """The two facts of DESIGN, "The trace and the verdict", rows 6 and 7."""

    refused_host: bool
    """A host, or one of its paths, was not allowed, or a budget for transfers was used up."""
    upstream_failed: bool


def egress_evidence(events: Iterable[Event], *, replay: bool) -> EgressEvidence:
    """
    Look at the decisive commands: all of a replay, else the last one that failed.

    An upstream counts as failed only where no later request to that host went through.
    """
    known = list(events)
    scopes = _decisive_scopes(known, replay=replay)
    egress = [
        event
        for event in known
        if isinstance(event, EgressAllowed | EgressBlocked | EgressError) and event.scope in scopes
    ]
    egress.sort(key=lambda event: event.ts)
    refused = any(_is_refusal(event) for event in egress)
    return EgressEvidence(refused, bool(_failed_hosts(egress)))


def missed_offline(events: Iterable[Event]) -> bool:
    """Whether the agent wanted a page that `--offline` could not give, as none was kept."""
    return any(
        isinstance(event, FetchBlocked) and event.reason == "offline_cache_miss" for event in events
    )


def _is_refusal(event: Event) -> bool:
    """Whether the task's policy stood in the way; docs refused to the shell are not that."""
    match event:
        case EgressBlocked(reason="not_allowlisted"):
            return True
        case EgressError(detail=str(detail)):
            return detail in BUDGETS
        case _:
            return False


def _decisive_scopes(events: Sequence[Event], *, replay: bool) -> frozenset[int]:
    results = [event for event in events if isinstance(event, ToolResult)]
    if replay:
        return frozenset(event.scope for event in results if event.scope is not None)
    failed = [event for event in results if event.exit_code != 0 and event.scope is not None]
    return frozenset({failed[-1].scope}) if failed and failed[-1].scope else frozenset()


def _failed_hosts(egress: Sequence[Event]) -> set[str]:
    failed: set[str] = set()
    for event in egress:
        if isinstance(event, EgressError) and event.detail in UPSTREAM_CAUSES:
            failed.add(event.host)
        elif isinstance(event, EgressAllowed):
            if event.status in BUSY_STATUSES:
                failed.add(event.host)
            elif event.status is not None:
                failed.discard(event.host)
    return failed
