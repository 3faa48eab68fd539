"""
How many attempts may be under way at once for one vendor of models, or one documentation host, and
for how long a vendor that answers 429 is left alone.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping

from quickstarted.agents import vendor_of
from quickstarted.events import ApiRetry, Event
from quickstarted.plan import AttemptPlan

TOO_MANY_REQUESTS = 429
LONGEST_PAUSE_S = 300.0
"""A vendor that asks for more is asked again after this."""


class Limits:
    """
    Counts attempts under way; not safe for several threads, its owner holds a lock.

    Args:
        most: Name of a vendor or of a documentation host to how many attempts may use it at once.
        clock: Monotonic seconds.

    """

    def __init__(
        self, most: Mapping[str, int], *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._most = dict(most)
        self._clock = clock
        self._under_way: Counter[str] = Counter()
        self._paused_until: dict[str, float] = {}

    def obstacle(self, plan: AttemptPlan) -> str | None:
        """Why *plan* cannot begin now, for people; None when it can."""
        for name in used_by(plan):
            most = self._most.get(name)
            if most is not None and self._under_way[name] >= most:
                return f"{name}: {most} at once"
            if self._paused_until.get(name, 0.0) > self._clock():
                return f"{name}: it asked for patience (429)"
        return None

    def begin(self, plan: AttemptPlan) -> None:
        """*plan* is under way."""
        self._under_way.update(used_by(plan))

    def end(self, plan: AttemptPlan) -> None:
        """*plan* is over."""
        self._under_way.subtract(used_by(plan))

    def hear(self, plan: AttemptPlan, event: Event) -> None:
        """
        Take an event of an attempt: after a 429, no further attempt asks that vendor for as long as
        this one waits. Those under way wait by themselves.
        """
        if isinstance(event, ApiRetry) and event.status == TOO_MANY_REQUESTS:
            vendor = vendor_of(plan.agent.name)
            until = self._clock() + min(event.sleep, LONGEST_PAUSE_S)
            self._paused_until[vendor] = max(self._paused_until.get(vendor, 0.0), until)


def used_by(plan: AttemptPlan) -> Iterator[str]:
    """What of the names that a limit may have *plan* uses."""
    yield vendor_of(plan.agent.name)
    if plan.condition.has_docs:
        yield from plan.task.docs.hosts


def unused(most: Iterable[str], plans: Iterable[AttemptPlan]) -> list[str]:
    """Names of limits that none of *plans* uses: most likely misspelt."""
    known = {name for plan in plans for name in used_by(plan)}
    return sorted(set(most) - known)
