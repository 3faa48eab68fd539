"""
Pages that lead elsewhere by a script alone: where to, as far as it stands in the script.

A reader without JavaScript stays on such a page, so it is not followed; that it is there, and
what it names, is what the owner of the documentation has to know.
"""

from __future__ import annotations

import re

from selectolax.lexbor import LexborHTMLParser

from quickstarted.docs import urls

_TO = re.compile(
    r"\blocation(?:\.href)?\s*=(?!=)\s*(?P<quote>['\"`])(?P<url>[^'\"`\\\s]+)(?P=quote)"
    r"|\blocation\s*\.\s*(?:replace|assign)\s*\(\s*(?P<mark>['\"`])(?P<there>[^'\"`\\\s]+)(?P=mark)"
)
_SOMEWHERE = re.compile(r"\blocation(?:\.href)?\s*=(?!=)|\blocation\s*\.\s*(?:replace|assign)\s*\(")
_MAX_SCRIPT_CHARS = 4_000
"""A script that is longer does more than to lead elsewhere."""


def find_script_redirect(tree: LexborHTMLParser, base_url: str, page_url: str) -> str | None:
    """
    Where the scripts of a page lead.

    Args:
        tree: The page.
        base_url: What its references are relative to.
        page_url: Where it came from.

    Returns:
        An absolute URL: what the script names, else the canonical URL beside a script that leads
        somewhere; None where they lead nowhere.

    """
    scripts = [script.text(deep=True) for script in tree.css("script:not([src])")]
    for script in scripts:
        if len(script) > _MAX_SCRIPT_CHARS or _SOMEWHERE.search(script) is None:
            continue
        named = _TO.search(script)
        reference = (named["url"] or named["there"]) if named else _canonical(tree)
        target = urls.absolute(base_url, reference)
        if urls.is_http(target) and urls.without_fragment(target) != page_url:
            return target
    return None


def _canonical(tree: LexborHTMLParser) -> str:
    link = tree.css_first("link[rel=canonical][href]")
    return (link.attributes.get("href") if link is not None else "") or ""
