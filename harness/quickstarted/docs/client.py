"""
The documentation client: one call reads one page, and says everything that happened on the way.

A read is: the URL, the answer behind its redirects (every hop through all transports), its text, at
most one meta refresh within the same host, and the part of the text that was asked for.
"""

from __future__ import annotations

from dataclasses import replace
from types import TracebackType
from typing import Self

import httpx

from quickstarted.docs import clock, urls
from quickstarted.docs.faults import FetchFailed
from quickstarted.docs.library import DocsLibrary, NetworkFor, Sources
from quickstarted.docs.model import (
    Blocked,
    DocsRules,
    Failed,
    Page,
    Reading,
)
from quickstarted.docs.notes import relative_hint
from quickstarted.docs.probing import PROBE_TIME_S, Finding, probe
from quickstarted.docs.reading import Read, request_for
from quickstarted.docs.transports.affordances import PROBING, Affordances
from quickstarted.docs.transports.allowlist import Allowlist
from quickstarted.docs.transports.cache import Cache
from quickstarted.docs.transports.sites import Sites

NO_DOCS = "There is no documentation."


class DocsClient:
    """
    Reads documentation under *rules*; safe to use from several threads.

    What was read once is given again for the life of the client, so one client serves one attempt.

    Args:
        rules: What may be read.
        library: What the attempts of a run share; by default the client has its own, in memory.
        transport: Stands in for the network of its own library, below every rule.

    Raises:
        UsageError: A site's prefix is not an http or https URL.

    """

    def __init__(
        self,
        rules: DocsRules,
        library: DocsLibrary | None = None,
        *,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self._rules = rules
        self._last_page = ""
        self._own = None if library else DocsLibrary(network=_standing_in(transport))
        shared = library or self._own
        assert shared is not None
        self._transport = _stack(rules, shared.sources(rules))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close what no other client shares."""
        if self._own is not None:
            self._own.close()

    def read(self, url: str, *, page: int = 1) -> Reading:
        """
        Read the page at *url*.

        Args:
            url: Absolute; a fragment asks where that section starts.
            page: Which part of a long page; counts from 1.

        Returns:
            The page, or why there is none. Nothing that a page or a server does raises.

        """
        if not self._rules.has_docs:
            nothing = Blocked(url=url, reason="no_docs", detail=NO_DOCS)
            return Reading(requested=url, outcome=nothing, hops=(url,))
        with clock.running(clock.ReadClock(self._rules.total_timeout_s)) as running:
            reading = Read(self._transport, self._rules, url, page).reading(running)
        return self._with_hint(reading)

    def _with_hint(self, reading: Reading) -> Reading:
        """A link of a page that is Markdown is often relative, and has no place of its own."""
        outcome = reading.outcome
        if isinstance(outcome, Page):
            self._last_page = urls.without_fragment(outcome.resolved_to)
        elif isinstance(outcome, Failed):
            error = outcome.error + relative_hint(reading.requested, self._last_page)
            return replace(reading, outcome=replace(outcome, error=error))
        return reading

    def probe(self, url: str) -> dict[str, Finding]:
        """
        Look which affordances for agents the site of the page at *url* has; never raises.

        Also where they are withheld: nothing of what comes is given to anybody.
        """
        with clock.running(clock.ReadClock(PROBE_TIME_S)):
            return probe(url, self._look)

    def _look(self, url: str, accept: str) -> tuple[httpx.Response, str]:
        """What comes for *url* behind all redirects, and from where."""
        for _ in range(self._rules.max_redirects + 1):
            request = request_for(self._rules, urls.parse(url).copy_with(fragment=None), accept)
            request.extensions[PROBING] = True
            response = self._transport.handle_request(request)
            response.read()
            if not response.has_redirect_location:
                return response, url
            url = urls.absolute(str(request.url), response.headers["location"])
        raise FetchFailed(f"More than {self._rules.max_redirects} redirects.")


def _stack(rules: DocsRules, sources: Sources) -> httpx.BaseTransport:
    """The layers of one attempt, over those that all share; `transports` says why in this order."""
    sites = Sites(sources.public, rules.sites, rules.max_body_bytes, previews=sources.previews)
    served: httpx.BaseTransport = Cache(sites)
    if not rules.serve_affordances:
        served = Affordances(served, rules.route)
    return Allowlist(served, rules.allow_hosts, sites.is_site)


def _standing_in(transport: httpx.BaseTransport | None) -> NetworkFor | None:
    return None if transport is None else lambda _: transport
