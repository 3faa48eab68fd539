"""
Walks the elements of a page once and writes its text.

Without recursion, since pages decide how deeply they nest: entering an element answers with what is
to be done at its end, or with None where its children are not walked. What is done by tag stands in
one table at the end of the class.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import ClassVar

from quickstarted.docs import urls
from quickstarted.docs.text.code import CODE_TAGS, code_text, is_line_number, language_of
from quickstarted.docs.text.inline import MARKED_TAGS, Inline
from quickstarted.docs.text.tables import Table
from quickstarted.docs.text.tabs import Tabs
from quickstarted.docs.text.tree import BLOCKS, TEXT, Element, Node, children, element, first, words
from quickstarted.docs.text.visible import is_furniture, is_never_text
from quickstarted.docs.text.writer import Prefix, Writer

Leave = Callable[[], None]

_HEADINGS = {f"h{level}": "#" * level + " " for level in range(1, 7)}
_INLINE_CODE = frozenset({"code", "tt", "kbd", "samp"})
_LISTS = frozenset({"ul", "ol", "menu", "dir"})
_TIGHT = words("li dt dd tr div td th caption option legend figcaption")
_ADMONITIONS = words(
    "admonition custom-block markdown-alert theme-admonition callout starlight-aside alert "
    "admonitionblock"
)
_ADMONITION_TITLES = ("admonition-title", "block-title", "alert-title", "aside__title")
_SPACED = frozenset({"button", "label"})
_SUPERSCRIPT = re.compile(r"[-+\u2212]?(\d+|[a-z])", re.IGNORECASE)
_LINK_CODES = str.maketrans({" ": "%20", "(": "%28", ")": "%29", "<": "%3C", ">": "%3E"})


def _nothing() -> None:
    """Nothing is to be done at the end of an element."""


class Walk:
    """
    One walk.

    Args:
        root: The element whose text is wanted.
        base_url: What relative links are relative to.
        drop_furniture: Whether navigation and the like inside *root* is left out.
        drop_noscript: Whether what is meant for readers without JavaScript is left out.

    """

    def __init__(
        self,
        root: Node,
        base_url: str,
        *,
        drop_furniture: bool = False,
        drop_noscript: bool = False,
    ) -> None:
        self.writer = Writer()
        self.has_h1 = False
        self._root = root
        self._base_url = base_url
        self._drop_furniture = drop_furniture
        self._drop_noscript = drop_noscript
        self._tabs = Tabs(root)
        self._inline = Inline()
        self._lists: list[int | None] = []
        self._tables: list[Table] = []
        self._in_heading = False

    def run(self) -> Writer:
        """Write everything below the root."""
        pending: list[Node | Leave] = [self._root]
        while pending:
            item = pending.pop()
            if not isinstance(item, Node):
                item()
            elif item.tag == TEXT:
                self._inline.text(item.text_content or "")
            else:
                leave = self._enter(element(item))
                if leave is not None:
                    pending.append(leave)
                    pending.extend(reversed(list(children(item))))
        self._flush()
        return self.writer

    def _enter(self, found: Element) -> Leave | None:
        if self._is_dropped(found):
            return None
        is_block = found.tag in BLOCKS
        if is_block:
            self._flush()
        for name in {found.get("id"), found.get("name") if found.tag == "a" else ""}:
            if name:
                self.writer.anchor(name)
        if handler := self._handlers.get(found.tag):
            return handler(self, found)
        return self._block(found) if is_block else _nothing

    def _is_dropped(self, found: Element) -> bool:
        if found.tag.startswith("-") or is_never_text(found):
            return True
        if found.tag in {"td", "pre", "div"} and found.classes and is_line_number(found):
            return found.tag != "div" or "linenodiv" in found.classes
        if self._drop_noscript and found.tag == "noscript":
            return True
        if self._tabs.is_label(found.node):
            return True
        is_root = found.node.mem_id == self._root.mem_id
        return self._drop_furniture and not is_root and is_furniture(found)

    def _flush(self) -> None:
        if text := self._inline.take():
            self.writer.paragraph(text)

    # Blocks

    def _block(self, found: Element) -> Leave:
        lines = 1 if found.tag in _TIGHT else 2
        self.writer.gap(lines)
        if name := self._tabs.name_of(found.node):
            self.writer.gap(2)
            self.writer.paragraph(f"**Tab: {name}**")
            self.writer.gap(2)
        if not found.classes.isdisjoint(_ADMONITIONS):
            return self._prefixed(Prefix("> ", "> "), 2)
        if found.has_class(*_ADMONITION_TITLES):
            return self._strong_block()
        return lambda: self._end(lines)

    def _end(self, lines: int) -> None:
        self._flush()
        self.writer.gap(lines)

    def _prefixed(self, prefix: Prefix, lines: int) -> Leave:
        self.writer.gap(lines)
        self.writer.prefixes.append(prefix)

        def leave() -> None:
            self._flush()
            self.writer.prefixes.pop()
            self.writer.gap(lines)

        return leave

    def _strong_block(self) -> Leave:
        self._inline.open("strong")

        def leave() -> None:
            self._inline.close("strong")
            self._end(2)

        return leave

    def _heading(self, found: Element) -> Leave:
        self.has_h1 |= found.tag == "h1"
        self._in_heading = True
        sign = "" if self._is_in_grid() else _HEADINGS[found.tag]
        end = self._prefixed(Prefix(sign, sign), 2)

        def leave() -> None:
            end()
            self._in_heading = False

        return leave

    def _quote(self, _: Element) -> Leave:
        return self._prefixed(Prefix("> ", "> "), 2)

    def _rule(self, _: Element) -> None:
        self.writer.gap(2)
        self.writer.paragraph("---")
        self.writer.gap(2)

    def _code_block(self, found: Element) -> None:
        text = code_text(found.node)
        if not text.strip():
            return
        if self._is_in_grid():
            self._inline.code(text)
            return
        self._flush()
        self.writer.code(language_of(found.node), text)

    # Lists

    def _list(self, found: Element) -> Leave:
        start = found.get("start")
        number = (int(start[:6]) if start.isdecimal() else 1) if found.tag == "ol" else None
        lines = 1 if self._lists else 2
        self._lists.append(number)
        self.writer.gap(lines)

        def leave() -> None:
            self._flush()
            self._lists.pop()
            self.writer.gap(lines)

        return leave

    def _item(self, found: Element) -> Leave:
        number = self._lists[-1] if self._lists else None
        if number is None:
            return self._prefixed(Prefix("- ", "  "), 1)
        value = found.get("value")
        number = int(value[:6]) if value.isdecimal() else number
        self._lists[-1] = number + 1
        sign = f"{number}. "
        return self._prefixed(Prefix(sign, " " * len(sign)), 1)

    def _term(self, found: Element) -> Leave | None:
        self.writer.gap(2)
        if "sig" not in found.classes:
            return lambda: self._end(1)
        for inner in found.node.css("[id]"):
            self.writer.anchor(inner.attributes.get("id") or "")
        self._inline.code(self._plain(found.node))
        self._end(1)
        return None

    def _definition(self, _: Element) -> Leave:
        return self._prefixed(Prefix(": ", "  "), 1)

    # Tables

    def _table(self, found: Element) -> Leave:
        self._tables.append(Table.of(found.node))
        self.writer.gap(2)

        def leave() -> None:
            self._flush()
            table = self._tables.pop()
            if rows := table.filled_rows():
                self.writer.table(rows, has_header=table.has_header())
            self.writer.gap(2)

        return leave

    def _row(self, _: Element) -> Leave:
        if self._tables and self._tables[-1].is_grid:
            self._tables[-1].start_row()
        else:
            self.writer.gap(2)
        return self._flush

    def _cell(self, found: Element) -> Leave:
        if not self._is_in_grid():
            return self._block(found)
        table = self._tables[-1]
        table.start_cell(found.tag)
        outer = self.writer, self._inline, self._lists
        self.writer, self._inline, self._lists = Writer(), Inline(), []

        def leave() -> None:
            self._flush()
            text, ids = self.writer.text(), self.writer.take_ids()
            self.writer, self._inline, self._lists = outer
            table.end_cell(text)
            for name in ids:
                self.writer.anchor(name)

        return leave

    def _is_in_grid(self) -> bool:
        return bool(self._tables) and self._tables[-1].takes_cells

    # Running text

    def _marked(self, found: Element) -> Leave:
        href = self._target(found) if found.tag == "a" else ""
        if found.tag == "a" and not href:
            return _nothing
        self._inline.open(found.tag, href)

        def leave() -> None:
            if target := self._inline.close(found.tag):
                self._flush()
                self.writer.paragraph(f"<{target}>")
                self.writer.gap(1)

        return leave

    def _target(self, found: Element) -> str:
        href = urls.clean(found.get("href"))
        if not href or href == "#" or href.lower().startswith(("javascript:", "data:")):
            return ""
        if href.startswith("#"):
            return "" if self._in_heading else href.translate(_LINK_CODES)
        return urls.absolute(self._base_url, href).translate(_LINK_CODES)

    def _inline_code(self, found: Element) -> Leave | None:
        if first(found.node, "br, div, p, pre") is not None:
            self._code_block(found)
            return None
        links = found.node.css("a[href]")
        href = self._target(element(links[0])) if len(links) == 1 else ""
        self._inline.code(self._plain(found.node), href)
        return None

    def _line_break(self, _: Element) -> None:
        self._inline.line_break()

    def _image(self, found: Element) -> None:
        if alt := found.get("alt").strip():
            self._inline.text(f"[image: {alt}]")

    def _spaced(self, _: Element) -> Leave:
        self._inline.text(" ")
        return lambda: self._inline.text(" ")

    def _superscript(self, found: Element) -> Leave:
        text = self._plain(found.node).strip()
        if _SUPERSCRIPT.fullmatch(text) and first(found.node, "a") is None:
            self._inline.text("^")
        return _nothing

    def _checkbox(self, found: Element) -> None:
        parent = found.node.parent
        if parent is not None and parent.tag in {"label", "p"}:
            parent = parent.parent
        if parent is not None and parent.tag == "li":
            self._inline.text("[x] " if "checked" in found.attributes else "[ ] ")

    def _plain(self, node: Node) -> str:
        parts: list[str] = []
        pending = [node]
        while pending:
            item = pending.pop()
            if item.tag == TEXT:
                parts.append(item.text_content or "")
            elif item.mem_id == node.mem_id or not self._is_dropped(element(item)):
                pending.extend(reversed(list(children(item))))
        return "".join(parts)

    _handlers: ClassVar[dict[str, Callable[[Walk, Element], Leave | None]]] = {
        **dict.fromkeys(_HEADINGS, _heading),
        **dict.fromkeys(CODE_TAGS, _code_block),
        **dict.fromkeys(_INLINE_CODE, _inline_code),
        **dict.fromkeys(_LISTS, _list),
        **dict.fromkeys(MARKED_TAGS, _marked),
        **dict.fromkeys(_SPACED, _spaced),
        "blockquote": _quote,
        "br": _line_break,
        "dd": _definition,
        "dt": _term,
        "hr": _rule,
        "img": _image,
        "input": _checkbox,
        "li": _item,
        "sup": _superscript,
        "table": _table,
        "td": _cell,
        "th": _cell,
        "tr": _row,
    }
