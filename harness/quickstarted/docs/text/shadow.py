"""
Declarative shadow roots: templates that a browser shows without JavaScript.

The parser puts a template's content out of reach, so that their tags get another name before it
sees them. What a shadow root holds is read first, then what its host holds.
"""

from __future__ import annotations

import re

_TEMPLATE = re.compile(r"<(/?)template(?=[\s/>])([^>]*)>", re.IGNORECASE)
_IS_SHOWN = re.compile(r"\sshadowrootmode\s*=\s*[\"']?\s*(open|closed)\b", re.IGNORECASE)
_NAME = "shadow-root"


def open_shadow_roots(html: str) -> str:
    """*html* with its declarative shadow roots as elements; other templates stay as they are."""
    if "shadowrootmode" not in html.lower():
        return html
    are_shown: list[bool] = []

    def renamed(tag: re.Match[str]) -> str:
        closing, attributes = tag.groups()
        if not closing:
            are_shown.append(bool(_IS_SHOWN.search(attributes)))
            return f"<{_NAME}>" if are_shown[-1] else tag[0]
        return f"</{_NAME}>" if are_shown and are_shown.pop() else tag[0]

    return _TEMPLATE.sub(renamed, html)
