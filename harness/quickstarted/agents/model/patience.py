"""
When a call that failed is made again, and when the service is given up.

A service that throttles is there, and is waited for; one that breaks is tried a few times. The
harness owns this and turns off the retries of vendors' clients, so that each is on record and the
time it took is not charged to the agent.
"""

from __future__ import annotations

from dataclasses import dataclass

from tenacity import RetryCallState, Retrying, retry_if_exception_type, wait_random_exponential
from tenacity.stop import stop_base
from tenacity.wait import wait_base

from quickstarted.agents.model.vendor import ServiceTrouble


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How long a service is waited for, per call."""

    max_wait_s: float = 300.0
    """All waits of one call together."""
    max_failures: int = 6
    """Tries of one call that may fail for another reason than throttling."""
    first_s: float = 1.0
    longest_s: float = 60.0
    """Between two tries, where the service names no time."""

    def retrying(self) -> Retrying:
        """A fresh count for one call; the caller sets `sleep` and `before_sleep`."""
        return Retrying(
            retry=retry_if_exception_type(ServiceTrouble),
            wait=_Wait(self),
            stop=_Stop(self),
            reraise=True,
        )


def trouble_of(state: RetryCallState) -> ServiceTrouble:
    """The failure that *state* is about."""
    assert state.outcome is not None
    trouble = state.outcome.exception()
    assert isinstance(trouble, ServiceTrouble)
    return trouble


class _Wait(wait_base):
    """Exponential with jitter, never less than the service asks for, and none for another call."""

    def __init__(self, patience: Patience) -> None:
        self._backoff = wait_random_exponential(
            multiplier=patience.first_s, max=patience.longest_s, min=patience.first_s / 2
        )

    def __call__(self, retry_state: RetryCallState) -> float:
        trouble = trouble_of(retry_state)
        if trouble.at_once:
            return 0.0
        return max(self._backoff(retry_state), trouble.retry_after_s or 0.0)


class _Stop(stop_base):
    """Too many failures, or a wait that would be too long in all."""

    def __init__(self, patience: Patience) -> None:
        self._patience = patience
        self._failures = 0

    def __call__(self, retry_state: RetryCallState) -> bool:
        self._failures += not trouble_of(retry_state).throttled
        if self._failures >= self._patience.max_failures:
            return True
        waited_s = retry_state.idle_for + retry_state.upcoming_sleep
        return waited_s > self._patience.max_wait_s
