"""
Links on a page that stands in for a public one, as the public page has them.

Only where links are: in a page's elements, and in Markdown outside of code. Code is verbatim,
whatever it says.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from selectolax.lexbor import LexborHTMLParser

from quickstarted.docs import urls
from quickstarted.docs.text.fences import changed_outside
from quickstarted.docs.text.refresh import parse_refresh

PublicLink = Callable[[str], str]
"""From an absolute link on the page that was read to the link of the public page."""

_ATTRIBUTES = ("href", "src")
_LINK = re.compile(
    r"(?P<code>(?P<ticks>`+)(?!`).*?(?<!`)(?P=ticks)(?!`))"
    r"|(?P<before>\]\(<?|\]:[ \t]*<?|<)(?P<url>https?://[^\s<>)]+)",
    re.DOTALL,
)


def make_links_public(tree: LexborHTMLParser, page_url: str, public_link: PublicLink) -> None:
    """
    Change the links of *tree*, its base and its refresh included.

    Args:
        tree: The page.
        page_url: Its public URL.
        public_link: See there.

    """
    base = tree.css_first("base[href]")
    base_url = urls.absolute(page_url, (base.attributes.get("href") if base else "") or "")
    for name in _ATTRIBUTES:
        for node in tree.css(f"[{name}]"):
            reference = urls.clean(node.attributes.get(name) or "")
            if reference and not reference.startswith("#"):
                _change(node.attrs, name, urls.absolute(base_url, reference), public_link)
    for node in tree.css("meta[http-equiv][content]"):
        content = node.attributes.get("content") or ""
        if (public := with_public_refresh(content, base_url, public_link)) != content:
            node.attrs["content"] = public


def with_public_refresh(value: str, base_url: str, public_link: PublicLink) -> str:
    """Change the link of *value*, a refresh's `content` or a `Refresh` header."""
    parsed = parse_refresh(value)
    if parsed is None or not parsed[1]:
        return value
    target = urls.absolute(base_url, parsed[1])
    public = public_link(target)
    return value if public == target else f"{parsed[0]}; url={public}"


def with_public_links(markdown: str, public_link: PublicLink) -> str:
    """Change the links of *markdown* that stand outside of code."""
    return changed_outside(markdown, lambda text: _linked(text, public_link))


def _linked(text: str, public_link: PublicLink) -> str:
    def changed(match: re.Match[str]) -> str:
        return match[0] if match["code"] else match["before"] + public_link(match["url"])

    return _LINK.sub(changed, text)


def _change(attributes: object, name: str, target: str, public_link: PublicLink) -> None:
    public = public_link(target)
    if public != target:
        attributes[name] = public  # type: ignore[index] # selectolax's stubs lack __setitem__
