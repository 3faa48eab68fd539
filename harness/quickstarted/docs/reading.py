"""
One read, from a URL to a page or to why there is none.

The answer behind the URL's redirects (every hop through all transports), its text, at most one meta
refresh within the same host, and the part of the text that was asked for.
"""

from __future__ import annotations

from dataclasses import dataclass

import httpx

from quickstarted.docs import clock, urls
from quickstarted.docs.affordances import AGENT_ACCEPT, BROWSER_ACCEPT
from quickstarted.docs.document import error_text, read_document
from quickstarted.docs.faults import FetchFailed, FetchRefused, FetchWithheld
from quickstarted.docs.media import media_type
from quickstarted.docs.model import (
    Blocked,
    Changed,
    DocsRules,
    Failed,
    Page,
    Reading,
    Redirected,
    Withheld,
)
from quickstarted.docs.notes import characters_note, end_note, redirect_note, section_note
from quickstarted.docs.parts import split
from quickstarted.docs.text.html import Converted
from quickstarted.docs.transports.answers import CHANGED, FROM_CACHE, content_hash
from quickstarted.docs.transports.codings import ACCEPT_ENCODING


@dataclass(slots=True)
class _Fetched:
    """A complete answer and where it came from in the end, with the fragment that was asked for."""

    response: httpx.Response
    url: str

    @property
    def bare_url(self) -> str:
        return urls.without_fragment(self.url)


class Read:
    """One call of `DocsClient.read`."""

    def __init__(
        self, transport: httpx.BaseTransport, rules: DocsRules, url: str, page: int
    ) -> None:
        self._transport = transport
        self._rules = rules
        self._requested = url
        self._page = page
        self._hops: list[str] = []
        self._client_redirect: Redirected | None = None
        self._last: _Fetched | None = None
        self._changed: list[Changed] = []

    def reading(self, running: clock.ReadClock) -> Reading:
        """Read, within the time of *running*; nothing is raised."""
        outcome: Page | Blocked | Failed | Withheld
        try:
            outcome = self._page_of(self._requested)
        except FetchRefused as exc:
            outcome = Blocked(url=self._at(), reason=exc.reason, detail=exc.detail)
        except FetchWithheld:
            outcome = Withheld(url=self._at())
        except FetchFailed as exc:
            outcome = Failed(
                url=self._at(), error=exc.error, status=exc.status, text=self._error_text(exc)
            )
        return Reading(
            requested=self._requested,
            outcome=outcome,
            client_redirect=self._client_redirect,
            hops=tuple(self._hops),
            changed=tuple(self._changed),
            waited_s=running.waited_s,
        )

    def _at(self) -> str:
        return self._hops[-1] if len(self._hops) > 1 else self._requested

    def _error_text(self, exc: FetchFailed) -> str:
        if exc.status is None or self._last is None or self._last.response.is_success:
            return ""
        return error_text(self._last.response, self._last.bare_url)

    def _page_of(self, url: str) -> Page:
        fetched = self._fetch(url)
        document = read_document(fetched.response, fetched.bare_url)
        why_not = ""
        if document.stub is not None:
            target = document.stub.target
            if urls.same_host(fetched.url, target):
                self._client_redirect = Redirected(requested=fetched.bare_url, resolved_to=target)
                fetched = self._fetch(target, fragment=urls.fragment_of(fetched.url))
                document = read_document(fetched.response, fetched.bare_url)
                why_not = "one such redirect has been followed already"
            else:
                why_not = "it leads to another host"
        note = redirect_note(document, why_not) or characters_note(document)
        if why_not and not document.text.strip():
            raise FetchFailed(note.strip("[]"), status=fetched.response.status_code)
        return self._part(fetched, document, note)

    def _fetch(self, url: str, *, fragment: str = "") -> _Fetched:
        """Follow redirects; every hop is a new request through all transports."""
        url = urls.clean(url)
        fragment = urls.fragment_of(url) or fragment
        for _ in range(self._rules.max_redirects + 1):
            self._hops.append(urls.without_fragment(url))
            request = request_for(self._rules, urls.parse(url).copy_with(fragment=None))
            response = self._transport.handle_request(request)
            self._note_change(response)
            self._last = _Fetched(
                response, url if "#" in url or not fragment else f"{url}#{fragment}"
            )
            if not response.has_redirect_location:
                return self._last
            url = urls.clean(urls.absolute(str(request.url), response.headers["location"]))
            self._refuse_circle(url, response.status_code)
            fragment = urls.fragment_of(url) or fragment
        raise FetchFailed(f"More than {self._rules.max_redirects} redirects.")

    def _refuse_circle(self, url: str, status: int) -> None:
        """No cookies are kept, so that what comes for a URL would come again."""
        target, last = urls.without_fragment(url), self._hops[-1]
        if target == last:
            words = f"{last} redirects to itself: it may want a cookie, and none are kept."
            raise FetchFailed(words, status=status)
        if target in self._hops:
            raise FetchFailed(
                f"The page redirects in a circle: {last} leads back to {target}.", status=status
            )

    def _note_change(self, response: httpx.Response) -> None:
        body = response.read()
        if response.extensions.get(CHANGED):
            self._changed.append(Changed(url=self._hops[-1], content_hash=content_hash(body)))

    def _part(self, fetched: _Fetched, document: Converted, note: str) -> Page:
        response = fetched.response
        parts = split(document.text, self._rules.max_chars)
        if not 1 <= self._page <= len(parts):
            count = f"{len(parts)} page{'s' if len(parts) > 1 else ''}"
            raise FetchFailed(f"There is no page {self._page}: the text has {count}.")
        part = parts[self._page - 1]
        notes = [note] if note else []
        section_start = None
        if fragment := urls.fragment_of(fetched.url):
            notes.append(section_note(document, fragment, parts, lines_before=2 * len(notes) + 2))
            section_start = document.place_of(fragment)
        end = end_note(self._page, len(parts))
        before = "".join(f"{one}\n\n" for one in notes if one)
        is_same = len(self._hops) == 1
        return Page(
            url=self._requested,
            resolved_to=self._requested if is_same else fetched.url,
            text=before + part + (f"\n\n{end}" if end else ""),
            chars=len(part),
            original_chars=len(document.text),
            truncated=len(parts) > 1,
            page=self._page,
            pages=len(parts),
            from_cache=bool(response.extensions.get(FROM_CACHE)),
            content_hash=content_hash(response.content),
            status=response.status_code,
            source=_source(response),
            content_type=media_type(response.headers),
            text_start=len(before),
            section_start=section_start,
            edit_url=document.edit_url,
        )


def request_for(rules: DocsRules, url: httpx.URL, accept: str = "") -> httpx.Request:
    """No cookies: a page is the same for every reader, and from the cache."""
    as_reader = AGENT_ACCEPT if rules.serve_affordances else BROWSER_ACCEPT
    timeout = httpx.Timeout(rules.read_timeout_s, connect=rules.connect_timeout_s)
    return httpx.Request(
        "GET",
        url,
        headers={
            "user-agent": rules.user_agent,
            "accept": accept or as_reader,
            "accept-encoding": ACCEPT_ENCODING,
        },
        extensions={"timeout": timeout.as_dict()},
    )


def _source(response: httpx.Response) -> str | None:
    source = response.extensions.get("source")
    return source if isinstance(source, str) else None
