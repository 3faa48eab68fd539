"""
What a page holds, as an independent parser sees it: code blocks, words of its content, the rest.

Nothing of the converter is used here: html5lib reads the page as the HTML standard says, and the
lists of class names are those that the documentation tools document or write.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal
from xml.etree.ElementTree import Element

import html5lib

from bench.docs_fidelity.words import words_of

Zone = Literal["main", "around", "neither"]


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


XHTML = "{http://www.w3.org/1999/xhtml}"
BLOCKS = _names(
    "address article aside blockquote body button caption center dd details dialog div dl dt "
    "fieldset figcaption figure footer form frameset h1 h2 h3 h4 h5 h6 header hgroup hr label "
    "legend li listing main menu nav noscript ol optgroup option p pre search section summary "
    "table tbody td tfoot th thead tr ul xmp text"
)
INVISIBLE = _names(
    "script style template head title meta link canvas iframe object embed audio video "
    "datalist noframes noembed rp map desc metadata annotation annotation-xml"
)
CONTROLS = frozenset({"button", "select", "input", "textarea", "progress", "meter"})
LINE_NUMBERS = _names(
    "linenos lineno linenodiv linenumbers line-numbers-rows line-numbers-wrapper gutter lnt ln "
    "src-line-numbers hljs-ln-numbers rustdoc-line-numbers"
)
COPY_BUTTONS = frozenset({"copybtn", "copy-button", "copybutton", "copy", "btn-copy", "clip"})
AROUND_TAGS = frozenset({"nav", "footer"})
AROUND_ROLES = frozenset({"navigation", "search", "banner", "contentinfo"})
AROUND = _names(
    "sphinxsidebar related navheader navfooter breadcrumbs breadcrumb pagination-nav navbar "
    "theme-doc-breadcrumbs theme-doc-toc-desktop theme-doc-toc-mobile theme-doc-footer md-sidebar "
    "md-header md-footer md-tabs md-search wy-nav-side wy-breadcrumbs rst-footer-buttons "
    "prev-next-area bd-sidebar bd-header bd-footer bd-toc toc-drawer sidebar-drawer vpnav "
    "vpsidebar vplocalnav vpdocfooter footer"
)
NEITHER = _names(
    "headerlink hash-link header-anchor anchor-link viewcode-link srclink hideme toc "
    "table-of-contents md-source-file edit-link theme-edit-this-page sr-only visually-hidden "
    "katex-html katex-mathml md-clipboard edit-this-page footnote-backref ttc"
)
MARKS = (
    ("tag", "main"),
    ("role", "main"),
    ("class", "rst-content"),
    ("class", "theme-doc-markdown"),
    ("class", "md-content"),
    ("class", "vp-doc"),
    ("class", "markdown-body"),
    ("tag", "article"),
    # Doxygen
    ("class", "contents headertitle"),
)
HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)


@dataclass
class Page:
    """One page."""

    code_blocks: list[str] = field(default_factory=list)
    """The visible `<pre>`, as they show, outermost ones."""
    main_words: list[str] = field(default_factory=list)
    """Of the marked main content without navigation in it; of the body where none is marked."""
    around_words: list[str] = field(default_factory=list)
    """Navigation, headers, sidebars, footers, and all that stands outside of marked content."""
    is_marked: bool = False


def read_page(html: str) -> Page:
    """Parse *html* and take it apart."""
    document = html5lib.parse(html, treebuilder="etree")
    body = document.find(f"{XHTML}body")
    if body is None:
        return Page()
    marked = _marked(body)
    reader = _Reader(marked)
    reader.read(body, "around" if marked else "main")
    return Page(
        code_blocks=reader.code_blocks,
        main_words=words_of("".join(reader.texts["main"])),
        around_words=words_of("".join(reader.texts["around"])),
        is_marked=bool(marked),
    )


def _marked(body: Element) -> set[Element]:
    for kind, names in MARKS:
        found = {
            element: name
            for element in body.iter()
            for name in names.split()
            if (kind == "tag" and _tag(element) == name)
            or (kind == "role" and element.get("role") == name)
            or (kind == "class" and name in _classes(element))
        }
        if set(found.values()) == set(names.split()):
            return set(found)
    return set()


class _Reader:
    def __init__(self, marked: set[Element]) -> None:
        self.code_blocks: list[str] = []
        self.texts: dict[Zone, list[str]] = {"main": [], "around": [], "neither": []}
        self._marked = marked

    def read(self, element: Element, zone: Zone, *, in_code: bool = False) -> None:
        tag = _tag(element)
        if _is_invisible(element, tag):
            return
        zone = self._zone(element, tag, zone)
        if tag == "pre" and not in_code and not _is_line_number(element):
            in_code = True
            if (text := code_text(element)).strip():
                self.code_blocks.append(text)
        is_apart = tag in BLOCKS or tag == "br" or _is_line_number(element) or _is_raised(element)
        if is_apart:
            self._separate()
        if not _is_line_number(element):
            self._add(zone, element.text)
            last = None
            for child in element:
                if last == "code" == _tag(child):
                    self._separate()
                self.read(child, zone, in_code=in_code)
                self._add(zone, child.tail)
                last = None if child.tail else _tag(child)
        if is_apart:
            self._separate()

    def _zone(self, element: Element, tag: str, zone: Zone) -> Zone:
        if element in self._marked:
            return "main"
        if zone == "neither":
            return zone
        classes = _classes(element)
        if (
            tag in AROUND_TAGS
            or element.get("role") in AROUND_ROLES
            or not classes.isdisjoint(AROUND)
        ):
            return "around"
        if zone == "main" and (
            tag in CONTROLS
            or not classes.isdisjoint(NEITHER | COPY_BUTTONS)
            or {"contents", "topic"} <= classes
            or element.get("id") == "toc"
        ):
            return "neither"
        return zone

    def _add(self, zone: Zone, text: str | None) -> None:
        if text:
            self.texts[zone].append(text)

    def _separate(self) -> None:
        for pieces in self.texts.values():
            pieces.append(" ")


def code_text(element: Element) -> str:
    """
    The text of a `<pre>` as it shows, without line numbers and buttons.

    Elements that are blocks in the standard's style sheet start and end a line, unless the text
    has a line break there already.
    """
    lines = _Lines()
    lines.collect(element)
    return lines.text


class _Lines:
    def __init__(self) -> None:
        self.text = ""
        self._owed = False

    def collect(self, element: Element) -> None:
        self._add(element.text)
        for child in element:
            tag = _tag(child)
            if tag == "br":
                self._add("\n")
            elif not (_is_invisible(child, tag) or _is_no_code(child, tag)):
                self._child(child, is_line=tag in BLOCKS)
            self._add(child.tail)

    def _child(self, child: Element, *, is_line: bool) -> None:
        if is_line:
            self._break()
        before = len(self.text)
        self.collect(child)
        if is_line and (len(self.text) == before or not self.text.endswith("\n")):
            self._owed = True

    def _break(self) -> None:
        if self._owed or (self.text and not self.text.endswith("\n")):
            self.text += "\n"
        self._owed = False

    def _add(self, text: str | None) -> None:
        if not text:
            return
        if self._owed and not text.startswith("\n"):
            self.text += "\n"
        self._owed = False
        self.text += text


def _is_raised(element: Element) -> bool:
    """Ten to the sixth must not read 106; the "st" of 1st and a trade mark belong to their word."""
    return _tag(element) == "sup" and not re.fullmatch(
        r"\s*[^\W\d_]{2,}\s*", "".join(element.itertext())
    )


def _is_no_code(element: Element, tag: str) -> bool:
    classes = _classes(element)
    return tag == "button" or not classes.isdisjoint(COPY_BUTTONS) or _is_line_number(element)


def _is_line_number(element: Element) -> bool:
    return not _classes(element).isdisjoint(LINE_NUMBERS) and not _holds_code(element)


def _holds_code(element: Element) -> bool:
    """`linenos` also stands on blocks whose lines are numbered."""
    text = "".join(element.itertext())
    return re.search(r"[^\W\d_]", text) is not None


def _is_invisible(element: Element, tag: str) -> bool:
    if tag in INVISIBLE:
        return True
    if tag == "dialog" and element.get("open") is None:
        return True
    hidden = element.get("hidden")
    is_hidden = (hidden is not None and hidden.lower() != "until-found") or HIDDEN.search(
        element.get("style") or ""
    )
    # What is behind a tab can be opened by a reader.
    return bool(is_hidden) and element.get("role") != "tabpanel"


def _tag(element: Element) -> str:
    """The name without its namespace: the text of a drawing or a formula shows as well."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else "script"


def _classes(element: Element) -> frozenset[str]:
    names = element.get("class") if isinstance(element.tag, str) else None
    return frozenset(names.lower().split()) if names else frozenset()
