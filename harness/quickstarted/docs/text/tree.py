"""A parsed page and the few questions that every part of the converter asks of its elements."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from selectolax.lexbor import LexborNode

Node = LexborNode


def words(text: str) -> frozenset[str]:
    """The names in *text*: tags or classes, with white space between them."""
    return frozenset(text.split())


TEXT = "-text"
BLOCKS = words(
    "address article aside blockquote body center dd details dialog dir div dl dt fieldset "
    "figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li listing main "
    "menu nav ol p plaintext pre search section summary table tbody td tfoot th thead tr ul xmp "
    "caption optgroup option"
)
_SPACE = re.compile(r"[ \t\n\r\f\xa0]+")
_INVISIBLE = re.compile("[\u200b\u200c\u2060\ufeff\u00ad]")


@dataclass(slots=True)
class Element:
    """One element with what is asked of it often."""

    node: Node
    tag: str
    attributes: dict[str, str | None]
    classes: frozenset[str] = field(default=frozenset())

    def get(self, name: str) -> str:
        """An attribute's value; empty where there is none."""
        return self.attributes.get(name) or ""

    def has_class(self, *parts: str) -> bool:
        """Whether a class contains one of *parts*, e.g. `admonition` in `theme-admonition-note`."""
        return any(part in name for name in self.classes for part in parts)


def element(node: Node) -> Element:
    """Look at *node*."""
    attributes = node.attributes
    names = attributes.get("class")
    return Element(
        node,
        node.tag or "",
        attributes,
        frozenset(names.lower().split()) if names else frozenset(),
    )


def children(node: Node) -> Iterator[Node]:
    """Child nodes, text included, in order."""
    child = node.first_child
    while child is not None:
        yield child
        child = child.next


class Holders:
    """
    Which elements hold what, looked up in a page once and not below each of its elements.

    Args:
        root: Where to look.

    """

    def __init__(self, root: Node) -> None:
        self._root = root
        self._holders: dict[str, set[int]] = {}

    def holds(self, node: Node, selector: str) -> bool:
        """Whether a descendant of *node* matches."""
        holders = self._holders.get(selector)
        if holders is None:
            holders = self._holders[selector] = self._above(selector)
        return node.mem_id in holders

    def _above(self, selector: str) -> set[int]:
        above: set[int] = set()
        for found in self._root.css(selector):
            parent = found.parent
            while parent is not None and parent.mem_id not in above:
                above.add(parent.mem_id)
                parent = parent.parent
        return above


def starts_with(node: Node, chars: int) -> str:
    """The first *chars* characters of the text in *node*, white space collapsed."""
    start = ""
    pending = [node]
    while pending and len(start) < chars:
        item = pending.pop()
        if item.tag == TEXT:
            start = (start + collapse(item.text_content or "")).lstrip()
        pending.extend(reversed(list(children(item))))
    return start[:chars]


def collapse(text: str) -> str:
    """White space as it shows: each run is one space, and characters without width are gone."""
    return _INVISIBLE.sub("", _SPACE.sub(" ", text))
