"""
What all attempts of one run share of documentation: pages, robots.txt, connections, patience.

Attempts are handed one library, so that forty of them ask for a page once and keep one distance
between requests to a host. What tasks with different rules read is kept apart, since a page that
one task may read is not another's; the distance and the cache on disk are everybody's.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Self

import httpx

from quickstarted.docs.model import DocsRules
from quickstarted.docs.options import DocsOptions
from quickstarted.docs.store import Store
from quickstarted.docs.transports.bounded import Bounded
from quickstarted.docs.transports.headers import Headers
from quickstarted.docs.transports.network import Network
from quickstarted.docs.transports.once import Once
from quickstarted.docs.transports.retry import Retry
from quickstarted.docs.transports.robots import Robots
from quickstarted.docs.transports.stored import Offline, StoreAccess, Stored
from quickstarted.docs.transports.throttle import Schedule, Throttle

NetworkFor = Callable[[DocsRules], httpx.BaseTransport]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """Where pages come from that no attempt has yet."""

    public: httpx.BaseTransport
    """By the rules of public hosts."""
    previews: httpx.BaseTransport
    """For what the task itself names in a public page's place; robots.txt is not asked."""


class DocsLibrary:
    """
    Shared by the `DocsClient`s of one run; safe to use from several threads.

    Args:
        options: What the call says.
        note: Takes a line for the person who waits, e.g. that nothing more can be stored.
        network: Makes the lowest layer for a task's rules.

    """

    def __init__(
        self,
        options: DocsOptions = DocsOptions(),  # noqa: B008 (frozen)
        *,
        note: Callable[[str], None] = lambda _: None,
        network: NetworkFor | None = None,
    ) -> None:
        self.options = options
        self._network = network or _network
        self._schedule = Schedule()
        self._store = _access(options, note)
        self._sources: dict[DocsRules, Sources] = {}
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def sources(self, rules: DocsRules) -> Sources:
        """What serves all clients with *rules*, but for what only their own layers look at."""
        shared = replace(
            rules, sites=(), serve_affordances=True, route=(), max_chars=0, has_docs=True
        )
        with self._lock:
            if shared not in self._sources:
                self._sources[shared] = self._stack(shared)
            return self._sources[shared]

    def close(self) -> None:
        """Close every connection, and leave the cache on disk within its size."""
        with self._lock:
            for sources in self._sources.values():
                sources.public.close()
            self._sources.clear()
        if self._store is not None:
            self._store.close()

    def _stack(self, rules: DocsRules) -> Sources:
        """Every layer round the next; `transports` says why in this order."""
        store = self._store
        if self.options.freshness == "offline":
            offline = Once(Offline(store, rules.headers))
            return Sources(public=offline, previews=offline)
        bounded = Bounded(self._network(rules), rules.max_body_bytes)
        throttle = Throttle(bounded, rules.min_interval_s, self._schedule)
        polite = Retry(throttle, rules.max_retries, rules.max_retry_wait_s, self._schedule)
        own = Headers(polite, rules.headers, rules.private_hosts)
        robots = Robots(own, rules.user_agent, rules.allow_hosts) if rules.respect_robots else own
        return Sources(
            public=Once(Stored(robots, store, rules.headers)),
            previews=Once(Stored(own, store, rules.headers)),
        )


def _network(rules: DocsRules) -> httpx.BaseTransport:
    return Network(private_hosts=rules.private_hosts, extra_ca_files=rules.extra_ca_files)


def _access(options: DocsOptions, note: Callable[[str], None]) -> StoreAccess | None:
    if options.cache_dir is None:
        return None
    store = Store(options.cache_dir, options.max_cache_bytes)
    return StoreAccess(store, refresh=options.freshness == "refresh", note=note)
