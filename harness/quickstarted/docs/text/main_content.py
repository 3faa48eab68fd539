"""Where the page's own content is, where it says so; all of the body where it does not."""

from __future__ import annotations

from quickstarted.docs.text.tree import Node

MARKS = (
    "main",
    "[role=main]",
    "div.document div.body",
    "div.bodywrapper div.body",
    "article.markdown-body",
    "div.markdown-body",
    "div.theme-doc-markdown",
    "div.vp-doc",
    "div.md-content",
    "div.rst-content",
    "article",
)
_MIN_SHARE = 0.1
_MIN_CHARS = 200
_FURNITURE = "nav, header, footer, aside, [role=navigation], [role=banner], [role=contentinfo]"


def main_content(body: Node) -> tuple[Node, bool]:
    """
    Find the element that holds the main content.

    A mark is believed where there is one such element, every code block of the page stands in it
    (navigation, header and footer aside), and it holds a fair share of the page's text.

    Returns:
        The element, and whether the page marked it; the body itself where it did not.

    """
    for mark in MARKS:
        found = _outermost(body.css(mark))
        if len(found) == 1 and _is_credible(found[0], body):
            return found[0], True
    return body, False


def _outermost(nodes: list[Node]) -> list[Node]:
    ids = {node.mem_id for node in nodes}
    return [node for node in nodes if not _has_ancestor(node, ids)]


def _has_ancestor(node: Node, ids: set[int]) -> bool:
    parent = node.parent
    while parent is not None:
        if parent.mem_id in ids:
            return True
        parent = parent.parent
    return False


def _is_credible(candidate: Node, body: Node) -> bool:
    inside = {node.mem_id for node in candidate.css("pre")}
    furniture = {node.mem_id for node in body.css(_FURNITURE)}
    outside = [node for node in body.css("pre") if node.mem_id not in inside]
    if any(not _has_ancestor(node, furniture) for node in outside):
        return False
    chars = len(candidate.text(deep=True).strip())
    return chars >= _MIN_CHARS or chars >= _MIN_SHARE * len(body.text(deep=True).strip())
