"""Run probes in a sandbox, one after the other, each with the events that it caused."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from quickstarted.events import EgressEvent
from quickstarted.probes.model import Outcome, Probe, Seen, Situation, unclear
from quickstarted.probes.tools import PRELUDE, program_environment
from quickstarted.sandbox.protocol import Limits, Sandbox


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeResult:
    """One probe in one sandbox."""

    probe: Probe
    outcome: Outcome
    image: str
    """As it was asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Witnesses:
    """What is known outside the sandbox of what happens inside."""

    events: Sequence[EgressEvent] = ()
    """The list that the sandbox's sink fills."""
    heard: Callable[[], Sequence[str]] = tuple
    """Addresses of this machine under which the situation's nonce has arrived."""


def run_probes(
    sandbox: Sandbox,
    probes: Iterable[Probe],
    situation: Situation,
    witnesses: Witnesses,
) -> Iterator[ProbeResult]:
    """
    Ask each of *probes*, and give its result as soon as it is known.

    Args:
        sandbox: Opened with the situation's policy, user and resources.
        probes: What is to be asked.
        situation: What they are told.
        witnesses: What happens outside meanwhile.

    Raises:
        AttemptFault: The sandbox, the proxy or the engine failed.

    """
    environment = situation.environment() | program_environment()
    for number, probe in enumerate(probes, start=1):
        sandbox.begin_scope(number)
        before = len(witnesses.events)
        limits = Limits(timeout_s=probe.timeout_s)
        done = sandbox.run_clean(PRELUDE + probe.script, limits, env=environment)
        sandbox.drain_egress()
        if done.timed_out:
            outcome = unclear(f"no answer in {probe.timeout_s:g} s")
        else:
            outcome = probe.judge(
                Seen(
                    output=done.output,
                    events=witnesses.events[before:],
                    situation=situation,
                    heard=witnesses.heard(),
                )
            )
        yield ProbeResult(probe=probe, outcome=outcome, image=sandbox.image.requested)
    sandbox.begin_scope(0)
