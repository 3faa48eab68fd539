"""Probes: what may pass the proxy passes, what may not is refused, and both are on record."""

from __future__ import annotations

from quickstarted.events import EgressAllowed, EgressError
from quickstarted.probes.model import (
    DOCS_HOST,
    REFUSED_HOST,
    Outcome,
    Probe,
    Seen,
    broken,
    holds,
    not_applicable,
    unclear,
)

ALLOWED_SCRIPT = 'qp_fetch "$QP_ALLOWED_URL"'
REFUSED_SCRIPT = 'qp_fetch "http://$QP_REFUSED_HOST/"'
DOCS_SCRIPT = 'qp_fetch "http://$QP_DOCS_HOST/guide"'
NO_TOOL = "no tool"


def judge_allowed(seen: Seen) -> Outcome:
    """An upstream that fails is this machine's network, not the sandbox's."""
    said = seen.output.strip()
    if said == NO_TOOL:
        return not_applicable("the image has nothing that could fetch a page")
    host = seen.situation.allowed_host
    events = [event for event in seen.events if event.host == host]
    errors = [event for event in events if isinstance(event, EgressError)]
    passed = [event for event in events if isinstance(event, EgressAllowed)]
    if passed and said[:1] in {"2", "3"}:
        return holds(f"{host} answers {said.split()[0]} over TLS")
    if errors:
        detail = f"{errors[0].detail}: {errors[0].error}" if errors[0].detail else errors[0].error
        return unclear(f"{host} cannot be reached from the proxy: {detail}")
    if passed:
        return unclear(f"{host} answers {said[:80]}")
    return broken(f"a request to {host} left no event; inside: {said[:200]}")


def judge_refused(seen: Seen) -> Outcome:
    """A 403 that says what to do, and an event."""
    return _refusal(seen, REFUSED_HOST, "not_allowlisted", "network.allow")


def judge_docs(seen: Seen) -> Outcome:
    """The same with another reason."""
    return _refusal(seen, DOCS_HOST, "docs_host_requires_read_docs", "read_docs")


def _refusal(seen: Seen, host: str, reason: str, explains: str) -> Outcome:
    said = seen.output.strip()
    if said == NO_TOOL:
        return not_applicable("the image has nothing that could fetch a page")
    reasons = {event.reason for event in seen.blocked(host) if event.method != "DNS"}
    if not said.startswith("403"):
        return broken(f"a request to {host} is not answered with 403, but: {said[:200]}")
    if explains not in said:
        return broken(f"the 403 for {host} does not name `{explains}`: {said[:200]}")
    if reason not in reasons:
        return broken(f"the refusal of {host} is not on record as {reason}")
    return holds()


PASSAGE = (
    Probe(
        name="allowed-host",
        promise="A host that is allowed answers, over TLS, and the request is on record.",
        kind="passage",
        script=ALLOWED_SCRIPT,
        judge=judge_allowed,
    ),
    Probe(
        name="refused-host",
        promise="A host that is not allowed is refused with a 403 that explains, and on record.",
        kind="enforcement",
        script=REFUSED_SCRIPT,
        judge=judge_refused,
    ),
    Probe(
        name="docs-host",
        promise="Documentation is refused to the shell with a 403 that names read_docs.",
        kind="enforcement",
        script=DOCS_SCRIPT,
        judge=judge_docs,
    ),
)
