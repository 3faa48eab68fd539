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
        if (found := _only(body.css(mark), mark)) is not None and _is_credible(found, body):
            is_whole = len(found.css("pre")) == len(body.css("pre"))
            return found if is_whole else body, True
    return body, False


def _only(matches: list[Node], mark: str) -> Node | None:
    """The first match, if every other one is in it."""
    if not matches:
        return None
    inside = sum(node.mem_id != matches[0].mem_id for node in matches[0].css(mark))
    return matches[0] if inside == len(matches) - 1 else None


def _is_credible(candidate: Node, body: Node) -> bool:
    chars = len(candidate.text(deep=True).strip())
    return chars >= _MIN_CHARS or chars >= _MIN_SHARE * len(body.text(deep=True).strip())
