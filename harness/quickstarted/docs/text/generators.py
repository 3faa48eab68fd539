"""
What the tool that wrote a page puts round its content, where the page names that tool.

These tools mark no main content, but a page that says which of them wrote it says thereby what
leads round the site in it.
"""

from __future__ import annotations

from dataclasses import dataclass

from selectolax.lexbor import LexborHTMLParser

from quickstarted.docs.text.tree import Element, words


@dataclass(frozen=True, slots=True)
class Frame:
    """Classes and ids of what stands round the content."""

    classes: frozenset[str] = frozenset()
    ids: frozenset[str] = frozenset()

    def holds(self, found: Element) -> bool:
        """Whether *found* is a part of it."""
        return not found.classes.isdisjoint(self.classes) or found.get("id") in self.ids


NO_FRAME = Frame()
_FRAMES = {
    "docbook": Frame(classes=words("navheader navfooter")),
    "doxygen": Frame(
        classes=words("footer navpath summary"),
        ids=words(
            "top titlearea side-nav nav-path nav-sync MSearchSelectWindow MSearchResultsWindow"
        ),
    ),
    "asciidoc": NO_FRAME,
}


def frame_of(tree: LexborHTMLParser) -> Frame | None:
    """The frame of the tool that the page names in `<meta name="generator">`, if it is known."""
    for meta in tree.css("meta[name][content]"):
        if (meta.attributes.get("name") or "").lower() == "generator":
            generator = (meta.attributes.get("content") or "").lower()
            return next((f for name, f in _FRAMES.items() if generator.startswith(name)), None)
    return None
