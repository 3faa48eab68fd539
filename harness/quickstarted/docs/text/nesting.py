"""
How deeply a page's elements are nested, told from its tags alone.

As a browser's parser nests them, as far as that makes elements deeper (WHATWG HTML, 13.2.6): end
tags that close nothing, drawings, and what stands between a tag and the one that it would close.
"""

from __future__ import annotations

import re
from collections import Counter

from quickstarted.docs.text.tree import words

_TAG = re.compile(r"<(/?)([a-zA-Z][^\s/>]*)([^>]*)")
# End tags of these are optional, or there are none, or there is one element of them: counting them
# says nothing about depth.
_UNCOUNTED = words(
    "area base body br col colgroup dd dt embed head hr html img input li link meta optgroup "
    "option p param rp rt source tbody td tfoot th thead tr track wbr script style"
)
_DRAWINGS = frozenset({"svg", "math"})
_HOLDS_HTML = words("foreignobject desc title annotation-xml mi mo mn ms mtext")
"""What stands in a drawing or formula and holds HTML."""
# "In foreign content": these leave a drawing.
_ENDS_A_DRAWING = words(
    "b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li "
    "listing menu meta nobr ol p pre ruby s small span strong strike sub sup table tt u ul var "
    "font"
)
_ALONE = frozenset({"a", "nobr", "button"})
"""One of these ends the one that is open."""
_BARRIERS = words("applet caption marquee object select table template") | _HOLDS_HTML
_SPECIAL = _BARRIERS | words(
    "address article aside blockquote body button center details dir div dl fieldset figcaption "
    "figure footer form frameset h1 h2 h3 h4 h5 h6 header hgroup html iframe listing main menu nav "
    "noembed noframes noscript ol plaintext pre search section summary textarea title ul "
    "xmp"
)
_FAR = 50
"""How far an end tag is looked for; one that is farther away closes nothing here."""


class _Open:
    """The elements that are open."""

    def __init__(self) -> None:
        self.tags: list[str] = []
        self._counts: Counter[str] = Counter()
        self._turns: list[int] = []
        """Where drawings start, and HTML in them, by turns."""

    @property
    def is_in_drawing(self) -> bool:
        return len(self._turns) % 2 == 1

    def start(self, tag: str, *, ends_itself: bool) -> None:
        """Open *tag*."""
        if self.is_in_drawing and tag in _ENDS_A_DRAWING:
            self._cut(self._turns[-1])
        is_in_drawing = self.is_in_drawing
        if (is_in_drawing and ends_itself) or (not is_in_drawing and tag in _UNCOUNTED):
            return
        if tag in _ALONE and not is_in_drawing:
            self.end(tag)
        if tag in (_HOLDS_HTML if is_in_drawing else _DRAWINGS):
            self._turns.append(len(self.tags))
        self.tags.append(tag)
        self._counts[tag] += 1

    def end(self, tag: str) -> None:
        """Close *tag*, with what is open in it."""
        if not self._counts[tag]:
            return
        for at in range(len(self.tags) - 1, max(-1, len(self.tags) - _FAR), -1):
            over = self.tags[at]
            if over == tag:
                self._cut(at)
                return
            if over in _BARRIERS or (over in _SPECIAL and tag not in _SPECIAL):
                return

    def _cut(self, length: int) -> None:
        while len(self.tags) > length:
            self._counts[self.tags.pop()] -= 1
        while self._turns and self._turns[-1] >= length:
            self._turns.pop()


def is_deeper(html: str, depth: int) -> bool:
    """Whether elements of *html* are nested more than *depth* deep, or nearly so."""
    opened = _Open()
    for closing, name, rest in _TAG.findall(html):
        tag = name.lower()
        if closing:
            opened.end(tag)
            continue
        opened.start(tag, ends_itself=rest.endswith("/"))
        if len(opened.tags) > depth:
            return True
    return False
