"""An answer's bytes to a document: its text, where its sections start, where it redirects to."""

from __future__ import annotations

from dataclasses import replace
from http import HTTPStatus

import httpx

from quickstarted.docs.faults import FetchFailed
from quickstarted.docs.media import is_notebook, media_type, sniff, unreadable
from quickstarted.docs.public_links import (
    PublicLink,
    with_public_links,
    with_public_refresh,
)
from quickstarted.docs.text.charset import broken_characters, decode
from quickstarted.docs.text.fences import changed_outside
from quickstarted.docs.text.html import Converted, convert
from quickstarted.docs.text.notebook import notebook_text
from quickstarted.docs.text.parsing import BeyondReason
from quickstarted.docs.text.refresh import first_refresh, is_stub
from quickstarted.docs.text.writer import without_notes

PUBLIC_LINK = "public_link"
"""Response extension, a `PublicLink`: the answer stands in for a public page."""

_MAX_ERROR_CHARS = 2_000


def read_document(response: httpx.Response, url: str) -> Converted:
    """
    Read the final answer of a fetch.

    Args:
        response: Complete, of any status.
        url: Where it came from, without a fragment.

    Raises:
        FetchFailed: It is an error, is no text, or holds nothing to read.

    """
    if not response.is_success:
        raise FetchFailed(_status_words(response), status=response.status_code)
    document = _convert(response, url)
    if document.needs_javascript:
        leading = f", which leads to {document.script_target}" if document.script_target else ""
        raise FetchFailed(
            f"The page renders only with JavaScript{leading}: without it there is no text on it.",
            status=response.status_code,
        )
    if not document.text.strip() and document.stub is None:
        raise FetchFailed("The page is empty.", status=response.status_code)
    return document


def error_text(response: httpx.Response, url: str) -> str:
    """The start of an error page's text, which may suggest where to go; empty without one."""
    try:
        return _convert(response, url).text.strip()[:_MAX_ERROR_CHARS]
    except FetchFailed:
        return ""


def _convert(response: httpx.Response, url: str) -> Converted:
    kind = media_type(response.headers)
    body = response.content
    words = unreadable(kind)
    how = words or sniff(kind, body)
    if how not in {"html", "text"}:
        raise FetchFailed(
            f"The URL is {how}, which read_docs cannot read.", status=response.status_code
        )
    text = decode(body, response.headers.get("content-type", ""), is_html=how == "html")
    document = _read(response, text, how, url)
    return replace(document, broken_characters=broken_characters(body, text))


def _read(response: httpx.Response, text: str, how: str, url: str) -> Converted:
    kind = media_type(response.headers)
    public_link = _public_link(response)
    refresh = response.headers.get("refresh", "")
    if public_link:
        refresh = with_public_refresh(refresh, url, public_link)
    if how == "text":
        text = (notebook_text(text) if is_notebook(kind, url) else None) or text
        text = with_public_links(text, public_link) if public_link else text
        return _as_it_is(text, url, refresh)
    try:
        return convert(text, url, public_link, refresh)
    except BeyondReason as exc:
        raise FetchFailed(str(exc), status=response.status_code) from None


def _as_it_is(text: str, url: str, refresh_header: str) -> Converted:
    text = changed_outside(text, without_notes)
    refresh = first_refresh([(refresh_header, url)], url)
    stub = refresh if refresh and is_stub(text, "", refresh.target) else None
    return Converted(text=text, title="", stub=stub, is_source=True)


def _public_link(response: httpx.Response) -> PublicLink | None:
    found = response.extensions.get(PUBLIC_LINK)
    return found if callable(found) else None


def _status_words(response: httpx.Response) -> str:
    code = response.status_code
    if response.has_redirect_location:
        return f"HTTP {code}: too many redirects."
    try:
        phrase = HTTPStatus(code).phrase
    except ValueError:
        phrase = ""
    wait = response.headers.get("retry-after", "")
    later = f" (Retry-After: {wait[:40]})" if wait else ""
    return f"HTTP {code} {phrase}".rstrip() + later
