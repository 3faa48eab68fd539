"""
What the documentation client is told and what it answers.

Plain values without behaviour worth the name, so that the tools write events from them and tests
compare them. Units are characters of text, bytes of body and seconds.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from quickstarted import __version__
from quickstarted.events import BlockReason

USER_AGENT = f"quickstarted/{__version__} (reads documentation for a test of it)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """
    What stands in for the pages below a URL prefix (`docs.sites`): a folder or a preview.

    Raises:
        ValueError: It is neither or both.

    """

    prefix: str
    """An absolute http or https URL, e.g. `https://flask.palletsprojects.com/en/stable/`."""
    folder: Path | None = None
    """A local build of those pages."""
    url: str | None = None
    """Where a preview deployment has the page of the prefix; not in need of `allow_hosts`."""
    named: Path | None = None
    """What records call `folder`, where that is a copy on a node of a cluster."""

    def __post_init__(self) -> None:
        if (self.folder is None) == (self.url is None):
            raise ValueError("a site is a folder or a preview")

    @property
    def source(self) -> str:
        """The folder or the URL."""
        return str(self.named or self.folder or self.url)


@dataclass(frozen=True, slots=True, kw_only=True)
class HostHeaders:
    """What is sent to one host with every request (`docs.headers`)."""

    host: str
    """Lower-case A-label; means itself, not what is below it."""
    headers: tuple[tuple[str, str], ...] = field(repr=False)
    """Names with values; the values are secrets."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DocsRules:
    """What may be read, and how long and how much."""

    allow_hosts: tuple[str, ...]
    """Lower-case A-labels; each means itself and its subdomains, on any port."""
    sites: tuple[Site, ...] = ()
    headers: tuple[HostHeaders, ...] = ()
    """Sent over https, and over http only to a host of `private_hosts`; each host stands once."""
    serve_affordances: bool = True
    """False withholds what is made for agents, by URL and by content negotiation."""
    has_docs: bool = True
    """False answers every read with there being no documentation (`--arm no-docs`)."""
    route: tuple[str, ...] = ()
    """URLs that the task names, which are never withheld."""
    private_hosts: tuple[str, ...] = ()
    """Hosts that may resolve to a private address (`network.private`), and their subdomains."""
    extra_ca_files: tuple[Path, ...] = ()
    """PEM files of roots that are trusted besides the public ones and the environment's."""
    max_chars: int = 40_000
    """Characters of text that one read gives."""
    max_body_bytes: int = 20_000_000
    """Largest body, counted after decompression."""
    user_agent: str = USER_AGENT
    respect_robots: bool = True
    min_interval_s: float = 0.0
    """Least time between two requests to one host."""
    connect_timeout_s: float = 10.0
    read_timeout_s: float = 20.0
    """Longest silence of a server."""
    total_timeout_s: float = 60.0
    """Longest read, redirects, retries and waits included."""
    max_redirects: int = 10
    max_retries: int = 2
    """Further tries after 429 or 503."""
    max_retry_wait_s: float = 20.0
    """Longest wait that a `Retry-After` is granted; a longer one is an answer, not a wait."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A page was read."""

    url: str
    """As it was asked for."""
    resolved_to: str
    """Where the text comes from in the end; equal to `url` when nothing redirected."""
    text: str
    """What the agent gets: notes of the client in square brackets, and the page's text."""
    chars: int
    """Characters of the page's own text in `text`."""
    original_chars: int
    """Characters of the whole page's text."""
    truncated: bool
    """Whether the whole page is longer than one read gives."""
    page: int
    """Which part of a long page this is; counts from 1."""
    pages: int
    from_cache: bool
    """No body was transferred for it, whoever had the page before."""
    content_hash: str
    """`sha256:` and the hex digest of the body, after its content coding was undone."""
    status: int
    source: str | None
    """The local file that stood in for the page; None for a page of the network."""
    content_type: str
    """Media type without parameters, as served or guessed."""
    text_start: int = 0
    """Where the page's own text starts in `text`, behind the notes."""
    section_start: int | None = None
    """Where the URL's fragment leads, in characters of the whole page's text; None: nowhere."""
    edit_url: str | None = None
    """Where the page says that its source is edited; None where it does not say."""

    @property
    def own_text(self) -> str:
        """The page's own text of this part, without notes; all parts together are the page."""
        return self.text[self.text_start : self.text_start + self.chars]


@dataclass(frozen=True, slots=True, kw_only=True)
class Blocked:
    """A page was not fetched, because the task or the site does not allow it."""

    url: str
    """The URL that is not allowed; not the requested one where a redirect led here."""
    reason: BlockReason
    detail: str
    """One sentence for the agent and the docs owner."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """The fetch itself failed, or what came cannot be read as text."""

    url: str
    error: str
    """One sentence for the agent and the docs owner."""
    status: int | None = None
    """Of the server's answer, when there was one."""
    text: str = ""
    """The start of the error page's own text, e.g. its suggestions; empty when there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Withheld:
    """An affordance was asked for in an attempt without."""

    url: str
    """The affordance; not the requested URL where a redirect led to it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Redirected:
    """A page whose only content was a meta refresh; the page that it names was fetched instead."""

    requested: str
    resolved_to: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed:
    """A page that was fetched again for `--refresh` and has other bytes than the cache had."""

    url: str
    content_hash: str
    """Of the new bytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """Everything about one call of `read_docs`."""

    requested: str
    outcome: Page | Blocked | Failed | Withheld
    client_redirect: Redirected | None = None
    hops: tuple[str, ...] = ()
    """The requested URL and where redirects of both kinds led; the last may be refused."""
    changed: tuple[Changed, ...] = ()
    """Pages on the way, and the last one; each is said once an attempt."""
    waited_s: float = 0.0
    """Seconds spent in throttles and retries; they do not count against an agent's budget."""
