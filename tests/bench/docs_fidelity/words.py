"""
Words, compared the same way on both sides: the page's text and the text that was made of it.

The signs of Markdown are deleted rather than taken for spaces, so that "`list`s" is the word
"lists" as it shows; what a converter glues together is another word, and counts as lost.
"""

from __future__ import annotations

import html
import re

_SIGNS = re.compile(r"[`*_~\\\[\]\u200b\u200c\u2060\ufeff\u00ad]")
_WORD = re.compile(r"\w+")


def words_of(text: str) -> list[str]:
    """The words of *text*, in order."""
    return _WORD.findall(_SIGNS.sub("", html.unescape(text)))
