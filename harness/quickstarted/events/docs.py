"""Events of reading documentation."""

from __future__ import annotations

from typing import Any, Literal

from quickstarted.events.base import EventBase

BlockReason = Literal[
    "not_allowlisted",
    "robots_disallowed",
    "offline_cache_miss",
    "private_address",
    "scheme",
    "no_docs",
]


class DocsFetch(EventBase):
    """A page was read."""

    type: Literal["docs_fetch"] = "docs_fetch"
    url: str
    chars: int
    original_chars: int
    truncated: bool
    from_cache: bool
    content_hash: str
    """`sha256:` and the digest of the bytes that the server sent."""
    resolved_to: str
    """Where the page was in the end; equal to `url` when nothing redirected."""
    status: int | None = None
    content_type: str | None = None
    """As served, without parameters: `text/markdown` where a site answered an agent with it."""
    page: int = 1
    """Which part of a long page was read, from 1."""
    pages: int = 1
    """How many parts the page has."""
    source: str | None = None
    """The local file or preview URL that stood in for the page (`docs.sites`)."""
    edit_url: str | None = None
    """Where the page says that its source is edited: its own "edit this page" link."""
    call_id: str | None = None


class DocsRedirectFollowed(EventBase):
    """The page's only content was a same-host meta refresh, and the real page was fetched."""

    type: Literal["docs_redirect_followed"] = "docs_redirect_followed"
    requested: str
    resolved_to: str


class DocsChanged(EventBase):
    """`--refresh` fetched the page again, and it has other bytes than the cache had."""

    type: Literal["docs_changed"] = "docs_changed"
    url: str
    content_hash: str


class FetchBlocked(EventBase):
    """A page was not fetched, because the task or the site does not allow it."""

    type: Literal["fetch_blocked"] = "fetch_blocked"
    url: str
    reason: BlockReason
    detail: str | None = None
    requested: str | None = None
    """The URL the agent asked for, where a redirect led to the blocked one."""
    call_id: str | None = None


class FetchError(EventBase):
    """The fetch itself failed."""

    type: Literal["fetch_error"] = "fetch_error"
    url: str
    error: str
    status: int | None = None
    call_id: str | None = None


class AffordanceWithheld(EventBase):
    """An affordance for agents was not served, because the run is one without."""

    type: Literal["affordance_withheld"] = "affordance_withheld"
    url: str
    """The affordance. Beside its `tool_call` the read has no other event."""
    requested: str | None = None
    """The URL the agent asked for, where a redirect led to the affordance."""
    call_id: str | None = None


class Affordances(EventBase):
    """Which affordances for agents the site of a page has."""

    type: Literal["affordances"] = "affordances"
    entrypoint: str
    found: dict[str, Any]
    """Name to url, present, status, bytes, note."""
