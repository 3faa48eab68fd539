"""
Looks which affordances for agents a site has, without reading them for anybody.

Asked before the agent starts, also where affordances are withheld from it. What does not hold what
it promises is absent: an error, an empty file, a redirect to the home page, and the page of HTML
that many sites answer everything with.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import httpx

from quickstarted.docs import urls
from quickstarted.docs.affordances import (
    AGENT_ACCEPT,
    BROWSER_ACCEPT,
    MARKDOWN_TYPES,
    is_index,
    is_markdown_variant,
)
from quickstarted.docs.faults import FetchFailed, FetchRefused
from quickstarted.docs.media import media_type, sniff, unreadable
from quickstarted.docs.text.charset import decode
from quickstarted.docs.text.parsing import BeyondReason, parse

Ask = Callable[[str, str], tuple[httpx.Response, str]]
"""
A URL and what is accepted for it, to the answer behind redirects and where it came from; raises
`FetchFailed` and `FetchRefused`.
"""

PROBE_TIME_S = 30.0
"""For all of it: a site that does not answer holds an attempt up no longer."""

_INDEXES = ("llms.txt", "llms-full.txt")
_MAX_LEVELS = 3
"""Folders below the root in which an index is looked for, e.g. `/en/` and `/en/stable/`."""
_HTML_STARTS = (b"<!doctype html", b"<html")
"""Some servers go by the name that was asked for, and call such a page text too."""
_UNTYPED = frozenset({"application/octet-stream", "application/unknown"})
_LINK = re.compile(r"<([^>]*)>([^<]*)")
_MAX_HEADER_CHARS = 8_000
_AROUND_VALUES = ' \t",'


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Whether a site has one affordance."""

    url: str
    """Where it was looked for."""
    present: bool
    status: int | None = None
    """Of the answer, redirects followed; None where there was none."""
    bytes: int | None = None
    """Of the body, decompressed."""
    note: str = ""
    """Why it is absent, or what else there is to know."""


def probe(entrypoint: str, ask: Ask) -> dict[str, Finding]:
    """
    Look for every affordance of the site of a page.

    Args:
        entrypoint: The page, an absolute URL.
        ask: Fetches.

    Returns:
        By name: `page.md`, `page/index.md` and `page.html.md` (Markdown beside the page),
        `accept_markdown` (the page as Markdown for who asks for it), `link_alternate` and
        `link_describedby` (what the page names as its Markdown and its index), and `llms.txt` and
        `llms-full.txt` of the root and, with their path before them, of the folders above the page.

    """
    url = urls.without_fragment(entrypoint)
    page = _Answer.of(url, BROWSER_ACCEPT, ask)
    found = {name: _file(there, ask) for name, there in _markdown_urls(url)}
    found["accept_markdown"] = _negotiated(page, _Answer.of(url, AGENT_ACCEPT, ask))
    for rel in ("alternate", "describedby"):
        href = _named_by(page, rel)
        found[f"link_{rel}"] = (
            _file(href, ask) if href else Finding(url=url, present=False, note="not named")
        )
    return found | {there: _file(there_url, ask) for there, there_url in _index_urls(url)}


@dataclass(frozen=True, slots=True)
class _Answer:
    """What came for a URL, or why nothing did."""

    url: str
    response: httpx.Response | None = None
    at: str = ""
    trouble: str = ""
    status: int | None = None

    @classmethod
    def of(cls, url: str, accept: str, ask: Ask) -> _Answer:
        try:
            response, at = ask(url, accept)
        except FetchFailed as failed:
            return cls(url, trouble=failed.error, status=failed.status)
        except FetchRefused as refused:
            return cls(url, trouble=f"{refused.reason}: {refused.detail}")
        return cls(url, response, at, status=response.status_code)

    @property
    def kind(self) -> str:
        """Media type."""
        return media_type(self.response.headers) if self.response else ""

    @property
    def is_moved(self) -> bool:
        return self.at not in ("", self.url)

    def finding(self, absent: str, note: str = "") -> Finding:
        """
        What the answer shows.

        Args:
            absent: Why it is none; empty where it is one.
            note: What else there is to know.

        """
        notes = [absent, note, f"redirects to {self.at}" if self.is_moved else ""]
        return Finding(
            url=self.url,
            present=not absent,
            status=self.status,
            bytes=len(self.response.content) if self.response else None,
            note="; ".join(part for part in notes if part),
        )


def _file(url: str, ask: Ask) -> Finding:
    """An affordance with a URL of its own."""
    answer = _Answer.of(url, AGENT_ACCEPT, ask)
    return answer.finding(_why_no_text(answer))


def _why_no_text(answer: _Answer) -> str:
    """Why an answer is not the text that its URL promises; empty where it is."""
    response = answer.response
    if response is None:
        return answer.trouble
    if not response.is_success:
        return f"HTTP {response.status_code}"
    how = unreadable(answer.kind) or sniff(answer.kind, response.content)
    if how == "html" or response.content[:100].lstrip().lower().startswith(_HTML_STARTS):
        how = "a page of HTML"
    elif how == "text":
        at_home = answer.is_moved and httpx.URL(answer.at).path in ("", "/")
        how = _unlike_markdown(answer.kind, response.content, at_home=at_home)
    return f"the answer is {how}" if how else ""


def _unlike_markdown(kind: str, body: bytes, *, at_home: bool) -> str:
    """What a text is instead; empty where it may be what was asked for."""
    if not body.strip():
        return "empty"
    if at_home:
        return "the home page"
    return kind if kind.startswith("application/") and kind not in _UNTYPED else ""


def _negotiated(for_browsers: _Answer, for_agents: _Answer) -> Finding:
    """The page itself, asked for as an agent and as a browser does."""
    if absent := _why_no_text(for_agents):
        return for_agents.finding(absent)
    if for_agents.kind not in MARKDOWN_TYPES:
        return for_agents.finding(f"the answer is {for_agents.kind or 'of no type'}")
    if for_browsers.kind in MARKDOWN_TYPES:
        return for_agents.finding("the page is Markdown for browsers too")
    vary = for_agents.response.headers.get("vary", "") if for_agents.response else ""
    is_said = any(name.strip().lower() in ("accept", "*") for name in vary.split(","))
    return for_agents.finding(
        "", "" if is_said else "no `Vary: Accept`: a cache may give it to browsers"
    )


def _markdown_urls(url: str) -> Iterator[tuple[str, str]]:
    """Where the Markdown of a page may be, by the form of its URL."""
    parsed = httpx.URL(url)
    path = parsed.raw_path.decode("ascii").partition("?")[0]
    if is_markdown_variant(parsed):
        return
    if path.endswith("/"):
        forms = [("page/index.md", f"{path}index.md"), ("page.html.md", f"{path}index.html.md")]
        forms += [("page.md", f"{path[:-1]}.md")] if path != "/" else []
    elif stem := next((path[: -len(end)] for end in (".html", ".htm") if path.endswith(end)), ""):
        forms = [("page.md", f"{stem}.md"), ("page.html.md", f"{path}.md")]
    else:
        forms = [("page.md", f"{path}.md"), ("page/index.md", f"{path}/index.md")]
    for name, there in forms:
        yield name, str(parsed.copy_with(raw_path=there.encode("ascii")))


def _index_urls(url: str) -> Iterator[tuple[str, str]]:
    """Each index of the folders above a page, the nearest first, then of the root."""
    parsed = httpx.URL(url)
    path = parsed.raw_path.decode("ascii").partition("?")[0]
    folders = path.rstrip("/").split("/")[1:-1][:_MAX_LEVELS]
    for depth in range(len(folders), -1, -1):
        for index in _INDEXES:
            there = "/".join([*folders[:depth], index])
            yield there, str(parsed.copy_with(raw_path=f"/{there}".encode("ascii")))


def _named_by(page: _Answer, rel: str) -> str:
    """The URL that a page names as its Markdown (`alternate`) or its index (`describedby`)."""
    response = page.response
    if response is None or not response.is_success:
        return ""
    links = [*_header_links(response), *_element_links(page)]
    for href, rels, kind in links:
        try:
            target = urls.parse(urls.absolute(page.at, href))
        except (FetchFailed, FetchRefused):
            continue
        if rel in rels and (kind in MARKDOWN_TYPES if rel == "alternate" else is_index(target)):
            return urls.without_fragment(str(target))
    return ""


def _header_links(response: httpx.Response) -> Iterator[tuple[str, list[str], str]]:
    """RFC 8288, as far as the two relations need it."""
    for href, rest in _LINK.findall(response.headers.get("link", "")[:_MAX_HEADER_CHARS]):
        parameters = {
            name.strip().lower(): value.strip(_AROUND_VALUES).lower()
            for name, _, value in (part.partition("=") for part in rest.split(";"))
        }
        yield href, parameters.get("rel", "").split(), parameters.get("type", "")


def _element_links(page: _Answer) -> Iterator[tuple[str, list[str], str]]:
    response = page.response
    if response is None or sniff(page.kind, response.content) != "html":
        return
    html = decode(response.content, response.headers.get("content-type", ""), is_html=True)
    try:
        tree = parse(html)
    except BeyondReason:
        return
    for link in tree.css("link[rel][href]"):
        given = link.attributes
        kind = (given.get("type") or "").partition(";")[0].strip().lower()
        yield given.get("href") or "", (given.get("rel") or "").lower().split(), kind
