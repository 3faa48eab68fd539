"""
Which section a fragment means, on a page and in text that is served as it was written.

On a page as browsers find it (HTML, "select the indicated part"), and further as code hosts do. In
Markdown and reStructuredText a section has the name that their readers give its title.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from urllib.parse import unquote

_MAX_LINE_CHARS = 1_000
"""A longer line is no title; patterns take quadratic time on some."""
_DIRECTIVE = ":~:"
"""Begins what is for browsers alone (`#:~:text=...`)."""
_PREFIX = "user-content-"
"""GitHub puts it before each id of a document, and its own script looks there."""
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_ATX = re.compile(r" {0,3}#{1,6}[ \t]+(?P<title>.*?)(?:[ \t]+#+)?[ \t]*$")
_UNDERLINE = re.compile(r"([=\-~^\"'`#*+.:_])\1{2,}[ \t]*$")
_LABEL = re.compile(r"\.\. _(?P<name>[^:`]+|`[^`]+`):[ \t]*$")
_ATTRIBUTE = re.compile(r"[ \t]*\{[^{}]*?#(?P<name>[\w:.-]+)[^{}]*\}[ \t]*$")
_ELEMENT = re.compile(r"<\w+[^<>]*?\b(?:id|name)=[\"']?(?P<name>[^\"'\s<>]+)", re.IGNORECASE)
_LINK = re.compile(r"!?\[(?P<text>[^\[\]]*)\]\([^()]*\)")
_NO_PART_OF_AN_ID = re.compile(r"[^a-z0-9]+")
_NO_PART_OF_A_NAME = re.compile(r"[^\w\- ]")


def named_by(fragment: str) -> str:
    """What of a URL's fragment names a section; empty for the top of the page."""
    name = fragment.partition(_DIRECTIVE)[0]
    return "" if name.lower() == "top" else name


def place_of(anchors: Mapping[str, int], fragment: str) -> int | None:
    """
    Where a section starts.

    Args:
        anchors: Name to place.
        fragment: As it stands in a URL, without `#`.

    Returns:
        The place of the very name, else of the name in other case; None where there is none.

    """
    names = [fragment, unquote(fragment)]
    names += [_PREFIX + name for name in names]
    for name in names:
        if name in anchors:
            return anchors[name]
    folded = {name.casefold(): place for name, place in [*anchors.items()][::-1]}
    return next((folded[name.casefold()] for name in names if name.casefold() in folded), None)


def anchors_of_text(text: str) -> dict[str, int]:
    """Names of the sections of Markdown or reStructuredText to their places, in characters."""
    anchors: dict[str, int] = {}
    for name, place in _sections(text):
        anchors.setdefault(name, place)
    return anchors


def _sections(text: str) -> Iterator[tuple[str, int]]:
    titles: dict[str, int] = {}
    before, before_place = "", 0
    for line, place in _lines_outside_code(text):
        title, at = "", place
        if heading := _ATX.match(line):
            title = heading["title"].strip()
        elif _UNDERLINE.match(line) and before.strip() and before[0] not in " \t":
            title, at = before.strip(), before_place
        if title and not _UNDERLINE.match(title):
            yield from _names_of_title(title, at, titles)
        yield from ((name, place) for name in _names_in(line))
        before, before_place = line, place


def _lines_outside_code(text: str) -> Iterator[tuple[str, int]]:
    """Lines without their ends, each with its place; a fenced block is one empty line."""
    place = 0
    fence = ""
    for whole in text.splitlines(keepends=True):
        line = whole.rstrip("\r\n")
        mark = _FENCE.match(line)
        if mark and not fence:
            fence = mark[1]
            yield "", place
        elif mark and mark[1].startswith(fence) and not line[mark.end() :].strip():
            fence = ""
        elif not fence and len(line) <= _MAX_LINE_CHARS:
            yield line, place
        place += len(whole)


def _names_in(line: str) -> Iterator[str]:
    """What a line gives a name beside titles: a label of reStructuredText, HTML in Markdown."""
    if label := _LABEL.match(line):
        yield _NO_PART_OF_AN_ID.sub("-", label["name"].strip("`").lower()).strip("-")
    for element in _ELEMENT.finditer(line):
        yield element["name"]


def _names_of_title(title: str, place: int, seen: dict[str, int]) -> Iterator[tuple[str, int]]:
    """The id that the author wrote, then the one that GitHub, and most tools like it, make."""
    if given := _ATTRIBUTE.search(title):
        yield given["name"], place
        title = title[: given.start()]
    words = _LINK.sub(lambda link: link["text"], title).replace("`", "").replace("*", "")
    name = _NO_PART_OF_A_NAME.sub("", words.strip().lower()).replace(" ", "-")
    number = seen.get(name, 0)
    seen[name] = number + 1
    if name:
        yield f"{name}-{number}" if number else name, place
