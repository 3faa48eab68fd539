"""Where the page's own content is, where it says so; all of the body where it does not."""

from __future__ import annotations

from quickstarted.docs.text.tree import Node

MARKS = (
    "article.markdown-body.entry-content",
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


def main_content(body: Node) -> tuple[Node, bool]:
    """
    Find the element that holds the main content.

    A mark is believed where there is one such element and it holds a fair share of the page's
    text. Where code stands outside of it, the body is taken after all, since code is never lost.

    Returns:
        The element, and whether what leads round the site may be left out in it: the page says
        where its content is.

    """
    for mark in MARKS:
        found = _outermost(body.css(mark))
        if len(found) == 1 and _is_credible(found[0], body):
            is_whole = len(found[0].css("pre")) == len(body.css("pre"))
            return found[0] if is_whole else body, True
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
    chars = len(candidate.text(deep=True).strip())
    return chars >= _MIN_CHARS or chars >= _MIN_SHARE * len(body.text(deep=True).strip())
