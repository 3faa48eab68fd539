"""Rules: what the probes found, and what to do about it."""

from __future__ import annotations

from collections.abc import Iterator

from quickstarted.doctor.facts import SandboxFacts
from quickstarted.doctor.findings import Finding, Severity, error, not_applicable
from quickstarted.probes import ProbeResult, State
from quickstarted.registries import SMALL_PAGE

REPORT = "quickstarted doctor --json > doctor.json"
"""For a report, where no command of the user's mends it."""
MORE_FILES = (
    "sudo mkdir -p /etc/systemd/system/docker.service.d"
    " && printf '[Service]\\nLimitNOFILE=1048576\\n'"
    " | sudo tee /etc/systemd/system/docker.service.d/files.conf"
    " && sudo systemctl daemon-reload && sudo systemctl restart docker"
)
FIXES = {
    "disk-room": "quickstarted images prune && docker image prune",
    "open-files": MORE_FILES,
    "allowed-host": f"curl -v https://{''.join(SMALL_PAGE)}",
}
"""Probe to the command that mends what breaks it."""
SEVERITIES = {
    "enforcement": Severity.ERROR,
    "passage": Severity.ERROR,
    "trust": Severity.ERROR,
    "workspace": Severity.ERROR,
    "limit": Severity.WARNING,
}
"""Of a broken promise, by its kind; limits that an engine lacks are on record with each attempt."""


def judge_sandbox(facts: SandboxFacts) -> Iterator[Finding]:
    """Each probe once, by its most telling result; then what ended them."""
    for results in _by_name(facts.results).values():
        yield _finding(min(results, key=_telling))
    if facts.skipped:
        yield not_applicable(
            "sandbox", "sandbox", "asking from inside", f"Not done: {facts.skipped}."
        )
    if facts.fault:
        fix = "quickstarted images build" if "image" in facts.hint else REPORT
        yield error("sandbox", "sandbox-fault", facts.fault, detail=facts.hint, fix=fix)


def _by_name(results: tuple[ProbeResult, ...]) -> dict[str, list[ProbeResult]]:
    found: dict[str, list[ProbeResult]] = {}
    for result in results:
        found.setdefault(result.probe.name, []).append(result)
    return found


def _telling(result: ProbeResult) -> int:
    """What is broken in one sandbox is broken; what one image lacks, another may have."""
    order = [State.BROKEN, State.UNCLEAR, State.HOLDS, State.NOT_APPLICABLE]
    return order.index(result.outcome.state)


def _finding(result: ProbeResult) -> Finding:
    severity = {
        State.HOLDS: Severity.OK,
        State.NOT_APPLICABLE: Severity.NOT_APPLICABLE,
        State.UNCLEAR: Severity.WARNING,
        State.BROKEN: SEVERITIES[result.probe.kind],
    }[result.outcome.state]
    promise = result.probe.promise.removesuffix(".")
    titles = {
        State.HOLDS: promise,
        State.NOT_APPLICABLE: promise,
        State.UNCLEAR: f"cannot be told: {promise}",
        State.BROKEN: f"not so: {promise}",
    }
    bad = severity in {Severity.WARNING, Severity.ERROR}
    return Finding(
        group="sandbox",
        severity=severity,
        code=f"probe-{result.probe.name}",
        title=titles[result.outcome.state],
        detail=result.outcome.detail,
        fix=FIXES.get(result.probe.name, REPORT) if bad else "",
    )
