"""
Where a page's source can be edited, as the page says: the link by which whoever reads of a failed
attempt finds the file to mend.
"""

from __future__ import annotations

import re

from selectolax.lexbor import LexborHTMLParser, LexborNode

from quickstarted.docs import urls

MAX_CHARS = 2_000
"""Longer addresses name no file."""

_EDIT = re.compile(r"^https?://[^/?#]+/[^?#]+/edit/[^?#]+/[^?#]+")
"""`OWNER/NAME/edit/REF/PATH`, and with `/-/` before `edit` on GitLab."""
_VIEW = re.compile(r"^https?://[^/?#]+/[^?#]+/(?:blob|tree|src|raw)/[^?#]+/[^?#]+")
_WORTH_A_LOOK = ("/edit/", "/blob/", "/tree/", "/src/", "/raw/")
_WORDS = re.compile(
    r"\b(edit|suggest|improve|page source|view source|show source)\b", re.IGNORECASE
)


def edit_link(tree: LexborHTMLParser, base_url: str) -> str | None:
    """
    The address at which the source of the page is edited; None where the page has none.

    `rel="edit"` (https://microformats.org/wiki/rel-edit) is taken first, then an address that edits
    a file of a repository, then one that shows such a file, in words that speak of editing.
    """
    best: tuple[int, str] | None = None
    for node in tree.css("a[href], link[href]"):
        rank = _rank(node, base_url)
        if rank is not None and (best is None or rank[0] < best[0]):
            best = rank
    return best[1] if best else None


def _rank(node: LexborNode, base_url: str) -> tuple[int, str] | None:
    """How much *node* is the link, 0 being best, and where it leads."""
    href = (node.attributes.get("href") or "").strip()
    is_marked = "edit" in (node.attributes.get("rel") or "").lower().split()
    if len(href) > MAX_CHARS or not (is_marked or any(part in href for part in _WORTH_A_LOOK)):
        return None
    address = urls.absolute(base_url, href)
    if not address.startswith(("https://", "http://")):
        return None
    if is_marked:
        return 0, address
    if _EDIT.match(address):
        return 1, address
    return (2, address) if _VIEW.match(address) and _WORDS.search(_said(node)) else None


def _said(node: LexborNode) -> str:
    own = (node.attributes.get(name) or "" for name in ("title", "aria-label", "class"))
    return " ".join([node.text(deep=True), *own])
