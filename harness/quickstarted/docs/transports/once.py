"""
One run asks for a page once: what came is given to all attempts, also to those that ask meanwhile.

A read that finds another one at work on the same page waits for it and shares what comes of it, a
failure included: forty attempts at a dead host fail together and not one after the other. Later
reads ask anew after a failure. Memory is bounded: what was not used for longest is forgotten.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from concurrent.futures import Future
from dataclasses import dataclass

import httpx

from quickstarted.docs import clock
from quickstarted.docs.transports.answers import KEPT_STATUSES, Answer, Key, key_of

MAX_BYTES = 200_000_000


@dataclass(frozen=True, slots=True)
class _Flight:
    """A question that somebody has asked and that is not answered yet."""

    answer: Future[Answer]
    clock: clock.ReadClock
    waited_before_s: float

    @property
    def waited_s(self) -> float:
        """How long the one who asks has waited on purpose since."""
        return self.clock.waited_s - self.waited_before_s


class Once(httpx.BaseTransport):
    """
    Gives an answer again with `extensions["from_cache"]` true; asks *inner* once a URL.

    Args:
        inner: The next layer.
        max_bytes: Bodies that are remembered in all.

    """

    def __init__(self, inner: httpx.BaseTransport, max_bytes: int = MAX_BYTES) -> None:
        self._inner = inner
        self._max_bytes = max_bytes
        self._bytes = 0
        self._answers: OrderedDict[Key, Answer] = OrderedDict()
        self._flights: dict[Key, _Flight] = {}
        self._lock = threading.Lock()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Answer from memory, wait for who asks already, or ask."""
        key = key_of(request)
        with self._lock:
            if (known := self._answers.get(key)) is not None:
                self._answers.move_to_end(key)
                return known.response(from_cache=True)
            flight = self._flights.get(key)
            is_mine = flight is None
            if flight is None:
                now = clock.current()
                flight = self._flights[key] = _Flight(Future(), now, now.waited_s)
        return self._ask(key, request, flight) if is_mine else _shared(flight)

    def close(self) -> None:
        """Close the next layer."""
        self._inner.close()

    def _ask(self, key: Key, request: httpx.Request, flight: _Flight) -> httpx.Response:
        try:
            answer = Answer.of(self._inner.handle_request(request))
        except BaseException as exc:
            self._landed(key)
            flight.answer.set_exception(exc)
            raise
        self._landed(key, answer)
        flight.answer.set_result(answer)
        return answer.response()

    def _landed(self, key: Key, answer: Answer | None = None) -> None:
        with self._lock:
            del self._flights[key]
            if answer is None or answer.status not in KEPT_STATUSES:
                return
            self._answers[key] = answer
            self._bytes += len(answer.body)
            while self._bytes > self._max_bytes:
                _, oldest = self._answers.popitem(last=False)
                self._bytes -= len(oldest.body)


def _shared(flight: _Flight) -> httpx.Response:
    """Waits as long as the one who asks; what that one waits on purpose is forgiven here too."""
    started = time.monotonic()
    try:
        answer = flight.answer.result()
    finally:
        clock.current().forgive(min(time.monotonic() - started, flight.waited_s))
    return answer.response(from_cache=True)
