"""
HTML to a tree; what no page needs and takes the parser minutes is refused before it is parsed.

The parser's time grows with the square of how deeply elements are nested, and of how many
attributes one of them has (*measured*: 40,000 of either, 4 s); while it is at work nothing can stop
it.
"""

from __future__ import annotations

import re
from collections import Counter

from selectolax.lexbor import LexborHTMLParser

from quickstarted.docs.text.nesting import is_deeper
from quickstarted.docs.text.shadow import open_shadow_roots
from quickstarted.docs.text.tree import words

MAX_DEPTH = 5_000
MAX_ATTRIBUTES = 10_000

# WHATWG HTML, 13.2.5: how a start tag is read. Possessive, so that no text is read twice.
_S = r"[ \t\n\f\r]"
_NAME = r"[^ \t\n\f\r/>][^ \t\n\f\r/>=]*+"
_VALUE = (
    rf"""(?:{_S}*+={_S}*+(?:"[^"]*+(?:"|\Z)|'[^']*+(?:'|\Z)|[^ \t\n\f\r>"'][^ \t\n\f\r>]*+)?+)?+"""
)
_ATTRIBUTE = rf"(?:{_S}|/)*+{_NAME}{_VALUE}"
_MANY_ATTRIBUTES = re.compile(rf"<[a-zA-Z][^ \t\n\f\r/>]*+(?:{_ATTRIBUTE}){{{MAX_ATTRIBUTES},}}+")
_TOKEN = re.compile(
    rf"<(?:!--.*?(?:-->|\Z)|(?P<tag>[a-zA-Z][^ \t\n\f\r/>]*+)(?P<attributes>(?:{_ATTRIBUTE})*+))",
    re.DOTALL,
)
_ONE_ATTRIBUTE = re.compile(_ATTRIBUTE)
_RAW_TEXT = words("iframe noembed noframes script style textarea title xmp")
# Further tags of these add to the attributes of the one element.
_MERGED = frozenset({"html", "body"})
_MERGED_TAG = re.compile(r"<(?:html|body)\b", re.IGNORECASE)
_USUAL_MERGED_TAGS = 20


class BeyondReason(Exception):
    """Parsing a page would take minutes; the message is a sentence that says why."""


def parse(html: str) -> LexborHTMLParser:
    """
    Parse a page as a browser without JavaScript does.

    Raises:
        BeyondReason: See there.

    """
    html = open_shadow_roots(html.replace("\r\n", "\n").replace("\r", "\n"))
    refuse_beyond_reason(html)
    return LexborHTMLParser(html)


def refuse_beyond_reason(html: str) -> None:
    """
    Look at a page before it is parsed.

    Raises:
        BeyondReason: It is nested too deeply, or has an element with too many attributes.

    """
    if html.count("<") > MAX_DEPTH and is_deeper(html, MAX_DEPTH):
        raise BeyondReason("The page's elements are nested too deeply to be read.")
    if len(html) > 2 * MAX_ATTRIBUTES and _may_have_many(html) and _most(html) > MAX_ATTRIBUTES:
        raise BeyondReason(
            f"The page has an element with more than {MAX_ATTRIBUTES:,} attributes, and cannot be"
            " read."
        )


def _may_have_many(html: str) -> bool:
    """Cheap, and right where it says no: what looks like a tag in a script counts too."""
    return (
        _MANY_ATTRIBUTES.search(html) is not None
        or len(_MERGED_TAG.findall(html)) > _USUAL_MERGED_TAGS
    )


def _most(html: str) -> int:
    """Attributes of the element that has most of them."""
    most = 0
    merged: Counter[str] = Counter()
    position = 0
    while (found := _TOKEN.search(html, position)) is not None:
        position = found.end()
        tag = (found["tag"] or "").lower()
        attributes = found["attributes"] or ""
        if tag in _MERGED:
            merged[tag] += len(_ONE_ATTRIBUTE.findall(attributes))
        elif len(attributes) > 2 * MAX_ATTRIBUTES:
            most = max(most, len(_ONE_ATTRIBUTE.findall(attributes)))
        if tag in _RAW_TEXT:
            end = re.compile(rf"</{tag}\b", re.IGNORECASE).search(html, position)
            position = end.start() if end else len(html)
    return max(most, *merged.values()) if merged else most
