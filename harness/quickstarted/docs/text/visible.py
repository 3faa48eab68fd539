"""
What of a page a reader does not see, or sees on every page: neither belongs into its text.

Two lists: what is never text (scripts, hidden elements, copy buttons, links of headings to
themselves), and what is furniture (navigation, sidebars), which is left out only inside content
that the page marks as its main one. Nothing that holds a code block counts as furniture.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from quickstarted.docs.text.tree import Element, Holders, words

_NEVER_TEXT = words(
    "script style template head meta link base canvas iframe object embed audio video map "
    "noembed noframes frameset param source track select datalist clipboard-copy "
    "copy-button rp input progress meter annotation annotation-xml"
)
_BUTTON_WORDS = re.compile(
    r"\b(copy|copied|clipboard|search|toggle|menu|theme|expand|collapse|close|edit|feedback|wrap|"
    r"run|play|share|sidebar|scroll|prev(ious)?|next|yes|no)\b|^\W*$",
    re.IGNORECASE,
)
_TAB = re.compile(r"(?:^|[-_])tabs?(?:bed)?(?:$|[-_]|pane|panel|content|item|body)")
_HIDDEN_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_SELF_LINK = words(
    "headerlink anchor anchor-link hash-link heading-anchor header-anchor anchorjs-link permalink "
    "toclink-permalink heading-link anchor-heading sl-anchor-link headinglink"
)
_SELF_LINK_TEXT = frozenset({"", "#", "¶", "§", "◆", "🔗", "\u200b", "link", "↩", "↩\ufe0e", "⤴"})
_ALWAYS_DROPPED = words(
    "copybtn copybutton copy-button btn-copy copy-btn clipboard-copy viewcode-link katex-html "
    "sr-only visually-hidden screen-reader-text theme-edit-this-page edit-this-page "
    "footnote-backref mathjax_preview md-clipboard md-source-file skip-link skiptocontent ttc "
    "hideme srclink cookie-banner cookie-consent cookieconsent cookie-notice md-consent cc-window "
    "cc-banner rst-versions readthedocs-badge"
)
_COOKIE_IDS = frozenset({"onetrust-consent-sdk", "cybotcookiebotdialog", "cookie-banner"})
_FURNITURE_TAGS = frozenset({"nav", "footer"})
_FURNITURE_ROLES = frozenset({"navigation", "search", "banner", "contentinfo"})
_CONTENTS = words("toc table-of-contents tableofcontents page-toc headertoc")
_FURNITURE = words(
    "sphinxsidebar sidebar breadcrumb breadcrumbs sourcelink tocsection "
    "pagination pagination-nav theme-doc-toc-mobile theme-doc-toc-desktop theme-doc-breadcrumbs "
    "md-sidebar md-search md-footer on-this-page right-sidebar left-sidebar toc-drawer "
    "related prev-next prevnext-links pager edit-link edit-page-link wy-breadcrumbs "
    "rst-footer-buttons theme-doc-footer theme-last-updated pagefind-ui sidebar-container "
    "page-metadata theme-doc-version-banner sl-sidebar right-sidebar-container"
)


def is_never_text(element: Element, holders: Holders) -> bool:
    """Whether no reader reads *element*, wherever it stands."""
    if element.tag in _NEVER_TEXT:
        return element.tag != "input" or not _is_read_input(element)
    if (is_unread := _UNREAD.get(element.tag)) and is_unread(element):
        return True
    if not element.attributes:
        return False
    if _is_always_dropped(element):
        return not holders.holds(element.node, "pre")
    return is_hidden(element)


def _is_always_dropped(element: Element) -> bool:
    classes = element.classes
    if not classes:
        return element.get("id").lower() in _COOKIE_IDS
    if not classes.isdisjoint(_ALWAYS_DROPPED) or (element.tag == "a" and "src" in classes):
        return True
    # A footnote's number is written with its text.
    return "label" in classes and is_note_label(element)


def is_hidden(element: Element) -> bool:
    """Whether *element* is hidden and no tab: the panels of tabs that are not shown first count."""
    attributes = element.attributes
    if "hidden" in attributes:
        hidden = (attributes["hidden"] or "").lower() != "until-found"
    else:
        hidden = False
    if not hidden and not ("style" in attributes and _HIDDEN_STYLE.search(element.get("style"))):
        return False
    return element.get("role") != "tabpanel" and not any(map(_TAB.search, element.classes))


def is_note_label(element: Element) -> bool:
    """Whether *element* is the number of a footnote or citation, which its text is written with."""
    parent = element.node.parent
    classes = (parent.attributes.get("class") or "") if parent is not None else ""
    return (
        parent is not None
        and parent.tag == "aside"
        and ("footnote" in classes or "citation" in classes)
    )


def is_furniture(element: Element, holders: Holders) -> bool:
    """Whether *element* leads round the site and says nothing about its subject."""
    if element.tag not in _FURNITURE_TAGS:
        if not element.attributes:
            return False
        is_marked = (
            not element.classes.isdisjoint(_FURNITURE)
            or element.get("role") in _FURNITURE_ROLES
            or (
                not element.classes.isdisjoint(_CONTENTS) and not _leads_elsewhere(element, holders)
            )
        )
        if not is_marked:
            return False
    # A sidebar with a title of its own is part of the text (docutils).
    return not holders.holds(element.node, "pre, h1, .sidebar-title")


def _leads_elsewhere(element: Element, holders: Holders) -> bool:
    """A table of contents of this page repeats its headings; one of others is the way there."""
    return holders.holds(element.node, "a[href]:not([href^='#'])")


def _is_read_input(element: Element) -> bool:
    """A box of a task list, or a field that shows something to copy."""
    kind = element.get("type").lower()
    return kind == "checkbox" or (
        kind in {"", "text", "url"}
        and "readonly" in element.attributes
        and bool(element.get("value"))
    )


def _is_tool_button(element: Element) -> bool:
    names = " ".join((element.get("aria-label"), element.get("title"), element.get("class")))
    text = element.node.text(deep=True).strip()
    return (
        not text
        or bool(_BUTTON_WORDS.search(text) and len(text) < 25)
        or any(word in names.lower() for word in ("copy", "clipboard"))
    )


def _is_self_link(element: Element) -> bool:
    href = element.get("href")
    if "#" not in href and href:
        return False
    text = element.node.text(deep=True).strip()
    if text in _SELF_LINK_TEXT:
        return bool(href) and element.node.css_first("img, pre") is None
    if element.classes.isdisjoint(_SELF_LINK):
        return False
    return len(text) < 3 or "sl-anchor-link" in element.classes


def _is_closed(dialog: Element) -> bool:
    return "open" not in dialog.attributes


def _is_wordless(drawing: Element) -> bool:
    return drawing.node.css_first("text") is None


_UNREAD: dict[str, Callable[[Element], bool]] = {
    "a": _is_self_link,
    "button": _is_tool_button,
    "dialog": _is_closed,
    "svg": _is_wordless,
}
