"""What the client itself says beside a page's text: lines in square brackets."""

from __future__ import annotations

from collections.abc import Sequence

from quickstarted.docs import urls
from quickstarted.docs.text.fragments import named_by
from quickstarted.docs.text.html import Converted


def redirect_note(document: Converted, why_not: str) -> str:
    """Where a page only leads elsewhere and was not followed; empty for any other page."""
    if document.stub is not None:
        return f"[This page only redirects to {document.stub.target}. Not followed: {why_not}.]"
    if document.script_target is not None:
        return f"[This page redirects by JavaScript alone, to {document.script_target}.]"
    return ""


def characters_note(document: Converted) -> str:
    """What to say of a page whose bytes do not fit its character set; empty for any other page."""
    count = document.broken_characters
    if not count:
        return ""
    fit = "1 place of this page fits" if count == 1 else f"{count} places of this page fit"
    return f"[{fit} no character of its character set: \ufffd stands there.]"


def section_note(
    document: Converted, fragment: str, parts: Sequence[str], *, lines_before: int
) -> str:
    """
    Where the section that a fragment names starts; empty where it names none.

    Args:
        document: The page.
        fragment: As it stands in the URL.
        parts: The page's text in the parts that reads give.
        lines_before: Lines of notes before the text of a part.

    """
    name = named_by(fragment)
    if not name:
        return ""
    place = document.place_of(name)
    if place is None:
        return f'[The page has no section "#{name}".]'
    for number, part in enumerate(parts, start=1):
        if place < len(part) or number == len(parts):
            line = part.count("\n", 0, place) + 1 + lines_before
            return f'[The section "#{name}" starts at line {line} of page {number}.]'
        place -= len(part)
    raise AssertionError("there is at least one part")


def relative_hint(requested: str, last_page: str) -> str:
    """What a reference that is no absolute URL would be on the page that was read last."""
    if not last_page or not requested.strip() or urls.has_scheme(requested):
        return ""
    return f" If it is a link on {last_page}, read {urls.absolute(last_page, requested)}"


def end_note(page: int, pages: int) -> str:
    """How to read on; empty for a page that one read gives."""
    if pages == 1:
        return ""
    here = f"Page {page} of {pages} of this text."
    return (
        f"[{here} This is the end.]" if page == pages else f"[{here} Read on with page={page + 1}.]"
    )
