"""
A node's end of the line to the caller's machine, for one attempt.

The caller asks again and again (`exchange`), and each time gets what has happened since; nothing is
ever sent to it unasked, so a node needs no way to it. Progress is bounded: where the caller does
not keep up, events are left out of what is shown, and are in the trace all the same.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from quickstarted.budget import Spending
from quickstarted.cluster.messages import Asked, Heard, Message, Noted, Numbered, Question
from quickstarted.errors import Interrupted, PriceUnknown
from quickstarted.events import ApiRetry, Event, RunEnd, RunStart

WAIT_S = 0.5
"""How long the caller is kept waiting where there is nothing to say; so late may Ctrl-C be."""
BATCH_BYTES = 1 << 20
PENDING_BYTES = 8 << 20
"""Events that would make more than this wait are not sent."""
SILENCE_S = 900.0
"""A caller that has not asked for so long is gone; a terminal that somebody stopped is not."""
_ALWAYS = (RunStart, RunEnd, ApiRetry)
"""Events that more than a screen needs."""
_SMALL_BYTES = 100


class Channel:
    """
    Safe to use from several threads.

    Args:
        pending_bytes: See `PENDING_BYTES`.
        silence_s: See `SILENCE_S`.
        clock: Monotonic seconds.

    """

    def __init__(
        self,
        *,
        pending_bytes: int = PENDING_BYTES,
        silence_s: float = SILENCE_S,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._most_bytes = pending_bytes
        self._silence_s = silence_s
        self._clock = clock
        self._changed = threading.Condition()
        self._pending: list[tuple[int, Message, int]] = []
        self._pending_bytes = 0
        self._next = 1
        self._left_out = 0
        self._questions = 0
        self._answers: dict[int, bool | None] = {}
        self._cancelled = False
        self._asked_at = clock()

    def hear(self, event: Event) -> None:
        """Take an event of the attempt."""
        line = event.model_dump_json()
        with self._changed:
            is_full = self._pending_bytes + len(line) > self._most_bytes
            if is_full and not isinstance(event, _ALWAYS):
                self._left_out += 1
                return
            self._put(Heard(line), len(line))

    def tell(self, message: Message) -> None:
        """Take anything else."""
        with self._changed:
            self._put(message, _SMALL_BYTES)

    def ask(self, question: Question, value: float = 0.0) -> bool:
        """
        Wait for the caller's answer.

        Raises:
            Interrupted: The caller is gone.

        """
        with self._changed:
            self._questions += 1
            number = self._questions
            self._answers[number] = None
            self._put(Asked(number, question, value), _SMALL_BYTES)
            while (answer := self._answers[number]) is None:
                if self._is_silent():
                    raise Interrupted("the caller does not ask for the attempt any more")
                self._changed.wait(WAIT_S)
            del self._answers[number]
        return answer

    def is_cancelled(self) -> bool:
        """Whether the caller wants the attempt to end, or is gone."""
        with self._changed:
            return self._cancelled or self._is_silent()

    def hang_up(self) -> None:
        """End the attempt, to which nobody listens any more."""
        with self._changed:
            self._cancelled = True
            self._asked_at = -math.inf
            self._changed.notify_all()

    def exchange(
        self, heard_up_to: int, answers: Mapping[int, bool], *, cancelled: bool
    ) -> list[Numbered]:
        """
        Give what has happened, as soon as anything has; the caller's side of everything here.

        Args:
            heard_up_to: Number of the last message that the caller has; all after it are given
                again.
            answers: To questions, by their number.
            cancelled: Whether somebody asked to stop.

        """
        with self._changed:
            self._asked_at = self._clock()
            self._cancelled = self._cancelled or cancelled
            for number, answer in answers.items():
                if number in self._answers:
                    self._answers[number] = answer
            self._drop(heard_up_to)
            self._changed.notify_all()
            if not self._pending:
                self._changed.wait(WAIT_S)
            return self._batch()

    def _put(self, message: Message, size: int) -> None:
        self._pending.append((self._next, message, size))
        self._pending_bytes += size
        self._next += 1
        self._changed.notify_all()

    def _drop(self, heard_up_to: int) -> None:
        self._pending = [one for one in self._pending if one[0] > heard_up_to]
        self._pending_bytes = sum(size for _, _, size in self._pending)
        if self._left_out and self._pending_bytes < self._most_bytes // 2:
            line = f"{self._left_out} events were not shown: there were too many at once"
            self._left_out = 0
            self._put(Noted(line), _SMALL_BYTES)

    def _batch(self) -> list[Numbered]:
        batch: list[Numbered] = []
        size = 0
        for number, message, own in self._pending:
            if batch and size + own > BATCH_BYTES:
                break
            batch.append((number, message))
            size += own
        return batch

    def _is_silent(self) -> bool:
        return self._clock() - self._asked_at > self._silence_s


class DistantMeter:
    """
    What all attempts of a call may spend, counted on the caller's machine; see `prices.Meter`.

    One question a turn: the meter's rules stay in one place, and a turn of a model takes seconds.
    """

    def __init__(self, channel: Channel) -> None:
        self._channel = channel

    @contextmanager
    def attempt(self) -> Iterator[Spending]:
        """See `SpendMeter.attempt`."""
        self._channel.ask("begin_spending")
        try:
            yield _DistantSpending(self._channel)
        except PriceUnknown:
            self._channel.ask("price_unknown")
            raise
        finally:
            self._channel.ask("end_spending")


class _DistantSpending:
    def __init__(self, channel: Channel) -> None:
        self._channel = channel

    def reserve(self) -> bool:
        """See `Spending`."""
        return self._channel.ask("reserve")

    def charge(self, usd: float) -> None:
        """See `Spending`."""
        self._channel.ask("charge", usd)
