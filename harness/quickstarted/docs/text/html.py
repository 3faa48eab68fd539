"""A page's HTML to its text: the way into this package."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from selectolax.lexbor import LexborHTMLParser

from quickstarted.docs import urls
from quickstarted.docs.public_links import PublicLink, make_links_public
from quickstarted.docs.text.edit_link import edit_link
from quickstarted.docs.text.fragments import anchors_of_text, place_of
from quickstarted.docs.text.generators import NO_FRAME, frame_of
from quickstarted.docs.text.main_content import main_content
from quickstarted.docs.text.parsing import parse
from quickstarted.docs.text.refresh import Refresh, find_refresh, is_stub
from quickstarted.docs.text.script_redirect import find_script_redirect
from quickstarted.docs.text.tree import Node, collapse
from quickstarted.docs.text.walk import Walk

_PLACEHOLDER = re.compile(r"\W*((loading|please wait)\W*)?", re.IGNORECASE)
_PLEA = re.compile(
    r"(enable|activate|allow|turn on|requires?|needs?|without|use[sd]?|supports?) (java ?)?script",
    re.IGNORECASE,
)
_MAX_PLEA_CHARS = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class Converted:
    """What a page says to a reader without JavaScript."""

    text: str
    """Markdown; empty where there is nothing to read."""
    title: str
    needs_javascript: bool = False
    """There is nothing to read, and scripts that would write it."""
    stub: Refresh | None = None
    """Set where the page's only content is a redirect to another page."""
    script_target: str | None = None
    """Where a script would lead, on a page that has nothing else to say."""
    anchors: dict[str, int] = field(default_factory=dict)
    """Element id to its place in `text`, in characters."""
    broken_characters: int = 0
    """Places that fit no character of the set that the page is in; each is U+FFFD in `text`."""
    is_source: bool = False
    """The text is as it was written; sections are found by their titles."""
    edit_url: str | None = None
    """Where the page says that its source is edited."""

    def place_of(self, fragment: str) -> int | None:
        """Where the section with this fragment starts, in characters; None where there is none."""
        anchors = anchors_of_text(self.text) if self.is_source else self.anchors
        return place_of(anchors, fragment)


def convert(
    html: str, url: str, public_link: PublicLink | None = None, refresh_header: str = ""
) -> Converted:
    """
    Read a page.

    Args:
        html: Its text.
        url: Where it came from.
        public_link: Makes links of a site that stands in for a public one those of the public one.

        refresh_header: Value of the answer's `Refresh`.

    Raises:
        BeyondReason: Parsing it would take minutes.

    """
    tree = parse(html)
    if public_link is not None:
        make_links_public(tree, url, public_link)
    base = tree.css_first("base[href]")
    base_url = urls.absolute(url, (base.attributes.get("href") if base else "") or "")
    title_node = tree.css_first("head title")
    title = collapse(title_node.text(deep=True)).strip() if title_node is not None else ""
    body = tree.body or tree.root
    if body is None:
        return Converted(text="", title=title)
    root, is_marked = main_content(body)
    frame = frame_of(tree)
    output = Walk(
        root,
        base_url,
        drop_furniture=is_marked or frame is not None,
        frame=frame or NO_FRAME,
    ).run()
    writer = output.writer
    text = writer.text()
    refresh = find_refresh(tree, base_url, url, refresh_header)
    stub = refresh if refresh and is_stub(text, title, refresh.target) else None
    script_target = None
    if stub is None and len(text) <= _MAX_PLEA_CHARS:
        named = find_script_redirect(tree, base_url, url)
        script_target = named if named and is_stub(text, title, named) else None
    if stub is None and _needs_javascript(tree, body, text):
        return Converted(text="", title=title, needs_javascript=True, script_target=script_target)
    heading = f"# {title}\n\n" if title and text.strip() and not output.has_h1 else ""
    return Converted(
        text=heading + text,
        title=title,
        stub=stub,
        script_target=script_target,
        anchors=_places(writer.anchors, writer.chunks, len(heading)),
        edit_url=edit_link(tree, base_url),
    )


def _places(anchors: dict[str, int], chunks: list[str], start: int) -> dict[str, int]:
    places = [start]
    for chunk in chunks:
        places.append(places[-1] + len(chunk) + 1)
    return {name: places[number] for name, number in anchors.items()}


def _needs_javascript(tree: LexborHTMLParser, body: Node, text: str) -> bool:
    """The text of an application's shell: none, "Loading...", or a plea to switch scripts on."""
    if len(text) > _MAX_PLEA_CHARS or tree.css_first("script") is None:
        return False
    if _PLACEHOLDER.fullmatch(text.strip()):
        return True
    rest = Walk(body, "", drop_noscript=True).run().writer.text().strip()
    return bool(_PLEA.search(text)) and (not rest or rest == text.strip())
