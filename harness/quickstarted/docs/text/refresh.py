"""
Pages whose only content is a meta refresh: what they say, and whether they have content after all.

The attribute is read by the steps that browsers follow (WHATWG HTML, "shared declarative refresh
steps"), so that every form they accept is one here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from selectolax.lexbor import LexborHTMLParser

from quickstarted.docs import urls

MAX_DELAY_S = 30
_SPACE = " \t\n\r\f"
_TIME = re.compile(rf"[{_SPACE}]*(?P<seconds>\d*)(?P<fraction>[\d.]*)", re.ASCII)
_URL_SIGN = re.compile(rf"[Uu](?:[Rr](?:[Ll](?:[{_SPACE}]*=[{_SPACE}]*)?)?)?", re.ASCII)
_MAX_CHARS = 500
_MAX_HEADING_CHARS = 80
_ABOUT_REDIRECT = re.compile(
    r"redirec|redirig|moved|forward|click here|if (you|your browser|nothing|the page)|please wait|"
    r"this page (is|has)|weiterg?eleit|verschoben|weiterleitung|déplacé|desplazado|перенаправ|"
    r"リダイレクト|重定向|跳转|转到|loading",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Refresh:
    """A refresh that leads to another page."""

    delay_s: int
    target: str
    """Absolute URL."""


def find_refresh(
    tree: LexborHTMLParser, base_url: str, page_url: str, header: str = ""
) -> Refresh | None:
    """
    The refresh of a page, where it leads elsewhere within `MAX_DELAY_S`.

    Args:
        tree: The page, with the content of its noscript elements as elements.
        base_url: What its references are relative to.
        page_url: Where it came from; a refresh to the same place only reloads it.
        header: Value of the answer's `Refresh`, which browsers honour alike and before the page.

    """
    metas = [
        (meta.attributes.get("content") or "", base_url)
        for meta in tree.css("meta[http-equiv][content]")
        if (meta.attributes.get("http-equiv") or "").lower() == "refresh"
    ]
    return first_refresh([(header, page_url), *metas], page_url)


def first_refresh(values: Iterable[tuple[str, str]], page_url: str) -> Refresh | None:
    """
    The refresh that a browser makes: the first that it can read, and no other.

    Args:
        values: Of `content` or `Refresh`, each with what its reference is relative to.
        page_url: Where the page came from.

    """
    for content, base_url in values:
        parsed = parse_refresh(content)
        if parsed is None:
            continue
        delay_s, reference = parsed
        target = urls.absolute(base_url, reference) if reference else page_url
        if target.lower().startswith("javascript:"):
            continue
        is_elsewhere = urls.without_fragment(target) != urls.without_fragment(page_url)
        if delay_s <= MAX_DELAY_S and is_elsewhere and urls.is_http(target):
            return Refresh(delay_s, target)
        return None
    return None


def parse_refresh(content: str) -> tuple[int, str] | None:
    """
    Read the value of a refresh's `content`.

    Returns:
        Whole seconds and the reference, which is empty for a reload; None where a browser ignores
        the value.

    """
    time = _TIME.match(content)
    if time is None or not (time["seconds"] or content[time.end("seconds") :].startswith(".")):
        return None
    delay_s = int(time["seconds"][:9] or 0)
    rest = content[time.end() :]
    if not rest:
        return delay_s, ""
    if rest[0] not in ";," + _SPACE:
        return None
    rest = rest.lstrip(_SPACE)
    if rest[:1] in {";", ","}:
        rest = rest[1:].lstrip(_SPACE)
    return delay_s, _reference(rest)


def _reference(rest: str) -> str:
    sign = _URL_SIGN.match(rest)
    if sign is not None:
        if not sign[0].rstrip(_SPACE).endswith("="):
            return rest
        rest = rest[sign.end() :]
    if rest[:1] in {"'", '"'}:
        quote = rest[0]
        rest = rest[1:].partition(quote)[0]
    return rest


def is_stub(text: str, title: str, target: str) -> bool:
    """
    Whether a page with a refresh has nothing else to say.

    Args:
        text: Its text without a title line, links absolute.
        title: Its title.
        target: Where the refresh leads, absolute.

    Returns:
        False as soon as one line is neither a heading nor about the redirect, or there is a block
        of code.

    """
    if len(text) > _MAX_CHARS + 2 * len(target) or "```" in text:
        return False
    place = urls.without_fragment(target)
    return all(
        not line.strip()
        or (line.startswith("#") and len(line) <= _MAX_HEADING_CHARS)
        or line.strip() in {title, "---"}
        or place in line
        or (_ABOUT_REDIRECT.search(line) and "`" not in line)
        for line in text.split("\n")
    )
