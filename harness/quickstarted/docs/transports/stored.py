"""
Gives pages from the store on disk, once the server has said that they are still what it has.

The store is for reproduction and for being spared a transfer, and never answers on its own: the
first read of a page in a run asks the server (RFC 9110, 13.1: If-None-Match, If-Modified-Since),
unless the run is offline. Then nothing else answers.

What is read with `docs.headers` is never stored: it is for who has the headers.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from http import HTTPStatus

import httpx

from quickstarted.docs import urls
from quickstarted.docs.faults import FetchRefused
from quickstarted.docs.model import HostHeaders
from quickstarted.docs.store import NoStore, Store, StoredPage
from quickstarted.docs.transports.answers import (
    CHANGED,
    FROM_CACHE,
    KEPT_STATUSES,
    Answer,
    key_of,
)
from quickstarted.docs.transports.headers import PRIVATE

_NO_STORE = "no-store"
_RENEWED = frozenset({"cache-control", "date", "etag", "expires", "last-modified", "vary"})
"""Of a 304, what describes the page and not this answer (RFC 9111, 3.2)."""


class StoreAccess:
    """
    The store as one run uses it: a disk that is full costs a note, and never a page.

    Args:
        store: Shared with other processes.
        refresh: Whether stored pages are fetched again whatever they are.
        note: Takes a line for the person who waits.

    """

    def __init__(self, store: Store, *, refresh: bool, note: Callable[[str], None]) -> None:
        self.store = store
        self.refresh = refresh
        self._note = note
        self._lock = threading.Lock()
        self._has_failed = False
        self._has_written = False

    def put(self, key: tuple[str, str], page: StoredPage | NoStore) -> None:
        """Store *page*; the first time that this fails is noted, and later ones are not tried."""
        if self._has_failed:
            return
        try:
            self.store.put(key, page)
            self._has_written = True
        except OSError as exc:
            self._failed(exc)

    def close(self) -> None:
        """Bring the store back within its size."""
        if self._has_written:
            try:
                self.store.prune()
            except OSError as exc:
                self._failed(exc)

    def _failed(self, exc: OSError) -> None:
        with self._lock:
            is_first, self._has_failed = not self._has_failed, True
        if is_first:
            self._note(
                f"note: pages are not kept for later runs: {self.store.folder}:"
                f" {exc.strerror or exc}"
            )


class Stored(httpx.BaseTransport):
    """
    Asks *inner* whether the stored page still holds, and stores what comes in its place.

    Args:
        inner: The next layer.
        access: None keeps nothing on disk.
        headers: Hosts whose pages are not stored.

    """

    def __init__(
        self,
        inner: httpx.BaseTransport,
        access: StoreAccess | None,
        headers: tuple[HostHeaders, ...],
    ) -> None:
        self._inner = inner
        self._access = access
        self._private = frozenset(one.host for one in headers)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Ask, conditionally where there is something to compare with."""
        if self._access is None or urls.host_of(request.url) in self._private:
            return self._inner.handle_request(request)
        return self._compared(request, self._access)

    def close(self) -> None:
        """Close the next layer."""
        self._inner.close()

    def _compared(self, request: httpx.Request, access: StoreAccess) -> httpx.Response:
        key = key_of(request)
        found = access.store.get(key)
        known = found if isinstance(found, StoredPage) else None
        asked = request if known is None or access.refresh else _conditional(request, known)
        response = self._inner.handle_request(asked)
        if known is not None and response.status_code == HTTPStatus.NOT_MODIFIED:
            renewed = known.with_headers(
                {name: value for name, value in response.headers.items() if name in _RENEWED}
            )
            access.put(key, renewed)
            return _response(renewed)
        answer = Answer.of(response)
        if answer.status in KEPT_STATUSES and not answer.extensions.get(PRIVATE):
            page = _page(answer)
            if access.refresh and known is not None and not _is_same(known, answer):
                answer.extensions[CHANGED] = True
            access.put(key, page)
        return answer.response()


class Offline(httpx.BaseTransport):
    """Answers from the store, or raises `FetchRefused` with reason `offline_cache_miss`."""

    def __init__(self, access: StoreAccess | None, headers: tuple[HostHeaders, ...]) -> None:
        self._access = access
        self._private = frozenset(one.host for one in headers)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Give what is stored for *request*."""
        url = str(request.url)
        host = urls.host_of(request.url)
        if host in self._private:
            raise _miss(
                f"{url} is read with docs.headers, and what is read so is never stored:"
                " it cannot be read offline."
            )
        found = self._access.store.get(key_of(request)) if self._access else None
        if isinstance(found, StoredPage):
            return _response(found)
        if isinstance(found, NoStore):
            raise _miss(
                f"{url} is not stored, because {host} asks for that (Cache-Control: no-store):"
                " it cannot be read offline."
            )
        where = f" in {self._access.store.folder}" if self._access else ""
        raise _miss(f"{url} is not stored{where}. Run once without --offline to store it.")


def _miss(detail: str) -> FetchRefused:
    return FetchRefused("offline_cache_miss", detail)


def _conditional(request: httpx.Request, known: StoredPage) -> httpx.Request:
    headers = request.headers.copy()
    for asked, validator in (("if-none-match", "etag"), ("if-modified-since", "last-modified")):
        if value := known.header(validator):
            headers[asked] = value
    return httpx.Request(
        request.method, request.url, headers=headers, extensions=request.extensions
    )


def _page(answer: Answer) -> StoredPage | NoStore:
    directives = answer.headers.get("cache-control", "").lower().split(",")
    if any(one.strip() == _NO_STORE for one in directives):
        return NoStore()
    return StoredPage(
        status=answer.status,
        headers=tuple((name, value) for name, value in answer.headers.multi_items()),
        body=answer.body,
    )


def _is_same(known: StoredPage, answer: Answer) -> bool:
    return (known.status, known.body) == (answer.status, answer.body)


def _response(page: StoredPage) -> httpx.Response:
    return httpx.Response(
        page.status,
        headers=list(page.headers),
        stream=httpx.ByteStream(page.body),
        extensions={FROM_CACHE: True},
    )
