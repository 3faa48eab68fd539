"""
Notes and warnings: which elements are one, and what their title is.

Every tool has its own: a class that says so, a class that is the bare kind (DocBook, rustdoc,
Doxygen), a table that puts a sign beside the text (Asciidoctor, DocBook with graphics).
"""

from __future__ import annotations

from quickstarted.docs.text.tree import (
    Element,
    Holders,
    Node,
    children,
    collapse,
    element,
    starts_with,
    words,
)

_ADMONITIONS = words(
    "admonition custom-block markdown-alert theme-admonition callout starlight-aside alert "
    "admonitionblock"
)
_KINDS = ("note", "tip", "hint", "important", "attention", "caution", "warning", "danger")
_TITLES = (
    "admonition-title",
    "admonitionheading",
    "custom-block-title",
    "markdown-alert-title",
    "aside__title",
)
_TITLE_SELECTOR = (
    ".admonition-title, [class*=admonitionHeading], .custom-block-title, .markdown-alert-title, "
    ".starlight-aside__title, .title, .icon, summary, th, h1, h2, h3, h4, h5, h6, strong, b"
)
_TAGS = frozenset({"div", "aside", "section", "blockquote", "p"})
_HEADING_TAGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})


def is_admonition(found: Element) -> bool:
    """Whether *found* is set apart from the text round it as a note or warning."""
    if not found.classes:
        return False
    if found.tag == "details":
        return "admonition" in found.classes
    return not found.classes.isdisjoint(_ADMONITIONS) or (
        found.tag in _TAGS and not found.classes.isdisjoint(_KINDS)
    )


def is_title(found: Element) -> bool:
    """Whether *found* is the title of an admonition that it is in."""
    if found.has_class(*_TITLES):
        return True
    if found.tag not in _HEADING_TAGS and "title" not in found.classes:
        return False
    parent = found.node.parent
    while parent is not None and parent.tag == "td":
        parent = _table_of(parent).parent
    return parent is not None and is_admonition(element(parent))


def missing_title(found: Element, holders: Holders) -> str:
    """The kind of an admonition that only its colour shows; empty where words say it."""
    kind = next((name for name in _KINDS if name in found.classes), "")
    if not kind or holders.holds(found.node, _TITLE_SELECTOR):
        return ""
    is_said = starts_with(found.node, len(kind)).lower() == kind
    return "" if is_said else kind.capitalize()


def is_layout(table: Node) -> bool:
    """Whether *table* only puts a sign beside the text of an admonition."""
    parent = table.parent
    return parent is not None and is_admonition(element(parent))


def sign_of(cell: Node) -> str:
    """What the sign in *cell* stands for: its words, or those of its picture."""
    if words_in_it := collapse(cell.text(deep=True)).strip():
        return words_in_it
    for child in children(cell):
        attributes = child.attributes if child.tag in {"img", "i", "span"} else {}
        if label := attributes.get("alt") or attributes.get("title"):
            return label.strip("[] ")
    return ""


def is_sign(cell: Node) -> bool:
    """Whether *cell* of a layout table holds the sign and not the text."""
    return "icon" in element(cell).classes or not collapse(cell.text(deep=True)).strip()


def _table_of(cell: Node) -> Node:
    node = cell
    while node.tag != "table" and node.parent is not None:
        node = node.parent
    return node
