"""
What of a page a reader does not see, or sees on every page: neither belongs into its text.

Two lists: what is never text (scripts, hidden elements, copy buttons, links of headings to
themselves), and what is furniture (navigation, sidebars), which is left out only inside content
that the page marks as its main one. Nothing that holds a code block counts as furniture.
"""

from __future__ import annotations

import re

from quickstarted.docs.text.tree import Element, first, words

_NEVER_TEXT = words(
    "script style template head meta link base svg canvas iframe object embed audio video map "
    "noembed noframes frameset param source track select datalist clipboard-copy "
    "copy-button rp input progress meter"
)
_BUTTON_WORDS = re.compile(
    r"\b(copy|copied|clipboard|search|toggle|menu|theme|expand|collapse|close|edit|feedback|wrap|"
    r"run|play|share|sidebar|scroll|prev(ious)?|next|yes|no)\b|^\W*$",
    re.IGNORECASE,
)
_HIDDEN_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_SELF_LINK = words(
    "headerlink anchor anchor-link hash-link heading-anchor header-anchor anchorjs-link permalink "
    "toclink-permalink heading-link anchor-heading sl-anchor-link headinglink"
)
_SELF_LINK_TEXT = frozenset({"", "#", "¶", "§", "🔗", "\u200b", "link"})
_ALWAYS_DROPPED = words(
    "copybtn copybutton copy-button btn-copy copy-btn clipboard-copy viewcode-link katex-html "
    "sr-only visually-hidden screen-reader-text theme-edit-this-page edit-this-page "
    "footnote-backref mathjax_preview md-clipboard md-source-file skip-link skiptocontent"
)
_FURNITURE_TAGS = frozenset({"nav", "footer"})
_FURNITURE_ROLES = frozenset({"navigation", "search", "banner", "contentinfo"})
_FURNITURE = words(
    "sphinxsidebar sidebar toc table-of-contents tableofcontents breadcrumb breadcrumbs "
    "pagination pagination-nav theme-doc-toc-mobile theme-doc-toc-desktop theme-doc-breadcrumbs "
    "md-sidebar md-search md-footer page-toc on-this-page right-sidebar left-sidebar toc-drawer "
    "related prev-next prevnext-links pager edit-link edit-page-link wy-breadcrumbs "
    "rst-footer-buttons theme-doc-footer theme-last-updated pagefind-ui sidebar-container "
    "headertoc page-metadata theme-doc-version-banner sl-sidebar right-sidebar-container"
)


def is_never_text(element: Element) -> bool:
    """Whether no reader reads *element*, wherever it stands."""
    if element.tag in _NEVER_TEXT:
        return element.tag != "input" or element.get("type").lower() != "checkbox"
    if element.tag == "dialog" and "open" not in element.attributes:
        return True
    if element.tag == "button":
        return _is_tool_button(element)
    if element.tag == "a" and _is_self_link(element):
        return True
    if not element.classes.isdisjoint(_ALWAYS_DROPPED):
        return first(element.node, "pre") is None
    return is_hidden(element)


def is_hidden(element: Element) -> bool:
    """Whether *element* is hidden and no tab: the panels of tabs that are not shown first count."""
    hidden = "hidden" in element.attributes and element.get("hidden").lower() != "until-found"
    if not hidden and not (
        "style" in element.attributes and _HIDDEN_STYLE.search(element.get("style"))
    ):
        return False
    return element.get("role") != "tabpanel" and not element.has_class("tab")


def is_furniture(element: Element) -> bool:
    """Whether *element* leads round the site and says nothing about its subject."""
    marked = (
        element.tag in _FURNITURE_TAGS
        or element.get("role") in _FURNITURE_ROLES
        or not element.classes.isdisjoint(_FURNITURE)
    )
    return marked and first(element.node, "pre, h1") is None


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
        return bool(href) and first(element.node, "img, pre") is None
    return not element.classes.isdisjoint(_SELF_LINK) and len(text) < 3
